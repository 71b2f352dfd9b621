// What addresses and headers of webhooks hold is seen by those who may set webhooks, and not by those who may only read.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { operations } from '../contract/document.ts';
import { at, createApi, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const mine = '15550009501';
const theirs = '15550009502';
const token = 'instance-token-0123456789';
const SECRETS = ['hidden-user', 'hidden-password', 'hidden-path', 'hidden-query', 'hidden-header', 'whsec_'];

/** A stream of the progress of replays: what came, as text. */
async function listen(
  { api }: World,
  apikey: string,
): Promise<{ text: () => string; until: (word: string) => Promise<void> }> {
  const headers = { apikey, accept: 'text/event-stream' };
  const asked = request(`${api.url}/events/shop?after=latest&types=REPLAY_PROGRESS`, { headers }).end();
  onTestFinished(() => void asked.destroy());
  const [response]: IncomingMessage[] = await once(asked, 'response');
  let text = '';
  response?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const until = async (word: string) => {
    while (response && !text.includes(word)) await once(response, 'data');
  };
  return { text: () => text, until };
}

it('secrets in addresses of webhooks are masked for keys that may only read, in all answers', async () => {
  const world = await startWorld({ env: { WEBHOOK_NO_RETRY_STATUS: '422', WEBHOOK_RETRY_SCHEDULE: '600' } });
  const { host } = new URL(world.receiver.url);
  const url = `http://hidden-user:hidden-password@${host}/hidden-path?key=hidden-query`;
  const webhook = { url, headers: { 'x-token': 'hidden-header' } };
  const created = await world.api('POST', '/instance/create', { instanceName: 'shop', token, qrcode: true, webhook });
  await world.sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
  await world.receiver.next(({ body }) => isEvent(body, 'connection.update') && at(body, 'data.state') === 'open');
  const keyOf = async (scopes: string[]) =>
    textAt((await world.api('POST', '/keys', { name: scopes.join(), scopes })).body, 'key');
  const [read, admin] = [await keyOf(['read']), await keyOf(['read', 'admin'])];
  const says = (text: string) => (post: { body: unknown }) =>
    isEvent(post.body, 'messages.upsert') && at(post.body, 'data.message.conversation') === text;
  world.receiver.answer((post) => (says('refused')(post) ? 422 : says('waits')(post) ? 429 : 200));
  const phone = world.sandbox.phones.phone(theirs);
  for (const text of ['taken', 'refused', 'waits']) {
    await phone.send(mine, { text });
    await world.receiver.next(says(text));
  }
  const [reader, owner] = [await listen(world, read), await listen(world, token)];
  const replayed = await world.api('POST', '/webhook/replay/shop', { dead: true });
  expect(at(replayed.body, 'queued')).toBe(1);
  await Promise.all([reader.until('"progress":100'), owner.until('"progress":100')]);
  expect(reader.text()).toContain(`"url":"http://***@${host}/***?***"`);
  expect(owner.text()).toContain(JSON.stringify(url));

  for (const state of ['waiting', 'delivered', 'dead']) {
    const path = `/webhook/deliveries/shop?state=${state}`;
    const shown = (await createApi(world.api.url, read)('GET', path)).body;
    expect(at(shown, 'deliveries.0.endpoint.url'), state).toBe(`http://***@${host}/***?***`);
    expect(at(shown, 'endpoints.0.url')).toBe(`http://***@${host}/***?***`);
    expect(at(shown, 'replays.0.endpoint.url')).toBe(`http://***@${host}/***?***`);
    for (const key of [world.api.key, token, admin]) {
      const full = (await createApi(world.api.url, key)('GET', path)).body;
      expect(at(full, 'deliveries.0.endpoint.url'), state).toBe(url);
      expect([at(full, 'endpoints.0.url'), at(full, 'replays.0.endpoint.url')]).toEqual([url, url]);
    }
  }

  const readable = operations.filter(
    ({ method, operation }) => method === 'get' && ['read', 'any'].includes(operation['x-scope'] ?? ''),
  );
  expect(readable.length).toBeGreaterThan(10);
  const answers = readable.map(async ({ path }) => {
    const where = path.replace('{instance}', 'shop').replaceAll(/\{\w+\}/g, 'x');
    const answer = await fetch(`${world.api.url}${where}`, { headers: { apikey: read } });
    return `${path} ${answer.status} ${await answer.text()}`;
  });
  for (const text of [...(await Promise.all(answers)), reader.text()])
    for (const secret of SECRETS) expect(text, text.slice(0, 80)).not.toContain(secret);
  const lines = JSON.stringify(world.log);
  for (const secret of SECRETS) expect(lines).not.toContain(secret);
});
