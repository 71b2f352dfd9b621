// The server of an integrator. It receives webhooks and serves files.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Events } from './events.ts';
import { picture, priceList } from './files.ts';

const files: Record<string, { type: string; bytes: Buffer }> = {
  'picture.png': { type: 'image/png', bytes: picture },
  'price-list.pdf': { type: 'application/pdf', bytes: priceList },
};

export interface Hook {
  /** Base URL. `<url>/hook` receives posts. `<url>/picture.png` and `<url>/price-list.pdf` are files. */
  readonly url: string;
  readonly events: Events;
  /** Headers of the posts, in order of arrival. */
  readonly headers: readonly Record<string, unknown>[];
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. With `byEvents`, every event has its own path: `<url>/hook/<name>`, with `-` in place of `.`.
 */
export async function startHook({ byEvents = false } = {}): Promise<Hook> {
  const events = new Events();
  const headers: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://hook');
    const file = files[pathname.slice(1)];
    if (request.method === 'GET') {
      response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain' }).end(file?.bytes);
      return;
    }
    const body: unknown = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const event = typeof body === 'object' && body !== null ? String(Reflect.get(body, 'event')) : '';
    const expected = byEvents ? `/hook/${event.replaceAll('.', '-')}` : '/hook';
    if (pathname !== expected) throw new Error(`${event} was posted to ${pathname}`);
    headers.push(request.headers);
    events.add(event, body);
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    events,
    headers,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}
