import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import { createContainedSocket } from '../../../../src/whatsapp/baileys/patches/error-containment.ts';

/** A contained socket, with the errors that were reported: the kind of report and its scope. */
function contained() {
  const reports: string[] = [];
  const errors = {
    fail: (_error: unknown, scope: string) => reports.push(`fail ${scope}`),
    skip: (_error: unknown, scope: string) => reports.push(`skip ${scope}`),
  };
  const onMessage = vi.fn();
  const create = () => {
    const ws = new EventEmitter();
    ws.on('CB:message', onMessage);
    const ev = new EventEmitter();
    return { ws, ev } as unknown as Pick<WASocket, 'ws' | 'ev'>;
  };
  return { ...createContainedSocket(create, errors), onMessage, reports };
}

describe('the stanzas of a contained socket', () => {
  it('a listener gets its stanza whether it was added with the socket or later', () => {
    const { ws, onMessage } = contained();
    const onPairing = vi.fn();
    ws.on('CB:iq,type:set,pair-device', onPairing);
    expect(ws.emit('CB:message', { tag: 'message' })).toBe(true);
    expect(ws.emit('CB:iq,type:set,pair-device', { tag: 'iq' })).toBe(true);
    expect(onMessage).toHaveBeenCalledTimes(1);
    expect(onPairing).toHaveBeenCalledTimes(1);
  });

  it('a stanza without a listener is reported as such, also after its listener was removed', () => {
    const { ws } = contained();
    const [answer, other] = [vi.fn(), vi.fn()];
    expect(ws.emit('TAG:1', { tag: 'iq' })).toBe(false);
    ws.once('TAG:1', answer);
    ws.on('TAG:1', other);
    ws.off('TAG:1', other);
    expect(ws.emit('TAG:1', { tag: 'iq' })).toBe(true);
    expect(ws.emit('TAG:1', { tag: 'iq' })).toBe(false);
    expect(answer).toHaveBeenCalledTimes(1);
    expect(other).not.toHaveBeenCalled();
  });

  it('a listener that throws stops neither the other listeners nor the next stanza', () => {
    const { ws, onMessage, reports } = contained();
    const onLate = vi.fn();
    onMessage.mockImplementationOnce(() => {
      throw new TypeError('a malformed message');
    });
    ws.on('CB:message', onLate);
    ws.emit('CB:message', { tag: 'message' });
    ws.emit('CB:message', { tag: 'message' });
    expect(onLate).toHaveBeenCalledTimes(2);
    expect(reports).toEqual(['skip stanza']);
  });

  it('an asynchronous listener of information of the server that rejects does not end the session', async () => {
    const { ws, reports } = contained();
    ws.on('CB:ib,,dirty', async () => {
      throw new Error('rate-overlimit');
    });
    ws.emit('CB:ib,,dirty', { tag: 'ib' });
    await vi.waitFor(() => expect(reports).toEqual(['skip stanza']));
  });
});
