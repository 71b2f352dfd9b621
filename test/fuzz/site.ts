// What the fuzzer serves: a webhook receiver that holds every post to the contract, and pages and files behind the addresses it writes.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wrongPost } from '../support/conforms.ts';

export interface Site {
  readonly url: string;
  /** Posts so far. */
  readonly posts: number;
  /** What was wrong with posts, at most the first hundred. */
  readonly wrong: string[];
  /** Probes that arrived: instance and id. */
  readonly arrived: Set<string>;
  close(): void;
}

const KEPT = 100;

export async function startSite(): Promise<Site> {
  let posts = 0;
  const wrong: string[] = [];
  const arrived = new Set<string>();
  const onPost = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    posts += 1;
    const problem = read(Buffer.concat(chunks).toString(), arrived);
    if (problem && wrong.length < KEPT) wrong.push(problem);
    response.writeHead(200).end();
  };
  const server = createServer((request, response) => {
    if (request.method === 'POST') void onPost(request, response).catch(() => response.destroy());
    else serve(request.url ?? '/', response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get posts() {
      return posts;
    },
    wrong,
    arrived,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Notes messages; returns what is wrong with the post. */
function read(raw: string, arrived: Set<string>): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(raw);
  } catch {
    return `no JSON: ${raw.slice(0, 500)}`;
  }
  const { event, instance, data } = Object(body);
  if (event === 'messages.upsert') {
    for (const message of Array.isArray(data?.messages) ? data.messages : [data]) {
      const id = String(message?.key?.id);
      if (id.startsWith('PROBE')) arrived.add(`${instance}|${id}`);
    }
  }
  return wrongPost(body);
}

const BOMB = `<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"><filter id="f"><feTurbulence numOctaves="200"/><feMorphology radius="500"/></filter><rect width="9000" height="9000" filter="url(#f)"/></svg>`;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** A PNG header that promises 60,000 × 60,000 pixels. */
function widePng(): Buffer {
  const wide = Buffer.from(PNG);
  wide.writeUInt32BE(60_000, 16);
  wide.writeUInt32BE(60_000, 20);
  return wide;
}

const head = (image: string) =>
  `<!doctype html><html><head><title>${'T'.repeat(5_000)}</title><meta property="og:title" content="&amp;&#x0;&#99999999;"><meta property="og:image" content="${image}"><meta property="og:description" content="${'&lt;'.repeat(2_000)}"></head>`;

const pages: Record<string, () => { type: string; body: Buffer | string }> = {
  'page.html': () => ({ type: 'text/html', body: `${head('/bomb.svg')}<body>${'<p>'.repeat(2_000)}` }),
  'deep.html': () => ({
    type: 'text/html; charset=utf-7',
    body: `${head('/broken.png')}${'<div><svg><b>'.repeat(30_000)}`,
  }),
  'bomb.svg': () => ({ type: 'image/png', body: BOMB }),
  'broken.png': () => ({ type: 'image/png', body: PNG.subarray(0, 50) }),
  'wide.png': () => ({ type: 'image/png', body: widePng() }),
  'small.jpg': () => ({ type: 'image/jpeg', body: PNG }),
  'text.txt': () => ({ type: 'text/plain', body: 'text' }),
};

function serve(url: string, response: ServerResponse): void {
  const name = url
    .replace(/[?#].*/s, '')
    .replace(/^\/+/, '')
    .replace(/[).,\]}]+$/, '');
  const page = pages[name];
  if (page) {
    const { type, body } = page();
    response.writeHead(200, { 'content-type': type }).end(body);
  } else if (name === 'redirect') response.writeHead(302, { location: `/redirect?${Math.min(url.length, 500)}` }).end();
  else if (name === 'endless') response.writeHead(200, { 'content-type': 'image/png' }).write(PNG);
  else response.writeHead(name.startsWith('status/') ? 500 : 404).end();
}
