import { expect, it, onTestFinished } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { patchAppStateSync } from '../../../../src/whatsapp/baileys/patches/app-state-sync.ts';
import { patchQueryTimeout } from '../../../../src/whatsapp/baileys/patches/query-timeout.ts';
import { isUnanswered } from '../../../../src/whatsapp/baileys/required-answers.ts';
import type { Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { FakeKeys, linkedCreds } from '../../../support/session-fakes.ts';
import { COLLECTION, createPatches, syncKey, syncKeyId, syncNode } from '../app-state-patches.ts';
import { openRecordedSocket, useSilentServer } from '../recorded-socket.ts';

/** ms */
const QUERY_TIMEOUT = 100;

useSilentServer();

/**
 * Opens a patched socket. `answer(nth)` returns the content of WhatsApp's answer to query number `nth` for the app
 * state, or undefined for no answer.
 */
async function openSocket(answer: (nth: number) => Stanza[] | undefined) {
  const stored = new FakeKeys();
  stored.credsRow = encodeCreds({ ...linkedCreds(), myAppStateKeyId: syncKeyId });
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const { state } = await AuthState.open({ keys: stored, instanceId: 'one', onFailure });
  await state.keys.set({ 'app-state-sync-key': { [syncKeyId]: syncKey } });
  let queryCount = 0;
  const { socket, close } = openRecordedSocket({ auth: state, defaultQueryTimeoutMs: undefined }, (stanza) => {
    const content = stanza.attrs.xmlns === 'w:sync:app:state' ? answer(++queryCount) : undefined;
    return content && { tag: 'iq', attrs: { type: 'result' }, content };
  });
  onTestFinished(() => close());
  patchQueryTimeout(socket.ws, QUERY_TIMEOUT);
  patchAppStateSync(socket.authState.keys);
  return { socket, keys: state.keys, queryCount: () => queryCount };
}

it.each<[string, Stanza[] | undefined, number]>([
  ['no answer', undefined, 1],
  ['an answer without collections', [], 3],
  ['an answer that announces missing patches', [syncNode({ has_more_patches: 'true', version: '9' })], 3],
])('resyncAppState() and chatModify() reject when the answer to the sync is missing or incomplete: %s', async (_, content, expectedQueries) => {
  const { socket, queryCount } = await openSocket(() => content);
  const failures = [
    await socket.resyncAppState([COLLECTION], false).catch((error: unknown) => error),
    await socket.chatModify({ archive: true, lastMessages: [] }, '1@s.whatsapp.net').catch((error: unknown) => error),
  ];
  expect(failures.map(isUnanswered)).toEqual([true, true]);
  expect(queryCount()).toBe(2 * expectedQueries);
});

it('resyncAppState() continues as long as each answer has new patches', async () => {
  const patches = await createPatches(12);
  const { socket, keys, queryCount } = await openSocket((nth) => [
    syncNode({ has_more_patches: String(nth < patches.length), version: String(nth) }, patches.slice(nth - 1, nth)),
  ]);
  await socket.resyncAppState([COLLECTION], false);
  expect(queryCount()).toBe(patches.length);
  expect(await keys.get('app-state-sync-version', [COLLECTION])).toMatchObject({ [COLLECTION]: { version: 12 } });
});

it('resyncAppState() succeeds repeatedly for an unchanged collection', async () => {
  const { socket, queryCount } = await openSocket(() => [syncNode({ version: '0' })]);
  for (let n = 0; n < 6; n++) await socket.resyncAppState([COLLECTION], false);
  expect(queryCount()).toBe(6);
});
