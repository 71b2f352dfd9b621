// First-contact tokens: the tokens of messages to accounts without an earlier chat. The interop client and the instance
// compute them from the salt that their phones sent. The platform compares each token with its own.
import { expect, it } from 'vitest';
import { control, createAccount, sendAs } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage({
  async prepare({ platform, shop, ada }) {
    await sendAs(platform, shop, ada.number, { text: 'before' });
  },
});

it('the platform accepts the first-contact tokens of the interop client and of the instance', {
  timeout: 60_000,
}, async () => {
  const { platform, client, shop, ada } = stage;
  await client.until('the history', () => client.history.length > 0);
  await stage.waitForWebhook('messages.set');
  for (const { number } of [shop, ada]) {
    await control(platform, 'POST', '/faults', { kind: 'noToken', number, times: 0 }); // refuses messages without a token
  }
  const [bob, cid] = await Promise.all([createAccount(platform, 'Bob'), createAccount(platform, 'Cid')]);
  await client.send(bob.jid, { conversation: 'from the client' });
  await stage.call('POST', '/message/sendText/shop', { number: cid.number, text: 'from the instance' });
  for (const [{ number }, text] of [
    [bob, 'from the client'],
    [cid, 'from the instance'],
  ] as const) {
    await expect.poll(() => control(platform, 'GET', `/phones/${number}/messages`)).toMatchObject([{ text }]);
  }
});
