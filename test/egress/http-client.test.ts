import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Policy } from '../../src/egress/address-policy.ts';
import { createEgress, type Egress, type EgressOptions, type EgressRequest } from '../../src/egress/http-client.ts';

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer({ maxHeaderSize: 64 * 1024 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function createClient(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allow: [], strict: false, ...options });
  onTestFinished(() => egress.close());
  return egress;
}

function get(egress: Egress, policy: Policy, url: string, overrides: Partial<EgressRequest> = {}) {
  return egress.request(policy, { method: 'GET', url, timeout: 5_000, maxBytes: 1_000, ...overrides });
}

/** Creates a resolver that knows only these names. Each list is one answer, and the last answer repeats. */
function createResolver(answers: Record<string, string[][]>): LookupFunction {
  return (hostname, options, callback) => {
    const list = answers[hostname] ?? [];
    const addresses = (list.length > 1 ? list.shift() : list[0]) ?? [];
    const records = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, records);
    else callback(null, records[0]?.address ?? '', records[0]?.family ?? 4);
  };
}

const LOOPBACK = [
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '[::ffff:127.0.0.1]',
  '127.0.0.1.',
  'localhost',
  'localhost.',
  '１２７.0.0.1',
];

describe('the egress client', () => {
  it.each(
    LOOPBACK,
  )('the egress client rejects media from loopback written as %s before it sends a byte', async (host) => {
    let requestCount = 0;
    const port = await serve((_, response) => {
      requestCount++;
      response.end();
    });
    const refusal = get(createClient(), 'public', `http://${host}:${port}/`);
    await expect(refusal).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      responseMessage: [expect.stringContaining('loopback')],
    });
    expect(requestCount).toBe(0);
  });

  it.each(
    LOOPBACK.filter((host) => !host.startsWith('[')),
  )('the egress client lets a webhook reach loopback written as %s', async (host) => {
    const port = await serve((_, response) => response.end('ok'));
    expect((await get(createClient(), 'webhook', `http://${host}:${port}/`)).status).toBe(200);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://0.0.0.0/',
    'http://0/',
    'http://[::]/',
  ])('the egress client never lets a webhook reach %s', async (url) => {
    const egress = createClient({ allow: ['0.0.0.0/0', '::/0'] });
    await expect(get(egress, 'webhook', url)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(() => egress.check('webhook', url)).toThrow('ADDRESS_FORBIDDEN');
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'data:text/plain,x',
    'gopher://example.com',
    'not a url',
  ])('the egress client rejects %s because of its scheme', async (url) => {
    await expect(get(createClient(), 'webhook', url)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('the egress client reports in an error whether EGRESS_ALLOW can open the address', async () => {
    const lookup = createResolver({
      'inside.test': [['10.0.0.1']],
      'metadata.test': [['169.254.169.254']],
      'nothing.test': [],
    });
    const egress = createClient({ lookup });
    for (const [url, sentence] of [
      ['http://10.0.0.1/', 'a private address. The operator can open it with EGRESS_ALLOW.'],
      ['http://inside.test/', 'it resolves to a private address. The operator can open it with EGRESS_ALLOW.'],
      ['http://240.0.0.1/', 'a reserved address. The operator can open it with EGRESS_ALLOW.'],
      ['http://169.254.169.254/', 'a link-local address. EGRESS_ALLOW cannot open it.'],
      ['http://[fd00:ec2::254]/', 'a cloud metadata address. EGRESS_ALLOW cannot open it.'],
      ['http://metadata.test/', 'it resolves to a link-local address. EGRESS_ALLOW cannot open it.'],
      ['http://nothing.test/', 'it has no address'],
    ]) {
      await expect(get(egress, 'public', String(url)), url).rejects.toMatchObject({
        responseMessage: [
          `Requests to "${new URL(String(url)).hostname.replace(/[[\]]/g, '')}" are not allowed: ${sentence}`,
        ],
      });
    }
  });

  it('the egress client checks a name by the addresses to which it resolves', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const lookup = createResolver({
      'inside.test': [['127.0.0.1']],
      'metadata.test': [['169.254.169.254']],
      'nothing.test': [],
    });
    const egress = createClient({ lookup });
    expect((await get(egress, 'webhook', `http://inside.test:${port}/`)).status).toBe(200);
    await expect(get(egress, 'public', `http://inside.test:${port}/`)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
    await expect(get(egress, 'webhook', 'http://metadata.test/')).rejects.toThrow(/link-local/);
    await expect(get(egress, 'webhook', 'http://nothing.test/')).rejects.toThrow(/no address/);
  });

  it('a name whose lookup is not answered does not delay other names', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const resolver = createResolver({ 'other.test': [['127.0.0.1']] });
    const lookedUpNames: string[] = [];
    const lookup: LookupFunction = (name, options, callback) => {
      lookedUpNames.push(name);
      if (name !== 'silent.test') resolver(name, options, callback);
    };
    const egress = createClient({ lookup });
    const controller = new AbortController();
    const silent = Array.from({ length: 20 }, () =>
      get(egress, 'webhook', 'http://silent.test/', { signal: controller.signal }).catch(() => 'failed'),
    );
    expect((await get(egress, 'webhook', `http://other.test:${port}/`)).status).toBe(200);
    expect(lookedUpNames).toEqual(['silent.test', 'other.test']);
    controller.abort();
    expect(new Set(await Promise.all(silent))).toEqual(new Set(['failed']));
  });

  it('unanswered lookups of webhooks and proxies do not delay lookups of the platform', async () => {
    const lookedUpNames: string[] = [];
    const lookup: LookupFunction = (name) => void lookedUpNames.push(name);
    const egress = createClient({ lookup, platform: { isHost: (host) => host === 'platform.test' } });
    const controller = new AbortController();
    const { signal } = controller;
    const request = (policy: Policy, name: string, options: Partial<EgressRequest> = {}) =>
      get(egress, policy, `https://${name}/`, { signal, ...options }).catch(() => 'failed');
    const through = (host: string) => egress.tunnel({ protocol: 'http', host, port: 80, username: '', password: '' });
    const requests = [
      ...['a.test', 'b.test', 'c.test'].map((name) => request('webhook', name)),
      ...['p.test', 'q.test', 'r.test'].map((name) => request('platform', 'platform.test', { tunnel: through(name) })),
      request('platform', 'platform.test'),
    ];
    await expect
      .poll(() => lookedUpNames.toSorted())
      .toEqual(['a.test', 'b.test', 'p.test', 'platform.test', 'q.test']);
    controller.abort();
    await Promise.all(requests);
  });

  it('the egress client connects only to the allowed addresses of a name with several addresses', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const egress = createClient({
      lookup: createResolver({ 'mixed.test': [['169.254.169.254', 'fe80::1', '127.0.0.1']] }),
    });
    expect((await get(egress, 'webhook', `http://mixed.test:${port}/`)).status).toBe(200);
  });

  it('the egress client rejects a name that resolves to a forbidden address at the second request', async () => {
    const port = await serve((_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
    const egress = createClient({ lookup: createResolver({ 'rebind.test': [['127.0.0.1'], ['169.254.169.254']] }) });
    expect((await get(egress, 'webhook', `http://rebind.test:${port}/`)).status).toBe(200);
    await expect(get(egress, 'webhook', `http://rebind.test:${port}/`)).rejects.toThrow(/link-local/);
  });

  it('the egress client does not reuse the connection of a webhook for a media request', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const egress = createClient();
    expect((await get(egress, 'webhook', `http://127.0.0.1:${port}/`)).status).toBe(200);
    await expect(get(egress, 'public', `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
  });
});

describe('redirects', () => {
  it('a redirect of a webhook is never followed', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    expect((await get(createClient(), 'webhook', `http://127.0.0.1:${port}/`)).status).toBe(302);
  });

  it('a redirect of a media request is followed at most three times', async () => {
    const port = await serve((request, response) => {
      const remaining = Number(request.url?.slice(1));
      if (remaining === 0) response.end('arrived');
      else response.writeHead(302, { location: `/${remaining - 1}` }).end();
    });
    const egress = createClient({ allow: ['127.0.0.1'] });
    expect((await get(egress, 'public', `http://127.0.0.1:${port}/3`)).body.toString()).toBe('arrived');
    await expect(get(egress, 'public', `http://127.0.0.1:${port}/4`)).rejects.toThrow(/redirects/);
  });

  it.each([
    'http://10.0.0.1/',
    'http://[::1]/',
    'file:///etc/passwd',
    'http://private.test/',
  ])('a redirect to %s is rejected like a request to this URL', async (location) => {
    const port = await serve((_, response) => response.writeHead(302, { location }).end());
    const lookup = createResolver({ 'start.test': [['127.0.0.1']], 'private.test': [['10.0.0.1']] });
    const egress = createClient({ allow: ['127.0.0.1'], lookup });
    await expect(get(egress, 'public', `http://start.test:${port}/`)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
  });

  it('a redirect to another origin does not send the credentials', async () => {
    const received: (string | undefined)[] = [];
    const second = await serve((request, response) => {
      received.push(request.headers.authorization, request.headers.cookie);
      response.end();
    });
    const first = await serve((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${second}/` }).end(),
    );
    const headers = { Authorization: 'Bearer secret', cookie: 'a=b' };
    await get(createClient({ allow: ['127.0.0.1'] }), 'public', `http://127.0.0.1:${first}/`, { headers });
    expect(received).toEqual([undefined, undefined]);
  });
});

describe('requests and responses', () => {
  it('a request sends its body, its headers and the credentials of its URL', async () => {
    const received: unknown[] = [];
    const port = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push(
        request.method,
        request.headers.authorization,
        request.headers['x-a'],
        Buffer.concat(chunks).toString(),
      );
      response.end();
    });
    const url = `http://u%40x:p@127.0.0.1:${port}/`;
    await get(createClient(), 'webhook', url, { method: 'POST', headers: { 'x-a': '1' }, body: 'héllo' });
    expect(received).toEqual(['POST', `Basic ${Buffer.from('u@x:p').toString('base64')}`, '1', 'héllo']);
  });

  it('a response body over the limit is replaced by a note', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(1_001)));
    const answer = await get(createClient(), 'webhook', `http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 200, isOversize: true });
    expect(answer.body.toString()).toBe('[longer than 1000 bytes, not kept]');
  });

  it('a response body of exactly the limit is kept', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(1_000)));
    expect(await get(createClient(), 'webhook', `http://127.0.0.1:${port}/`)).toMatchObject({
      isOversize: false,
      body: { length: 1_000 },
    });
  });

  it.each(['headers', 'body'])('a request times out while it waits for the %s', async (part) => {
    const port = await serve((_, response) => {
      if (part === 'body') response.writeHead(200).write('a');
    });
    await expect(get(createClient(), 'webhook', `http://127.0.0.1:${port}/`, { timeout: 30 })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    });
  });

  it('a request ends when its caller aborts', async () => {
    const port = await serve(() => controller.abort(new Error('enough')));
    const controller = new AbortController();
    const answer = get(createClient(), 'webhook', `http://127.0.0.1:${port}/`, { signal: controller.signal });
    await expect(answer).rejects.toThrow('enough');
  });

  it('a request rejects oversized response headers', async () => {
    const port = await serve((_, response) => response.writeHead(200, { big: 'x'.repeat(20_000) }).end());
    await expect(get(createClient(), 'webhook', `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'UND_ERR_HEADERS_OVERFLOW',
    });
  });

  it('a request rejects with ECONNREFUSED when no server listens', async () => {
    await expect(get(createClient(), 'webhook', 'http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
