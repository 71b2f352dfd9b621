// Secrets in URLs and headers of webhooks: keys that may set webhooks can read them, and keys that may only read
// cannot.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { at, createApi, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { operations } from '../support/openapi-document.ts';

const mine = '15550009501';
const contact = '15550009502';
const token = 'instance-token-0123456789';
const SECRETS = ['hidden-user', 'hidden-password', 'hidden-path', 'hidden-query', 'hidden-header', 'whsec_'];

/** Opens a stream of the progress of replays. Returns its text so far, and a function that waits for a word in it. */
async function listen(
  { api }: World,
  apikey: string,
): Promise<{ text: () => string; until: (word: string) => Promise<void> }> {
  const headers = { apikey, accept: 'text/event-stream' };
  const clientRequest = request(`${api.url}/events/shop?after=latest&types=REPLAY_PROGRESS`, { headers }).end();
  onTestFinished(() => void clientRequest.destroy());
  const [response]: IncomingMessage[] = await once(clientRequest, 'response');
  let text = '';
  response?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const until = async (word: string) => {
    while (response && !text.includes(word)) await once(response, 'data');
  };
  return { text: () => text, until };
}

it('secrets in webhook URLs are masked in all answers for keys that may only read', async () => {
  const world = await startWorld({ env: { WEBHOOK_NO_RETRY_STATUS: '422', WEBHOOK_RETRY_SCHEDULE: '600' } });
  const { host } = new URL(world.receiver.url);
  const url = `http://hidden-user:hidden-password@${host}/hidden-path?key=hidden-query`;
  const webhook = { url, headers: { 'x-token': 'hidden-header' } };
  const created = await world.api('POST', '/instance/create', { instanceName: 'shop', token, qrcode: true, webhook });
  await world.sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
  await world.receiver.next(({ body }) => isEvent(body, 'connection.update') && at(body, 'data.state') === 'open');
  const createKey = async (scopes: string[]) =>
    textAt((await world.api('POST', '/keys', { name: scopes.join(), scopes })).body, 'key');
  const [readKey, adminKey] = [await createKey(['read']), await createKey(['read', 'admin'])];
  const isText = (text: string) => (post: { body: unknown }) =>
    isEvent(post.body, 'messages.upsert') && at(post.body, 'data.message.conversation') === text;
  world.receiver.answer((post) => (isText('refused')(post) ? 422 : isText('waits')(post) ? 429 : 200));
  const phone = world.sandbox.phones.phone(contact);
  for (const text of ['taken', 'refused', 'waits']) {
    await phone.send(mine, { text });
    await world.receiver.next(isText(text));
  }
  const [readerStream, ownerStream] = [await listen(world, readKey), await listen(world, token)];
  const replayed = await world.api('POST', '/webhook/replay/shop', { dead: true });
  expect(at(replayed.body, 'queued')).toBe(1);
  await Promise.all([readerStream.until('"progress":100'), ownerStream.until('"progress":100')]);
  expect(readerStream.text()).toContain(`"url":"http://***@${host}/***?***"`);
  expect(ownerStream.text()).toContain(JSON.stringify(url));

  for (const state of ['waiting', 'delivered', 'dead']) {
    const path = `/webhook/deliveries/shop?state=${state}`;
    const masked = (await createApi(world.api.url, readKey)('GET', path)).body;
    expect(at(masked, 'deliveries.0.endpoint.url'), state).toBe(`http://***@${host}/***?***`);
    expect(at(masked, 'endpoints.0.url')).toBe(`http://***@${host}/***?***`);
    expect(at(masked, 'replays.0.endpoint.url')).toBe(`http://***@${host}/***?***`);
    for (const key of [world.api.key, token, adminKey]) {
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
    const requestPath = path.replace('{instance}', 'shop').replaceAll(/\{\w+\}/g, 'x');
    const answer = await fetch(`${world.api.url}${requestPath}`, { headers: { apikey: readKey } });
    return `${path} ${answer.status} ${await answer.text()}`;
  });
  for (const text of [...(await Promise.all(answers)), readerStream.text()])
    for (const secret of SECRETS) expect(text, text.slice(0, 80)).not.toContain(secret);
  const lines = JSON.stringify(world.log);
  for (const secret of SECRETS) expect(lines).not.toContain(secret);
});
