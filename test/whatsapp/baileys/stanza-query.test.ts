import { EventEmitter } from 'node:events';
import { decodeBinaryNode } from '@whiskeysockets/baileys';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { patchQueryTimeout } from '../../../src/whatsapp/baileys/patches/query-timeout.ts';
import { endQueries } from '../../../src/whatsapp/baileys/patches/socket-close.ts';
import { isUnanswered } from '../../../src/whatsapp/baileys/required-answers.ts';
import { StanzaQueries, writeStanza } from '../../../src/whatsapp/baileys/stanza-query.ts';
import type { Socket } from '../../../src/whatsapp/baileys/types.ts';
import { silent } from '../../support/session-fakes.ts';

const QUERY = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'usync' } };
const result = { tag: 'iq', attrs: { type: 'result' } };

/** Creates the queries of a socket that records its frames. With `failure`, its writes fail. */
function setUp({ failure }: { failure?: Error } = {}) {
  const ws = new EventEmitter();
  const frames: Buffer[] = [];
  let count = 0;
  const socket = {
    ws,
    logger: silent,
    generateMessageTag: () => `tag-${++count}`,
    sendRawMessage: async (frame: Buffer) => {
      if (failure) throw failure;
      frames.push(frame);
    },
  } as unknown as Socket;
  patchQueryTimeout(ws, 1_000);
  const queries = new StanzaQueries(socket);
  const idle = ws.eventNames().map((name) => [name, ws.listenerCount(name)]);
  /** Expects that the queries left no listeners and no timers. */
  const expectIdle = () => {
    expect(ws.eventNames().map((name) => [name, ws.listenerCount(name)])).toEqual(idle);
    if (vi.isFakeTimers()) expect(vi.getTimerCount()).toBe(0);
  };
  return { ws, socket, frames, queries, expectIdle };
}

const errorOf = (query: Promise<unknown>) =>
  query.then(
    () => expect.unreachable('the query was answered'),
    (error: unknown) => error,
  );

afterEach(() => void vi.useRealTimers());

describe('StanzaQueries', () => {
  it('StanzaQueries.send() resolves each query with the answer to its id', async () => {
    vi.useFakeTimers();
    const { ws, frames, queries, expectIdle } = setUp();
    const answers = [queries.send(QUERY), queries.send(QUERY)];
    const sent = await Promise.all(frames.map((frame) => decodeBinaryNode(frame)));
    expect(sent.map(({ attrs }) => attrs)).toEqual([
      { ...QUERY.attrs, id: 'tag-1' },
      { ...QUERY.attrs, id: 'tag-2' },
    ]);
    ws.emit('TAG:tag-2', { ...result, content: [{ tag: 'second', attrs: {} }] });
    ws.emit('TAG:tag-1', { ...result, content: [{ tag: 'first', attrs: {} }] });
    expect(await Promise.all(answers)).toMatchObject([
      { content: [{ tag: 'first' }] },
      { content: [{ tag: 'second' }] },
    ]);
    expectIdle();
  });

  it('StanzaQueries.send() rejects with the error code of WhatsApp', async () => {
    const { ws, queries, expectIdle } = setUp();
    const error = errorOf(queries.send(QUERY));
    ws.emit('TAG:tag-1', { ...result, content: [{ tag: 'error', attrs: { code: '403', text: 'forbidden' } }] });
    expect(await error).toMatchObject({ message: 'forbidden', data: 403, output: { statusCode: 500 } });
    expectIdle();
  });

  it('StanzaQueries.send() rejects as unanswered after the timeout', async () => {
    vi.useFakeTimers();
    const { ws, queries, expectIdle } = setUp();
    const error = errorOf(queries.send(QUERY));
    await vi.advanceTimersByTimeAsync(900);
    expect(ws.listenerCount('TAG:tag-1')).toBe(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(isUnanswered(await error)).toBe(true);
    expectIdle();
  });

  it.each([
    ['the connection is lost', (ws: EventEmitter) => ws.emit('close', 1006)],
    ['the session ends', endQueries],
  ])('StanzaQueries.send() rejects all queries in flight when %s', async (_, disconnect) => {
    vi.useFakeTimers();
    const { ws, queries, expectIdle } = setUp();
    const errors = [errorOf(queries.send(QUERY)), errorOf(queries.send(QUERY))];
    disconnect(ws);
    const closed = { message: 'Connection Closed', output: { statusCode: 428 } };
    expect(await Promise.all(errors)).toMatchObject([closed, closed]);
    expectIdle();
  });

  it('StanzaQueries.send() rejects with the error of a write that fails', async () => {
    vi.useFakeTimers();
    const { queries, expectIdle } = setUp({ failure: new Error('not open') });
    await expect(queries.send(QUERY)).rejects.toThrow('not open');
    expectIdle();
  });
});

describe('writeStanza', () => {
  it('writeStanza() rejects a stanza that does not fit into a frame, and writes nothing', async () => {
    const { socket, frames } = setUp();
    const sized = (size: number) => ({ tag: 'message', attrs: {}, content: new Uint8Array(size) });
    await writeStanza(socket, sized(0));
    const overhead = (frames[0]?.length ?? 0) + 4;
    const largest = 0xffffff - 16 - overhead;
    await writeStanza(socket, sized(largest - 100));
    expect(frames.at(-1)?.length).toBeGreaterThan(largest - 100);
    const count = frames.length;
    await expect(writeStanza(socket, sized(largest + 100))).rejects.toMatchObject({ output: { statusCode: 413 } });
    expect(frames).toHaveLength(count);
  });
});
