// The routes of the inbox, a webhook receiver in the control API. The inbox stores what is posted to it. A caller can
// list the posts and wait for an event.
import { EventEmitter, once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../lib/clock.ts';

/** Maximum number of stored posts; the oldest are removed. */
const MAX_POSTS = 1000;
/** Maximum size of all stored posts as JSON; the oldest are removed. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;
/** Maximum time that a request waits for the first post of an event. */
const MAX_WAIT_MS = 30_000;

interface Post {
  /** ISO time of arrival, UTC. */
  at: string;
  headers: Record<string, unknown>;
  body: unknown;
}

interface StoredPost {
  post: Post;
  /** Size of the post as JSON. */
  bytes: number;
}

const isEvent = (post: Post, event: string) =>
  typeof post.body === 'object' && post.body !== null && Reflect.get(post.body, 'event') === event;

/**
 * Adds the routes of the inbox. `POST /inbox` and `/inbox/*` (for webhooks with one URL per event) store a post. The
 * last 1000 posts are kept, or fewer when together they are larger than `maxBytes`. `GET /inbox` returns all posts,
 * oldest first. `GET /inbox?event=` returns the posts of one event. When there is none, it waits for the first one: up
 * to 30 s, or until the API closes. `DELETE /inbox` removes all posts.
 */
export function addInbox(app: FastifyInstance, { maxBytes = MAX_STORED_BYTES } = {}): void {
  const stored: StoredPost[] = [];
  let storedBytes = 0;
  // 0: no limit, because each waiting request adds a listener.
  const arrivals = new EventEmitter().setMaxListeners(0);
  /** One controller per request that waits for an event. Its abort() ends the wait. */
  const pendingWaits = new Set<AbortController>();
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const wait of pendingWaits) wait.abort();
  });

  /** Resolves when a post of the event is stored, after MAX_WAIT_MS, or when the API closes. */
  async function waitForEvent(event: string): Promise<void> {
    const wait = new AbortController();
    const timer = systemClock.after(MAX_WAIT_MS, () => wait.abort());
    pendingWaits.add(wait);
    while (!isClosing && !wait.signal.aborted && !stored.some(({ post }) => isEvent(post, event))) {
      // once() rejects when the wait is aborted; the loop then ends.
      await once(arrivals, 'post', { signal: wait.signal }).catch(() => undefined);
    }
    pendingWaits.delete(wait);
    timer.cancel();
  }

  const receive = async (headers: Record<string, unknown>, body: unknown) => {
    const post = { at: new Date(systemClock.now()).toISOString(), headers, body };
    const bytes = Buffer.byteLength(JSON.stringify(post));
    stored.push({ post, bytes });
    storedBytes += bytes;
    while (stored.length > MAX_POSTS || storedBytes > maxBytes) storedBytes -= stored.shift()?.bytes ?? 0;
    arrivals.emit('post');
    return { received: true };
  };
  app.post('/inbox', (request) => receive(request.headers, request.body));
  app.post('/inbox/*', (request) => receive(request.headers, request.body));
  app.delete('/inbox', async () => {
    storedBytes = 0;
    return { removed: stored.splice(0).length };
  });
  app.get<{ Querystring: { event?: string } }>('/inbox', async (request) => {
    const { event } = request.query;
    if (event === undefined) return stored.map(({ post }) => post);
    await waitForEvent(event);
    return stored.flatMap(({ post }) => (isEvent(post, event) ? [post] : []));
  });
}
