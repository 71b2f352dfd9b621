// The HTTP server of the fuzzer: a webhook receiver that checks every post against the contract, and hostile pages and
// files for the URLs in cases.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postViolations } from '../support/conforms.ts';

export interface Site {
  readonly url: string;
  /** Number of posts so far. */
  readonly posts: number;
  /** Problems of posts, at most MAX_PROBLEMS. */
  readonly problems: string[];
  /** Received probes as `<instance>|<message id>`. */
  readonly arrivedProbes: Set<string>;
  close(): void;
}

const MAX_PROBLEMS = 100;

export async function startSite(): Promise<Site> {
  let posts = 0;
  const problems: string[] = [];
  const arrivedProbes = new Set<string>();
  const onPost = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    posts += 1;
    const problem = recordPost(Buffer.concat(chunks).toString(), arrivedProbes);
    if (problem && problems.length < MAX_PROBLEMS) problems.push(problem);
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
    problems,
    arrivedProbes,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Records the probes in a post. Returns the problem of the post, or undefined. */
function recordPost(raw: string, arrivedProbes: Set<string>): string | undefined {
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
      if (id.startsWith('PROBE')) arrivedProbes.add(`${instance}|${id}`);
    }
  }
  return postViolations(body);
}

const BOMB = `<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"><filter id="f"><feTurbulence numOctaves="200"/><feMorphology radius="500"/></filter><rect width="9000" height="9000" filter="url(#f)"/></svg>`;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** A small PNG file whose header declares 60,000 × 60,000 pixels. */
function widePng(): Buffer {
  const wide = Buffer.from(PNG);
  wide.writeUInt32BE(60_000, 16);
  wide.writeUInt32BE(60_000, 20);
  return wide;
}

const createHead = (image: string) =>
  `<!doctype html><html><head><title>${'T'.repeat(5_000)}</title><meta property="og:title" content="&amp;&#x0;&#99999999;"><meta property="og:image" content="${image}"><meta property="og:description" content="${'&lt;'.repeat(2_000)}"></head>`;

const pages: Record<string, () => { type: string; body: Buffer | string }> = {
  'page.html': () => ({ type: 'text/html', body: `${createHead('/bomb.svg')}<body>${'<p>'.repeat(2_000)}` }),
  'deep.html': () => ({
    type: 'text/html; charset=utf-7',
    body: `${createHead('/broken.png')}${'<div><svg><b>'.repeat(30_000)}`,
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
