import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addManagerPhones } from '../src/process/manager-phones.ts';

const requests: string[] = [];
const controlApi = Fastify();
const app: FastifyInstance = Fastify();
const access = new Set<unknown>();

beforeAll(async () => {
  controlApi.all('/*', async ({ method, url, body }, reply) => {
    requests.push(`${method} ${url} ${JSON.stringify(body ?? null)}`);
    if (url === '/') return { gateway: 'http://there', apikey: 'the-key', phones: [{ number: '15550001001' }] };
    return url.endsWith('/scan') ? reply.code(409).send({ error: 'shows no QR code' }) : [];
  });
  controlApi.addContentTypeParser('text/plain', { parseAs: 'string' }, (_, text, done) =>
    done(null, JSON.parse(String(text))),
  );
  const url = await controlApi.listen({ port: 0, host: '127.0.0.1' });
  app.addHook('onRoute', ({ config }) => void access.add(config?.access));
  addManagerPhones(app, () => url);
});
afterAll(() => Promise.all([app.close(), controlApi.close()]));

describe('routes of phones for the manager page', () => {
  it('the routes below /manager/phones require the global key', () => {
    expect([...access]).toEqual(['service']);
  });

  it('GET /manager/phones does not return the API key that the control API returns', async () => {
    const answer = await app.inject('/manager/phones');
    expect(answer.json()).toEqual({ phones: [{ number: '15550001001' }] });
  });

  it('the routes below /manager/phones forward lists of messages and scans to the control API', async () => {
    expect((await app.inject('/manager/phones/15550001001/messages')).json()).toEqual([]);
    const payload = { instance: 'shop' };
    const scanned = await app.inject({ method: 'POST', url: '/manager/phones/15550001001/scan', payload });
    expect([scanned.statusCode, scanned.json()]).toEqual([409, { error: 'shows no QR code' }]);
    expect(requests.at(-1)).toBe('POST /phones/15550001001/scan {"instance":"shop"}');
  });

  it('the routes below /manager/phones forward no other operation of the control API', async () => {
    const before = requests.length;
    for (const path of [
      '../faults',
      '15550001001/unlink',
      '15550001001/scan/../../../faults',
      '..%2Ffaults',
      'x/scan',
    ]) {
      const answer = await app.inject({ method: 'POST', url: `/manager/phones/${path}`, payload: {} });
      expect(answer.statusCode, path).toBe(404);
    }
    expect(requests).toHaveLength(before);
  });
});
