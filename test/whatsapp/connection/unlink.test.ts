import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { endQueries } from '../../../src/whatsapp/baileys/patches/socket-close.ts';
import { unlink } from '../../../src/whatsapp/connection/unlink.ts';

/**
 * Returns the result of unlink(). `query` receives a WebSocket client and answers as Baileys does. The connection
 * closes in the next turn of the event loop. `isUnlinked` is true for the close code of an unlinked device.
 */
async function resultOf(query: (ws: EventEmitter) => Promise<unknown>, isUnlinked: boolean): Promise<boolean> {
  const ws = new EventEmitter();
  const whenClosed = nextTurn(isUnlinked);
  const result = unlink({ socket: { query: () => query(ws) }, jid: '1:2@s.whatsapp.net', whenClosed, timeout: 60_000 });
  // SocketSession does the same when the connection ends. Without a query in flight, `ws` has no listener.
  if (ws.listenerCount('error') > 0) endQueries(ws);
  return result;
}

const unanswered = (ws: EventEmitter) => new Promise((_, reject) => ws.once('error', reject));

describe('unlink', () => {
  it.each([
    ['is confirmed by an answer', async () => ({ tag: 'iq' }), false, true],
    ['is confirmed by a close of the connection that ends the query', unanswered, true, true],
    ['is not confirmed by another close that ends the query', unanswered, false, false],
    ['is not confirmed when the query times out', async () => undefined, true, false],
    ['is not confirmed by a refusal', () => Promise.reject(new Error('not-allowed')), true, false],
  ])('the unlinking of a device %s', async (_, query, isUnlinked, isConfirmed) => {
    expect(await resultOf(query, isUnlinked)).toBe(isConfirmed);
  });
});
