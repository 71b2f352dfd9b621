// Placing calls, which is refused with the reason.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GatewayError } from '../../errors.ts';
import { toJid } from '../../whatsapp/address/jid.ts';
import { offerCallRoute } from '../schemas/call.ts';

const reason =
  'Calls cannot be placed: there is no voice to talk with. Incoming calls are events, and rejectCall refuses them.';

export const callRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    ...offerCallRoute,
    schema: offerCallRoute,
    handler: async ({ body }) => {
      toJid(body.number);
      throw new GatewayError('NOT_IMPLEMENTED', reason, { certain: true });
    },
  });
};
