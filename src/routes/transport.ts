// Ways for events that other gateways have and this one has not: their operations say so and keep nothing (contract §5.11).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as transport from '../schemas/transport.ts';

const off = { enabled: false, events: [] };

const offers = {
  websocket: [transport.setWebsocketRoute, transport.findWebsocketRoute],
  rabbitmq: [transport.setRabbitmqRoute, transport.findRabbitmqRoute],
  sqs: [transport.setSqsRoute, transport.findSqsRoute],
  nats: [transport.setNatsRoute, transport.findNatsRoute],
  kafka: [transport.setKafkaRoute, transport.findKafkaRoute],
  pusher: [transport.setPusherRoute, transport.findPusherRoute],
} as const;

export const transportRoutes: FastifyPluginAsyncTypebox = async (app) => {
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
