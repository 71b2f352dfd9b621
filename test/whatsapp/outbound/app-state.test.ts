import { EventEmitter } from 'node:events';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { patchAppStateAnswers } from '../../../src/whatsapp/baileys/patches/app-state-answers.ts';
import { changeAppState } from '../../../src/whatsapp/outbound/app-state.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../fakes.ts';

const chat = '15550009002@s.whatsapp.net';
const collection = (attrs: Record<string, string>, ...content: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs, content }] }],
});
const done = collection({ name: 'regular_low', version: '4' });
const refused = (code: string) =>
  collection({ name: 'regular_low', type: 'error' }, { tag: 'error', attrs: { code, text: 'no' } });

/** A session whose library asks one question for each change, and takes every answer for success. */
function asking(...answers: BinaryNode[]) {
  const ws = new EventEmitter();
  patchAppStateAnswers(ws);
  const versions: unknown[] = [];
  const asked: unknown[] = [];
  const session = fakeSession({
    chatModify: async (...change: Parameters<SessionSocket['chatModify']>) => {
      const id = `TAG:${asked.push(change)}`;
      const answered = new Promise((resolve) => ws.once(id, resolve));
      queueMicrotask(() => ws.emit(id, answers.shift() ?? done));
      await answered;
    },
  });
  const { authState } = session.socket;
  Object.assign(authState, { creds: { myAppStateKeyId: 'key' } });
  Object.assign(authState.keys, { set: async (written: object) => void versions.push(written) });
  return { session, asked, versions };
}

const archive = { archive: true, lastMessages: [] };

describe('a change of the shared state', () => {
  it('changeAppState makes a change once when WhatsApp accepts it', async () => {
    const { session, asked, versions } = asking(done);
    await changeAppState(session, archive, chat, 'Failed');
    expect(asked).toEqual([[archive, chat]]);
    expect(versions).toEqual([]);
  });

  it('changeAppState retries a conflicting change from the version before it', async () => {
    const { session, asked, versions } = asking(refused('409'), done);
    await changeAppState(session, archive, chat, 'Failed');
    expect(asked).toHaveLength(2);
    expect(versions).toEqual([{ 'app-state-sync-version': { regular_low: null } }]);
  });

  it.each([
    ['409', 3],
    ['400', 1],
  ])('changeAppState throws for refusal %s after %i attempts and discards the change', async (code, attempts) => {
    const { session, asked, versions } = asking(refused(code), refused(code), refused(code));
    const failed = changeAppState(session, archive, chat, 'Failed');
    await expect(failed).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      certain: true,
      responseMessage: ['Failed', expect.any(String)],
    });
    expect(asked).toHaveLength(attempts);
    expect(versions).toHaveLength(attempts);
  });

  it('changeAppState waits a limited time for the key of a newly linked device', async () => {
    const ev = new EventEmitter();
    const { session } = asking(done);
    Object.assign(session.socket, { ev });
    const { creds } = session.socket.authState;
    creds.myAppStateKeyId = undefined;
    const changed = changeAppState(session, archive, chat, 'Failed');
    creds.myAppStateKeyId = 'key';
    ev.emit('creds.update', {});
    await changed;
    creds.myAppStateKeyId = undefined;
    const late = changeAppState({ ...session, sendTimeout: 5 }, archive, chat, 'Failed');
    await expect(late).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
    expect(ev.listenerCount('creds.update')).toBe(0);
  });
});
