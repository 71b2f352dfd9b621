import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { patchStatusStanzas } from '../../../../src/whatsapp/baileys/patches/status-stanzas.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Patches a socket. Returns its events, and the ids of the acknowledged stanzas in their order. */
function createPatchedSocket() {
  const ws = new EventEmitter();
  const ev = new EventEmitter();
  const acknowledgedIds: string[] = [];
  const sendNode = async ({ attrs }: { attrs: Record<string, string> }) => void acknowledgedIds.push(attrs.id ?? '');
  const socket = { ws, ev, messageMutex: {}, sendNode } as unknown as WASocket;
  const failures: unknown[] = [];
  patchStatusStanzas(socket, { waitForEvents: async () => undefined, onFailure: (error) => failures.push(error) });
  const receive = (id: string) =>
    ws.emit('CB:status', { tag: 'status', attrs: { id, from: 'status@broadcast', participant: '1@lid' } });
  return { ev, acknowledgedIds, receive, failures };
}

it('patchStatusStanzas() acknowledges a status after 30 s without a message', async () => {
  const { acknowledgedIds, receive } = createPatchedSocket();
  receive('A');
  await vi.advanceTimersByTimeAsync(29_000);
  expect(acknowledgedIds).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(acknowledgedIds).toHaveLength(1);
});

it('patchStatusStanzas() waits again with the full time for the message when a status stanza arrives a second time', async () => {
  const { ev, acknowledgedIds, receive, failures } = createPatchedSocket();
  receive('A');
  await vi.advanceTimersByTimeAsync(29_000);
  receive('A');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(acknowledgedIds).toHaveLength(1);
  ev.emit('messages.upsert', { messages: [{ key: { remoteJid: 'status@broadcast', id: 'A' } }] });
  await vi.advanceTimersByTimeAsync(0);
  expect(acknowledgedIds).toHaveLength(2);
  expect(failures).toEqual([]);
});
