import { addTransactionCapability, type SignalKeyStore } from '@whiskeysockets/baileys';
import { readTcTokenIndex } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js';
import pino from 'pino';
import { expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { withPrivacyTokenIndex } from '../../../../src/whatsapp/baileys/auth/privacy-token-index.ts';
import { FakeKeys } from '../../../support/session-fakes.ts';

const token = (text: string) => ({ token: Buffer.from(text) });
const index = (...jids: string[]) => token(JSON.stringify(jids));

/** Reads the index of privacy tokens in the same way as a Baileys socket. */
const readIndex = (keys: SignalKeyStore) =>
  readTcTokenIndex(
    addTransactionCapability(keys, pino({ level: 'silent' }), { maxCommitRetries: 1, delayBetweenTriesMs: 0 }),
  );

/** Opens a session with wrapped keys. `stop()` resolves when its writes are stored. */
async function openSession(stored: FakeKeys) {
  const auth = await AuthState.open({ keys: stored, instanceId: 'one', onFailure: () => undefined });
  const keys = withPrivacyTokenIndex(auth.state.keys, () => auth.readStoredIds('tctoken'));
  return { keys, stop: () => auth.waitForWrites() };
}

it('withPrivacyTokenIndex() stores privacy tokens without their index', async () => {
  const stored = new FakeKeys();
  const session = await openSession(stored);
  await session.keys.set({ tctoken: { '1@lid': token('a'), __index: index('1@lid') }, 'lid-mapping': { '1': '49' } });
  await session.keys.set({ tctoken: { __index: index('1@lid', '2@lid') } });
  await session.stop();
  expect([...stored.rows.keys()].sort()).toEqual(['lid-mapping|1', 'tctoken|1@lid']);
});

it('withPrivacyTokenIndex() returns the ids of the stored tokens as the index, once per session', async () => {
  const stored = new FakeKeys();
  const first = await openSession(stored);
  await first.keys.set({ tctoken: { '1@lid': token('a'), '2@lid': token('b') } });
  await first.keys.set({ tctoken: { '1@lid': null } });
  await first.stop();
  const second = await openSession(stored);
  expect(await readIndex(second.keys)).toEqual(['2@lid']);
  expect(await readIndex(second.keys)).toEqual([]);
});

it('withPrivacyTokenIndex() ignores an index that an earlier release stored', async () => {
  const stored = new FakeKeys();
  const auth = await AuthState.open({ keys: stored, instanceId: 'one', onFailure: () => undefined });
  await auth.set({ tctoken: { '1@lid': token('a'), __index: index('1@lid', '3@lid') } });
  await auth.waitForWrites();
  expect(await readIndex((await openSession(stored)).keys)).toEqual(['1@lid']);
});

it('withPrivacyTokenIndex() reads and writes tokens and other keys unchanged', async () => {
  const { keys } = await openSession(new FakeKeys());
  await keys.set({ tctoken: { '1@lid': token('a') }, 'identity-key': { x: Buffer.from('key') } });
  expect(await keys.get('tctoken', ['1@lid'])).toEqual({ '1@lid': token('a') });
  expect(await keys.get('identity-key', ['x'])).toEqual({ x: Buffer.from('key') });
});
