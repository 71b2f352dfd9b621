// Operations to link an instance to an account that requires a passkey: show WhatsApp's request, take the owner's
// assertion (the signed answer of the passkey), show the code that the owner compares with the code on the phone, and
// confirm the code. Decision D-168.
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import type { PasskeyStatus } from '../../whatsapp/session.ts';
import type { AppDeps } from '../deps.ts';
import {
  answerPasskeyRoute,
  confirmPasskeyRoute,
  type PasskeyCode,
  type PasskeyLink,
  passkeyCodeRoute,
  passkeyRequestRoute,
} from '../schemas/instance.ts';
import type { RoutePlugin } from '../type-provider.ts';

export const passkeyRoutes: RoutePlugin<Pick<AppDeps, 'config'>> = async (app, { config }) => {
  app.route({
    ...passkeyRequestRoute,
    schema: passkeyRequestRoute,
    handler: async ({ instance }) => {
      assertEnabled(config);
      return toLink(instance.name, instance.passkeyStatus());
    },
  });
  app.route({
    ...answerPasskeyRoute,
    schema: answerPasskeyRoute,
    handler: async ({ instance, body }) => {
      assertEnabled(config);
      return toLink(instance.name, await instance.answerPasskey(body));
    },
  });
  app.route({
    ...passkeyCodeRoute,
    schema: passkeyCodeRoute,
    handler: async ({ instance }) => {
      assertEnabled(config);
      return toCode(instance.name, instance.passkeyStatus());
    },
  });
  app.route({
    ...confirmPasskeyRoute,
    schema: confirmPasskeyRoute,
    handler: async ({ instance, body }) => {
      assertEnabled(config);
      return toLink(instance.name, await instance.confirmPasskey(body.code));
    },
  });
};

/** Throws PASSKEY_DISABLED while the setting is off. */
function assertEnabled({ passkeyLinking }: Pick<Config, 'passkeyLinking'>): void {
  if (passkeyLinking) return;
  throw new GatewayError(
    'PASSKEY_DISABLED',
    ['Linking with passkeys is switched off. The operator can switch it on with PASSKEY_LINKING=true.'],
    { certain: true },
  );
}

const toLink = (instance: string, { stage, request, expiresAt }: PasskeyStatus): PasskeyLink => ({
  instance,
  stage,
  request,
  expiresAt: new Date(expiresAt).toISOString(),
});

/** Throws PASSKEY_WRONG_STAGE while there is no code, because the phone has not answered. */
function toCode(instance: string, { stage, code, expiresAt }: PasskeyStatus): PasskeyCode {
  if (code !== null) return { instance, stage, code, expiresAt: new Date(expiresAt).toISOString() };
  const sentence = 'There is no code yet. Wait for connection.update with passkey "confirm".';
  throw new GatewayError('PASSKEY_WRONG_STAGE', [sentence], { certain: true });
}
