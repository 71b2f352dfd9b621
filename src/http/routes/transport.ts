// Ways for events other than webhooks (contract §5.11): sockets, if the operator wants them; what other gateways have and this one has not
// says so and keeps nothing.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { toWebsocketRecord } from '../../instances/view.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { EventName } from '../schemas/common.ts';
import * as transport from '../schemas/transport.ts';

const off = { enabled: false, events: [] };

const offers = {
  rabbitmq: [transport.setRabbitmqRoute, transport.findRabbitmqRoute],
  sqs: [transport.setSqsRoute, transport.findSqsRoute],
  nats: [transport.setNatsRoute, transport.findNatsRoute],
  kafka: [transport.setKafkaRoute, transport.findKafkaRoute],
  pusher: [transport.setPusherRoute, transport.findPusherRoute],
} as const;

export const transportRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'sockets'>> = async (app, { sockets }) => {
  const { setWebsocketRoute, findWebsocketRoute } = transport;
  const inForce = ({ row }: AppInstance) => (sockets && toWebsocketRecord(row, EventName.enum)) ?? off;
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

  for (const [name, [set, find]] of Object.entries(offers)) {
    const message = `There is no ${name} transport here; events come by webhooks and GET /events.`;
    app.route({
      ...set,
      schema: set,
      handler: async ({ instance }, reply) =>
        reply.code(201).send({ ...off, message, [name]: { instanceName: instance.name, [name]: off } }),
    });
    app.route({ ...find, schema: find, handler: async () => off });
  }
};
