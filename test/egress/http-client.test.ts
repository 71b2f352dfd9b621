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

function open(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allow: [], strict: false, ...options });
  onTestFinished(() => egress.close());
  return egress;
}

function get(egress: Egress, policy: Policy, url: string, more: Partial<EgressRequest> = {}) {
  return egress.request(policy, { method: 'GET', url, timeout: 5_000, maxBytes: 1_000, ...more });
}

/** A resolver that knows only these names; each list is one answer, the last one repeats. */
function names(answers: Record<string, string[][]>): LookupFunction {
  return (hostname, options, callback) => {
    const list = answers[hostname] ?? [];
    const addresses = (list.length > 1 ? list.shift() : list[0]) ?? [];
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family ?? 4);
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
  it.each(LOOPBACK)('refuses media from loopback written as %s, before any byte', async (host) => {
    let touched = 0;
    const port = await serve((_, response) => {
      touched++;
      response.end();
    });
    const refusal = get(open(), 'public', `http://${host}:${port}/`);
    await expect(refusal).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      responseMessage: [expect.stringContaining('loopback')],
    });
    expect(touched).toBe(0);
  });

  it.each(
    LOOPBACK.filter((host) => !host.startsWith('[')),
  )('lets a webhook reach loopback written as %s', async (host) => {
    const port = await serve((_, response) => response.end('ok'));
    expect((await get(open(), 'webhook', `http://${host}:${port}/`)).status).toBe(200);
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
  ])('never lets a webhook reach %s', async (url) => {
    const egress = open({ allow: ['0.0.0.0/0', '::/0'] });
    await expect(get(egress, 'webhook', url)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(() => egress.check('webhook', url)).toThrow('ADDRESS_FORBIDDEN');
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'data:text/plain,x',
    'gopher://example.com',
    'not a url',
  ])('refuses %s by its scheme', async (url) => {
    await expect(get(open(), 'webhook', url)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('says in a refusal what the operator can do about it', async () => {
    const lookup = names({ 'inside.test': [['10.0.0.1']], 'metadata.test': [['169.254.169.254']], 'nothing.test': [] });
    const egress = open({ lookup });
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

  it('judges a name by the addresses it resolves to', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const lookup = names({
      'inside.test': [['127.0.0.1']],
      'metadata.test': [['169.254.169.254']],
      'nothing.test': [],
    });
    const egress = open({ lookup });
    expect((await get(egress, 'webhook', `http://inside.test:${port}/`)).status).toBe(200);
    await expect(get(egress, 'public', `http://inside.test:${port}/`)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
    await expect(get(egress, 'webhook', 'http://metadata.test/')).rejects.toThrow(/link-local/);
    await expect(get(egress, 'webhook', 'http://nothing.test/')).rejects.toThrow(/no address/);
  });

  it('a name whose lookup is not answered delays no other name', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const known = names({ 'other.test': [['127.0.0.1']] });
    const asked: string[] = [];
    const lookup: LookupFunction = (name, options, callback) => {
      asked.push(name);
      if (name !== 'silent.test') known(name, options, callback);
    };
    const egress = open({ lookup });
    const left = new AbortController();
    const silent = Array.from({ length: 20 }, () =>
      get(egress, 'webhook', 'http://silent.test/', { signal: left.signal }).catch(() => 'failed'),
    );
    expect((await get(egress, 'webhook', `http://other.test:${port}/`)).status).toBe(200);
    expect(asked).toEqual(['silent.test', 'other.test']);
    left.abort();
    expect(new Set(await Promise.all(silent))).toEqual(new Set(['failed']));
  });

  it('unanswered lookups of webhooks and proxies do not delay those of the platform', async () => {
    const asked: string[] = [];
    const lookup: LookupFunction = (name) => void asked.push(name);
    const egress = open({ lookup, platform: { isHost: (host) => host === 'platform.test' } });
    const left = new AbortController();
    const { signal } = left;
    const request = (policy: Policy, name: string, options: Partial<EgressRequest> = {}) =>
      get(egress, policy, `https://${name}/`, { signal, ...options }).catch(() => 'failed');
    const through = (host: string) => egress.tunnel({ protocol: 'http', host, port: 80, username: '', password: '' });
    const requests = [
      ...['a.test', 'b.test', 'c.test'].map((name) => request('webhook', name)),
      ...['p.test', 'q.test', 'r.test'].map((name) => request('platform', 'platform.test', { tunnel: through(name) })),
      request('platform', 'platform.test'),
    ];
    await expect.poll(() => asked.toSorted()).toEqual(['a.test', 'b.test', 'p.test', 'platform.test', 'q.test']);
    left.abort();
    await Promise.all(requests);
  });

  it('connects only to the allowed ones of several addresses', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const egress = open({ lookup: names({ 'mixed.test': [['169.254.169.254', 'fe80::1', '127.0.0.1']] }) });
    expect((await get(egress, 'webhook', `http://mixed.test:${port}/`)).status).toBe(200);
  });

  it('is not fooled by a name that resolves differently the second time', async () => {
    const port = await serve((_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
    const egress = open({ lookup: names({ 'rebind.test': [['127.0.0.1'], ['169.254.169.254']] }) });
    expect((await get(egress, 'webhook', `http://rebind.test:${port}/`)).status).toBe(200);
    await expect(get(egress, 'webhook', `http://rebind.test:${port}/`)).rejects.toThrow(/link-local/);
  });

  it('does not lend a webhook connection to a media request', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const egress = open();
    expect((await get(egress, 'webhook', `http://127.0.0.1:${port}/`)).status).toBe(200);
    await expect(get(egress, 'public', `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
  });
});

describe('a redirect', () => {
  it('is never followed for a webhook', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    expect((await get(open(), 'webhook', `http://127.0.0.1:${port}/`)).status).toBe(302);
  });

  it('is followed for media, three times and not more', async () => {
    const port = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('arrived');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const egress = open({ allow: ['127.0.0.1'] });
    expect((await get(egress, 'public', `http://127.0.0.1:${port}/3`)).body.toString()).toBe('arrived');
    await expect(get(egress, 'public', `http://127.0.0.1:${port}/4`)).rejects.toThrow(/redirects/);
  });

  it.each([
    'http://10.0.0.1/',
    'http://[::1]/',
    'file:///etc/passwd',
    'http://private.test/',
  ])('to %s is refused like the address itself', async (location) => {
    const port = await serve((_, response) => response.writeHead(302, { location }).end());
    const lookup = names({ 'start.test': [['127.0.0.1']], 'private.test': [['10.0.0.1']] });
    const egress = open({ allow: ['127.0.0.1'], lookup });
    await expect(get(egress, 'public', `http://start.test:${port}/`)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
  });

  it('to another origin takes no credentials along', async () => {
    const seen: (string | undefined)[] = [];
    const second = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers.cookie);
      response.end();
    });
    const first = await serve((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${second}/` }).end(),
    );
    const headers = { Authorization: 'Bearer secret', cookie: 'a=b' };
    await get(open({ allow: ['127.0.0.1'] }), 'public', `http://127.0.0.1:${first}/`, { headers });
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('an exchange', () => {
  it('sends body, headers and the credentials of the URL', async () => {
    const seen: unknown[] = [];
    const port = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      seen.push(
        request.method,
        request.headers.authorization,
        request.headers['x-a'],
        Buffer.concat(chunks).toString(),
      );
      response.end();
    });
    const url = `http://u%40x:p@127.0.0.1:${port}/`;
    await get(open(), 'webhook', url, { method: 'POST', headers: { 'x-a': '1' }, body: 'héllo' });
    expect(seen).toEqual(['POST', `Basic ${Buffer.from('u@x:p').toString('base64')}`, '1', 'héllo']);
  });

  it('replaces a body over the limit by a note, never by a part of it', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(1_001)));
    const answer = await get(open(), 'webhook', `http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 200, isOversize: true });
    expect(answer.body.toString()).toBe('[longer than 1000 bytes, not kept]');
  });

  it('keeps a body of exactly the limit', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(1_000)));
    expect(await get(open(), 'webhook', `http://127.0.0.1:${port}/`)).toMatchObject({
      isOversize: false,
      body: { length: 1_000 },
    });
  });

  it.each(['headers', 'body'])('ends when its time is up while waiting for the %s', async (part) => {
    const port = await serve((_, response) => {
      if (part === 'body') response.writeHead(200).write('a');
    });
    await expect(get(open(), 'webhook', `http://127.0.0.1:${port}/`, { timeout: 30 })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    });
  });

  it('ends when its caller gives up', async () => {
    const port = await serve(() => controller.abort(new Error('enough')));
    const controller = new AbortController();
    const answer = get(open(), 'webhook', `http://127.0.0.1:${port}/`, { signal: controller.signal });
    await expect(answer).rejects.toThrow('enough');
  });

  it('refuses endless headers', async () => {
    const port = await serve((_, response) => response.writeHead(200, { big: 'x'.repeat(20_000) }).end());
    await expect(get(open(), 'webhook', `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'UND_ERR_HEADERS_OVERFLOW',
    });
  });

  it('names the reason when no server listens', async () => {
    await expect(get(open(), 'webhook', 'http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
