import { EventEmitter } from 'node:events';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { patchAppStateAnswers } from '../../../src/whatsapp/baileys/patches/app-state-answers.ts';
import { changeAppState } from '../../../src/whatsapp/outbound/app-state.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const chat = '15550009002@s.whatsapp.net';
const collection = (attrs: Record<string, string>, ...content: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs, content }] }],
});
const acceptance = collection({ name: 'regular_low', version: '4' });
const refusal = (code: string) =>
  collection({ name: 'regular_low', type: 'error' }, { tag: 'error', attrs: { code, text: 'no' } });

/**
 * Creates a session whose Baileys sends one query for each change, and takes each answer for success. `answers` answers
 * the queries.
 */
function createSession(...answers: BinaryNode[]) {
  const ws = new EventEmitter();
  patchAppStateAnswers(ws);
  const versions: unknown[] = [];
  const changes: unknown[] = [];
  const session = fakeSession({
    chatModify: async (...change: Parameters<SessionSocket['chatModify']>) => {
      const id = `TAG:${changes.push(change)}`;
      const answered = new Promise((resolve) => ws.once(id, resolve));
      queueMicrotask(() => ws.emit(id, answers.shift() ?? acceptance));
      await answered;
    },
  });
  const { authState } = session.socket;
  Object.assign(authState, { creds: { myAppStateKeyId: 'key' } });
  Object.assign(authState.keys, { set: async (written: object) => void versions.push(written) });
  return { session, changes, versions };
}

const archive = { archive: true, lastMessages: [] };

describe('changes of the app state', () => {
  it('changeAppState() sends a change once when WhatsApp accepts it', async () => {
    const { session, changes, versions } = createSession(acceptance);
    await changeAppState(session, archive, chat, 'Failed');
    expect(changes).toEqual([[archive, chat]]);
    expect(versions).toEqual([]);
  });

  it('changeAppState() retries a conflicting change after it discards the stored version', async () => {
    const { session, changes, versions } = createSession(refusal('409'), acceptance);
    await changeAppState(session, archive, chat, 'Failed');
    expect(changes).toHaveLength(2);
    expect(versions).toEqual([{ 'app-state-sync-version': { regular_low: null } }]);
  });

  it.each([
    ['409', 3],
    ['400', 1],
  ])('changeAppState() throws for error %s after %i attempts and discards the stored version each time', async (code, attempts) => {
    const { session, changes, versions } = createSession(refusal(code), refusal(code), refusal(code));
    const failedChange = changeAppState(session, archive, chat, 'Failed');
    await expect(failedChange).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      certain: true,
      responseMessage: ['Failed', expect.any(String)],
    });
    expect(changes).toHaveLength(attempts);
    expect(versions).toHaveLength(attempts);
  });

  it('changeAppState() waits a limited time for the key of a newly linked device', async () => {
    const ev = new EventEmitter();
    const { session } = createSession(acceptance);
    Object.assign(session.socket, { ev });
    const { creds } = session.socket.authState;
    creds.myAppStateKeyId = undefined;
    const changed = changeAppState(session, archive, chat, 'Failed');
    creds.myAppStateKeyId = 'key';
    ev.emit('creds.update', {});
    await changed;
    creds.myAppStateKeyId = undefined;
    const lateChange = changeAppState({ ...session, sendTimeout: 5 }, archive, chat, 'Failed');
    await expect(lateChange).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
    expect(ev.listenerCount('creds.update')).toBe(0);
  });
});
