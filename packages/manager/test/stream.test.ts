// The event stream as the page reads it: what it shows of it, and what it does when it breaks, cannot start or is not
// visible.
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Feed, StreamEvent } from '../types.d.ts';
import { installPage, loadModule } from './page.ts';

interface FeedModule {
  followInstance(feed: Feed, name: string, options: { signal: AbortSignal; onChange: () => void }): Promise<void>;
}
interface FeedState {
  createFeed(): Feed;
}

const message = (id: string, text = id) => ({
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

/** A gateway that answers requests for streams with `answers` in turn, then opens streams. */
async function follow({ answers = [] as Response[], stored = [] as object[] } = {}) {
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
  const changed = new EventTarget();
  void followInstance(feed, 'shop', {
    signal: controller.signal,
    onChange: () => changed.dispatchEvent(new Event('change')),
  });
  onTestFinished(() => {
    controller.abort();
    vi.useRealTimers();
  });
  return {
    ...{ document, feed, streams, cursors },
    searches: () => searches,
    texts: () => [...feed.messages.values()].map(({ text }) => text),
    /** Waits until the page shows what fulfills the condition. */
    async until(condition: () => boolean) {
      while (!condition()) await new Promise((resolve) => changed.addEventListener('change', resolve, { once: true }));
    },
    /** The stream that the page opens next. */
    async nextStream() {
      const { length } = streams;
      await vi.advanceTimersByTimeAsync(2000);
      const stream = streams[length];
      if (!stream) throw new Error('The page opens no stream.');
      return stream;
    },
  };
}

const refusal = (status: number, code: string) =>
  Response.json({ status, code, response: { message: [`refused: ${code}`] } }, { status });

it('shows messages with any line separator that JSON allows', async () => {
  const { streams, until, texts } = await follow();
  await until(() => streams.length === 1);
  const text = 'one\u2028two\u2029three\u0085four';
  streams[0]?.send('1', 'messages.upsert', message('1', text));
  await until(() => texts().length > 0);
  expect(texts()).toEqual([text]);
});

it('loads stored messages once while it resumes after the last event', async () => {
  const { streams, cursors, until, texts, searches, feed, nextStream } = await follow({ stored: [message('stored')] });
  await until(() => texts().length === 1);
  streams[0]?.send('7', 'messages.upsert', message('live'));
  await until(() => texts().length === 2);
  streams[0]?.end();
  await until(() => !feed.isLive);
  await nextStream();
  await until(() => feed.isLive);
  expect([cursors, searches()]).toEqual([['latest', '7'], 1]);
});

it('loads messages that it missed, after a stream that broke before its first event', async () => {
  const stored = [message('stored')];
  const { streams, until, texts, feed, nextStream } = await follow({ stored });
  await until(() => texts().length === 1);
  streams[0]?.end();
  await until(() => !feed.isLive);
  stored.unshift(message('missed'));
  await nextStream();
  await until(() => texts().length === 2);
  expect(texts()).toEqual(['stored', 'missed']);
});

it('loads messages that it missed, when the gateway has pruned the events', async () => {
  const answers: Response[] = [];
  const stored = [message('stored')];
  const { streams, cursors, until, texts, feed, nextStream } = await follow({ answers, stored });
  await until(() => texts().length === 1);
  streams[0]?.send('7', 'messages.upsert', message('live'));
  await until(() => texts().length === 2);
  answers.push(refusal(410, 'CURSOR_EXPIRED'));
  stored.unshift(message('missed'));
  streams[0]?.end();
  await until(() => !feed.isLive);
  await nextStream().catch(nextStream);
  await until(() => texts().length === 3);
  expect([texts(), cursors]).toEqual([
    ['stored', 'live', 'missed'],
    ['latest', '7', 'latest'],
  ]);
  expect(feed.problem).toBe('');
});

it('says why there is no stream, shows the stored messages, and retries', async () => {
  const answers = [refusal(429, 'TOO_MANY_STREAMS')];
  const { until, texts, feed, nextStream } = await follow({ answers, stored: [message('stored')] });
  await until(() => texts().length === 1);
  expect([feed.isLive, feed.problem]).toEqual([false, 'refused: TOO_MANY_STREAMS']);
  await nextStream();
  await until(() => feed.isLive);
  expect(feed.problem).toBe('');
});

it('holds no stream while the page is hidden, and then shows what happened meanwhile', async () => {
  const { document, streams, cursors, until, texts, feed } = await follow();
  await until(() => feed.isLive);
  const [first] = streams;
  first?.send('7', 'messages.upsert', message('seen'));
  await until(() => texts().length === 1);
  document.setHidden(true);
  await first?.closed.promise;
  await until(() => !feed.isLive);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(cursors).toEqual(['latest']);
  document.setHidden(false);
  await until(() => feed.isLive);
  streams[1]?.send('8', 'messages.upsert', message('missed'));
  await until(() => texts().length === 2);
  expect([texts(), cursors]).toEqual([
    ['seen', 'missed'],
    ['latest', '7'],
  ]);
});
