// A webhook endpoint for tests: records what is posted, answers as set, and returns posts on arrival, without polling.
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Post {
  /** Path and query, e.g. `/messages-upsert`. */
  path: string;
  headers: Record<string, string>;
  /** The bytes as text, exactly as signed. */
  raw: string;
  /** The same, parsed. */
  body: unknown;
  /** 1 for the first post with this webhook-id at this receiver, 2 for the second … */
  attempt: number;
  /** Epoch ms of arrival. */
  at: number;
  /** What was answered; 0 when the connection was closed instead. */
  status: number;
  /** Throws unless the signature is good for `secret` (standardwebhooks package). */
  verify(secret: string): void;
}

export type Answer = number | 'close' | { status: number; headers?: Record<string, string>; body?: string };

/** Decides the answer to one post; a promise delays it. */
export type Answering = (post: Post) => Answer | Promise<Answer>;

export interface Receiver {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Every post so far, in order of arrival; recorded before it is answered. */
  readonly posts: Post[];
  /** How posts are answered from now on; 200 until it is changed. */
  answer(how: Answering): void;
  /** The first post, past or coming, that matches and was answered; only those from index `after` of `posts` on. */
  next(matches?: (post: Post) => boolean, options?: { after?: number }): Promise<Post>;
  /** Closes the port and every connection; posts can still be read. `start` opens the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Listens on 127.0.0.1, port 0. */
export async function startReceiver(): Promise<Receiver> {
  const posts: Post[] = [];
  const answered = new Set<Post>();
  const attempts = new Map<string, number>();
  const news = new EventEmitter().setMaxListeners(0);
  let answering: Answering = () => 200;
  let port = 0;

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const post = await readPost(request, attempts);
    posts.push(post);
    const answer = await answering(post);
    post.status = send(response, answer);
    answered.add(post);
    news.emit('post', post);
  };
  const server = createServer((request, response) => void onRequest(request, response).catch(() => response.destroy()));
  const start = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    start,
    answer: (how) => {
      answering = how;
    },
    next(matches = () => true, { after = 0 } = {}) {
      const known = posts.slice(after).find((post) => answered.has(post) && matches(post));
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => {
        const look = (post: Post): void => {
          if (posts.indexOf(post) < after || !matches(post)) return;
          news.off('post', look);
          resolve(post);
        };
        news.on('post', look);
      });
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readPost(request: IncomingMessage, attempts: Map<string, number>): Promise<Post> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const id = headers['webhook-id'] ?? '';
  const attempt = (attempts.get(id) ?? 0) + 1;
  attempts.set(id, attempt);
  const body: unknown = raw === '' ? undefined : JSON.parse(raw);
  const verify = (secret: string): void => void new Webhook(secret).verify(raw, headers);
  return { path: request.url ?? '', headers, raw, body, attempt, at: Date.now(), status: 0, verify };
}

function send(response: ServerResponse, answer: Answer): number {
  if (answer === 'close') {
    response.destroy();
    return 0;
  }
  const { status, headers = {}, body = '' } = typeof answer === 'number' ? { status: answer } : answer;
  response.writeHead(status, headers).end(body);
  return status;
}
