// Configuration of event transports other than webhooks. The gateway has one: websocket, if WEBSOCKET_ENABLED is on.
// The routes of transports that this gateway does not have (RabbitMQ, SQS, NATS, Kafka, Pusher) reply with
// `enabled: false` and store nothing. Decision D-106.
import { toWebsocketRecord } from '../../instances/view.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { EventName } from '../schemas/common.ts';
import * as transport from '../schemas/transport.ts';
import type { RoutePlugin } from '../type-provider.ts';

/** The record of a transport that is off, was never configured, or does not exist. */
const DISABLED = { enabled: false, events: [] };

export const eventTransportRoutes: RoutePlugin<Pick<AppDeps, 'sockets'>> = async (app, { sockets }) => {
  const { setWebsocketRoute, findWebsocketRoute } = transport;
  const websocketOf = ({ row }: AppInstance) => (sockets && toWebsocketRecord(row, EventName.enum)) ?? DISABLED;
  const offMessage =
    'This gateway has no websocket transport (WEBSOCKET_ENABLED is off). Events are available by webhooks and GET /events.';
  app.route({
    ...setWebsocketRoute,
    schema: setWebsocketRoute,
    handler: async ({ instance, body: { enabled, events = [] } }, reply) => {
      if (sockets) await instance.changeWebsocket({ enabled, events });
      const record = websocketOf(instance);
      const compactRecord = { enabled: record.enabled, events: record.events };
      // The response contains the settings twice: at the top, and in `websocket`.
      const wrapped = { instanceName: instance.name, websocket: compactRecord };
      return reply.code(201).send({ ...record, ...(sockets ? {} : { message: offMessage }), websocket: wrapped });
    },
  });
  app.route({
    ...findWebsocketRoute,
    schema: findWebsocketRoute,
    handler: async ({ instance }) => websocketOf(instance),
  });

  // The routes of all unavailable transports share one schema. A variant has the URL and operationId of one transport.
  for (const [transportName, variant] of Object.entries(transport.setUnavailableTransportRoute.variants)) {
    const { url, ...operation } = variant;
    const schema = { ...transport.setUnavailableTransportRoute, ...operation };
    const message = `This gateway has no ${transportName} transport. Events are available by webhooks and GET /events.`;
    app.route({
      ...schema,
      url,
      schema,
      handler: async ({ instance }, reply) =>
        reply.code(201).send({
          ...DISABLED,
          message,
          [transportName]: { instanceName: instance.name, [transportName]: DISABLED },
        }),
    });
  }
  for (const { url, ...operation } of Object.values(transport.findUnavailableTransportRoute.variants)) {
    const schema = { ...transport.findUnavailableTransportRoute, ...operation };
    app.route({ ...schema, url, schema, handler: async () => DISABLED });
  }
};
