// A webhook endpoint for tests. It records posts, answers them as the test defines, and resolves with posts without
// polling.
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
  /** The parsed JSON of `raw`. Undefined for an empty post. */
  body: unknown;
  /** 1 for the first post with this webhook-id at this receiver, 2 for the second … */
  attempt: number;
  /** Epoch ms of arrival. */
  at: number;
  /** Status of the answer. 0 when the receiver closed the connection without an answer. */
  status: number;
  /** Throws if the signature is not valid for `secret` (standardwebhooks package). */
  verify(secret: string): void;
}

export type Answer = number | 'close' | { status: number; headers?: Record<string, string>; body?: string };

/** Returns the answer to a post. A promise delays the answer. */
export type Answering = (post: Post) => Answer | Promise<Answer>;

export interface Receiver {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** All posts, in order of arrival. A post is recorded before its answer. */
  readonly posts: Post[];
  /** Sets the answers to later posts. The default is 200. */
  answer(how: Answering): void;
  /** Resolves with the first answered post that matches, including past ones. Ignores posts before index `after`. */
  next(matches?: (post: Post) => boolean, options?: { after?: number }): Promise<Post>;
  /** Closes the port and every connection. `posts` can still be read. `start` opens the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a receiver on a free port of 127.0.0.1. */
export async function startReceiver(): Promise<Receiver> {
  const posts: Post[] = [];
  const answeredPosts = new Set<Post>();
  const attempts = new Map<string, number>();
  const events = new EventEmitter().setMaxListeners(0);
  let answering: Answering = () => 200;
  let port = 0;

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const post = await readPost(request, attempts);
    posts.push(post);
    const answer = await answering(post);
    post.status = send(response, answer);
    answeredPosts.add(post);
    events.emit('post', post);
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
    answer: (newAnswering) => {
      answering = newAnswering;
    },
    next(matches = () => true, { after = 0 } = {}) {
      const match = posts.slice(after).find((post) => answeredPosts.has(post) && matches(post));
      if (match) return Promise.resolve(match);
      return new Promise((resolve) => {
        const onPost = (post: Post): void => {
          if (posts.indexOf(post) < after || !matches(post)) return;
          events.off('post', onPost);
          resolve(post);
        };
        events.on('post', onPost);
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
