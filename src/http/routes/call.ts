// POST /call/offer: always refused, because the gateway has no audio to send. Decision D-106.
import { GatewayError } from '../../errors.ts';
import { toJid } from '../../whatsapp/address/jid.ts';
import { offerCallRoute } from '../schemas/call.ts';
import type { RoutePlugin } from '../type-provider.ts';

const REFUSAL =
  'The gateway cannot place calls, because it has no audio to send. Incoming calls are reported as events, and the setting rejectCall declines them.';

export const callRoutes: RoutePlugin = async (app) => {
  app.route({
    ...offerCallRoute,
    schema: offerCallRoute,
    handler: async ({ body }) => {
      // An invalid number is reported first, with INVALID_REQUEST.
      toJid(body.number);
      throw new GatewayError('NOT_IMPLEMENTED', REFUSAL, { certain: true });
    },
  });
};
