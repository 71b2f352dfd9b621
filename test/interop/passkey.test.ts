// Link of an interop client to an account that requires a passkey. This build of the client reads and reports the
// request, but has no function that takes an answer, so the test ends there.
import { expect, it } from 'vitest';
import { createAuthenticator } from '../support/authenticator.ts';
import { InteropClient } from './support/client.ts';
import { control, createAccount } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();

it('the interop client reads the passkey request of the platform', async () => {
  const { platform } = stage;
  const account = await createAccount(platform, 'Cora');
  const { credential } = createAuthenticator();
  await control(platform, 'POST', `/phones/${account.number}/passkey`, { credentials: [credential] });
  const client = await InteropClient.start(platform);
  const { data } = await client.event('qr');
  expect(await control(platform, 'POST', `/phones/${account.number}/scan`, { code: data.code })).toEqual({
    passkey: 'required',
  });
  const request = await client.event('pair_passkey_request');
  expect(JSON.parse(request.data.request_options_json)).toMatchObject({
    rpId: 'whatsapp.com',
    userVerification: 'required',
    allowCredentials: [{ id: credential.id, type: 'public-key' }],
  });
  expect(client.events.filter(({ type }) => type === 'pair_passkey_error')).toEqual([]);
  await client.stop();
});
