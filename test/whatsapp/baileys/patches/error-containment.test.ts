import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import { createContainedSocket } from '../../../../src/whatsapp/baileys/patches/error-containment.ts';

/** Opens a contained socket. `reports` contains the method (`fail` or `skip`) and the scope of each reported error. */
function openContained() {
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

describe('stanzas of a contained socket', () => {
  it('a contained socket calls the listeners that were added during its creation and later', () => {
    const { ws, onMessage } = openContained();
    const onPairing = vi.fn();
    ws.on('CB:iq,type:set,pair-device', onPairing);
    expect(ws.emit('CB:message', { tag: 'message' })).toBe(true);
    expect(ws.emit('CB:iq,type:set,pair-device', { tag: 'iq' })).toBe(true);
    expect(onMessage).toHaveBeenCalledTimes(1);
    expect(onPairing).toHaveBeenCalledTimes(1);
  });

  it('emit() of a contained socket returns false without a listener for the stanza, also after its removal', () => {
    const { ws } = openContained();
    const [onAnswer, onOther] = [vi.fn(), vi.fn()];
    expect(ws.emit('TAG:1', { tag: 'iq' })).toBe(false);
    ws.once('TAG:1', onAnswer);
    ws.on('TAG:1', onOther);
    ws.off('TAG:1', onOther);
    expect(ws.emit('TAG:1', { tag: 'iq' })).toBe(true);
    expect(ws.emit('TAG:1', { tag: 'iq' })).toBe(false);
    expect(onAnswer).toHaveBeenCalledTimes(1);
    expect(onOther).not.toHaveBeenCalled();
  });

  it('a contained socket calls the other listeners and handles the next stanza after a listener throws', () => {
    const { ws, onMessage, reports } = openContained();
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

  it('a contained socket skips the stanza when an asynchronous listener of CB:ib rejects', async () => {
    const { ws, reports } = openContained();
    ws.on('CB:ib,,dirty', async () => {
      throw new Error('rate-overlimit');
    });
    ws.emit('CB:ib,,dirty', { tag: 'ib' });
    await vi.waitFor(() => expect(reports).toEqual(['skip stanza']));
  });
});
