// Event transports besides webhooks (interface §5.11): websocket when enabled. The routes of transports that this gateway does not have
// (RabbitMQ, SQS, NATS, Kafka, Pusher) answer `enabled: false` and store nothing.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { toWebsocketRecord } from '../../instances/view.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { EventName } from '../schemas/common.ts';
import * as transport from '../schemas/transport.ts';

const DISABLED = { enabled: false, events: [] };

export const transportRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'sockets'>> = async (app, { sockets }) => {
  const { setWebsocketRoute, findWebsocketRoute } = transport;
  const inForce = ({ row }: AppInstance) => (sockets && toWebsocketRecord(row, EventName.enum)) ?? DISABLED;
  const message = 'There is no websocket transport here (WEBSOCKET_ENABLED); events come by webhooks and GET /events.';
  app.route({
    ...setWebsocketRoute,
    schema: setWebsocketRoute,
    handler: async ({ instance, body: { enabled, events = [] } }, reply) => {
      if (sockets) await instance.changeWebsocket({ enabled, events });
      const record = inForce(instance);
      const short = { enabled: record.enabled, events: record.events };
      const named = { instanceName: instance.name, websocket: short };
      return reply.code(201).send({ ...record, ...(sockets ? {} : { message }), websocket: named });
    },
  });
  app.route({
    ...findWebsocketRoute,
    schema: findWebsocketRoute,
    handler: async ({ instance }) => inForce(instance),
  });

  for (const [name, { url, ...operation }] of Object.entries(transport.setUnavailableTransportRoute.variants)) {
    const schema = { ...transport.setUnavailableTransportRoute, ...operation };
    const message = `There is no ${name} transport here; events come by webhooks and GET /events.`;
    app.route({
      ...schema,
      url,
      schema,
      handler: async ({ instance }, reply) =>
        reply.code(201).send({ ...DISABLED, message, [name]: { instanceName: instance.name, [name]: DISABLED } }),
    });
  }
  for (const { url, ...operation } of Object.values(transport.findUnavailableTransportRoute.variants)) {
    const schema = { ...transport.findUnavailableTransportRoute, ...operation };
    app.route({ ...schema, url, schema, handler: async () => DISABLED });
  }
};
