// The event stream of the manager page: its events, a stream that ends or is refused, and a hidden page.
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Feed, StreamEvent } from '../src/types.d.ts';
import { installPage, loadModule } from './page.ts';

interface FeedModule {
  followInstance(feed: Feed, name: string, options: { signal: AbortSignal; onChange: () => void }): Promise<void>;
}
interface FeedState {
  createFeed(): Feed;
}

const createMessage = (id: string, text = id) => ({
  key: { id, remoteJid: '1@s.whatsapp.net', fromMe: false },
  ...{ messageTimestamp: 1, messageType: 'conversation', message: { conversation: text } },
});

/** A stream that the gateway has opened. */
class OpenStream {
  readonly closed = Promise.withResolvers<void>();
  readonly response: Response;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(signal: AbortSignal | null | undefined) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
    });
    signal?.addEventListener('abort', () => {
      this.#controller?.error(signal.reason);
      this.closed.resolve();
    });
    this.response = new Response(body);
  }

  send(id: string, event: string, data: object): void {
    const text = JSON.stringify({ event, data, date_time: '' } satisfies StreamEvent);
    this.#controller?.enqueue(new TextEncoder().encode(`id: ${id}\nevent: ${event}\ndata: ${text}\n\n`));
  }

  end(): void {
    this.#controller?.close();
  }
}

/** Follows an instance. The gateway answers requests for streams with `answers` in turn, and then opens streams. */
async function startFollowing({ answers = [] as Response[], stored = [] as object[] } = {}) {
  const document = installPage();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const streams: OpenStream[] = [];
  const cursors: (string | null)[] = [];
  let searches = 0;
  vi.stubGlobal('fetch', async (url: URL, { signal }: RequestInit) => {
    if (url.pathname.startsWith('/chat/findMessages/')) {
      searches += 1;
      return Response.json({ messages: { total: stored.length, records: stored } });
    }
    cursors.push(url.searchParams.get('after'));
    const answer = answers.shift();
    if (answer) return answer;
    const stream = new OpenStream(signal);
    streams.push(stream);
    return stream.response;
  });
  const { followInstance } = await loadModule<FeedModule>('feed.js');
  const feed = (await loadModule<FeedState>('feed-state.js')).createFeed();
  const controller = new AbortController();
  const changes = new EventTarget();
  void followInstance(feed, 'shop', {
    signal: controller.signal,
    onChange: () => changes.dispatchEvent(new Event('change')),
  });
  onTestFinished(() => {
    controller.abort();
    vi.useRealTimers();
  });
  return {
    ...{ document, feed, streams, cursors },
    searches: () => searches,
    texts: () => [...feed.messages.values()].map(({ text }) => text),
    /** Resolves when a change of the feed fulfills the condition. */
    async waitUntil(condition: () => boolean) {
      while (!condition()) await new Promise((resolve) => changes.addEventListener('change', resolve, { once: true }));
    },
    /** Waits for the next stream that the page opens. */
    async nextStream() {
      const { length } = streams;
      await vi.advanceTimersByTimeAsync(2000);
      const stream = streams[length];
      if (!stream) throw new Error('The page opens no stream.');
      return stream;
    },
  };
}

const createRefusal = (status: number, code: string) =>
  Response.json({ status, code, response: { message: [`refused: ${code}`] } }, { status });

it('followInstance() shows messages with every line separator that JSON allows', async () => {
  const { streams, waitUntil, texts } = await startFollowing();
  await waitUntil(() => streams.length === 1);
  const text = 'one\u2028two\u2029three\u0085four';
  streams[0]?.send('1', 'messages.upsert', createMessage('1', text));
  await waitUntil(() => texts().length > 0);
  expect(texts()).toEqual([text]);
});

it('followInstance() loads stored messages only once when the stream resumes after the last event', async () => {
  const { streams, cursors, waitUntil, texts, searches, feed, nextStream } = await startFollowing({
    stored: [createMessage('stored')],
  });
  await waitUntil(() => texts().length === 1);
  streams[0]?.send('7', 'messages.upsert', createMessage('live'));
  await waitUntil(() => texts().length === 2);
  streams[0]?.end();
  await waitUntil(() => !feed.isLive);
  await nextStream();
  await waitUntil(() => feed.isLive);
  expect([cursors, searches()]).toEqual([['latest', '7'], 1]);
});

it('followInstance() loads missed messages after a stream that ended before its first event', async () => {
  const stored = [createMessage('stored')];
  const { streams, waitUntil, texts, feed, nextStream } = await startFollowing({ stored });
  await waitUntil(() => texts().length === 1);
  streams[0]?.end();
  await waitUntil(() => !feed.isLive);
  stored.unshift(createMessage('missed'));
  await nextStream();
  await waitUntil(() => texts().length === 2);
  expect(texts()).toEqual(['stored', 'missed']);
});

it('followInstance() loads missed messages when the gateway has pruned the events', async () => {
  const answers: Response[] = [];
  const stored = [createMessage('stored')];
  const { streams, cursors, waitUntil, texts, feed, nextStream } = await startFollowing({ answers, stored });
  await waitUntil(() => texts().length === 1);
  streams[0]?.send('7', 'messages.upsert', createMessage('live'));
  await waitUntil(() => texts().length === 2);
  answers.push(createRefusal(410, 'CURSOR_EXPIRED'));
  stored.unshift(createMessage('missed'));
  streams[0]?.end();
  await waitUntil(() => !feed.isLive);
  await nextStream().catch(nextStream);
  await waitUntil(() => texts().length === 3);
  expect([texts(), cursors]).toEqual([
    ['stored', 'live', 'missed'],
    ['latest', '7', 'latest'],
  ]);
  expect(feed.problem).toBe('');
});

it('followInstance() shows the reason for a refused stream and the stored messages, and retries', async () => {
  const answers = [createRefusal(429, 'TOO_MANY_STREAMS')];
  const { waitUntil, texts, feed, nextStream } = await startFollowing({ answers, stored: [createMessage('stored')] });
  await waitUntil(() => texts().length === 1);
  expect([feed.isLive, feed.problem]).toEqual([false, 'refused: TOO_MANY_STREAMS']);
  await nextStream();
  await waitUntil(() => feed.isLive);
  expect(feed.problem).toBe('');
});

it('followInstance() closes the stream while the page is hidden, and resumes it when the page is visible', async () => {
  const { document, streams, cursors, waitUntil, texts, feed } = await startFollowing();
  await waitUntil(() => feed.isLive);
  const [firstStream] = streams;
  firstStream?.send('7', 'messages.upsert', createMessage('seen'));
  await waitUntil(() => texts().length === 1);
  document.setHidden(true);
  await firstStream?.closed.promise;
  await waitUntil(() => !feed.isLive);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(cursors).toEqual(['latest']);
  document.setHidden(false);
  await waitUntil(() => feed.isLive);
  streams[1]?.send('8', 'messages.upsert', createMessage('missed'));
  await waitUntil(() => texts().length === 2);
  expect([texts(), cursors]).toEqual([
    ['seen', 'missed'],
    ['latest', '7'],
  ]);
});
