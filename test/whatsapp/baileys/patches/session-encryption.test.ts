import { addTransactionCapability } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { DeviceSessions } from '../../../../src/whatsapp/baileys/auth/device-sessions.ts';
import { withNewSessions } from '../../../../src/whatsapp/baileys/patches/new-sessions.ts';
import { withSessionEncryption } from '../../../../src/whatsapp/baileys/patches/session-encryption.ts';
import { createSignalRepository } from '../../../../src/whatsapp/baileys/socket.ts';
import { FakeKeys, linkedCreds, silent } from '../../fakes.ts';
import { createSignalPeer } from '../signal-peer.ts';

const JID = '222:3@lid';
const ADDRESS = '222_1.3';
/** The same device with the number of the person. */
const NUMBER_JID = '49:3@s.whatsapp.net';
/** More other devices than there are sessions and LIDs in memory. */
const OTHERS = Array.from({ length: 256 }, (_, index) => `333${index}_1.0`);

/** The devices at OTHERS with the numbers of the persons. */
const OTHER_NUMBER_JIDS = OTHERS.map((_, index) => `44${index}@s.whatsapp.net`);

/**
 * A repository of an account that has sessions with a peer at ADDRESS, and with OTHERS. `leftToBaileys` lists the
 * devices for which Baileys' own function encrypts.
 */
async function start() {
  const stored = new FakeKeys();
  stored.credsRow = encodeCreds(linkedCreds());
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const auth = await AuthState.open({ keys: stored, instanceId: 'one', onFailure });
  const keys = addTransactionCapability(auth.state.keys, silent, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
  const sessions = new DeviceSessions(auth);
  const leftToBaileys: string[] = [];
  const createOriginal: typeof createSignalRepository = (...parameters) => {
    const original = withNewSessions(createSignalRepository, sessions)(...parameters);
    const { encryptMessage } = original;
    original.encryptMessage = (options) => {
      leftToBaileys.push(options.jid);
      return encryptMessage.call(original, options);
    };
    return original;
  };
  const create = withSessionEncryption(createOriginal, sessions);
  const repository = create({ creds: auth.creds, keys }, silent, async () => undefined);
  const peer = createSignalPeer();
  await repository.injectE2ESession({ jid: JID, session: peer.bundle });
  const session = auth.peek('session', ADDRESS);
  const others: object = { session: Object.fromEntries(OTHERS.map((address) => [address, structuredClone(session)])) };
  await auth.set(others);
  const lids = Object.fromEntries(OTHERS.map((_, index) => [`44${index}`, `333${index}`]));
  await auth.set({ 'lid-mapping': { 49: '222', ...lids } });
  await auth.waitForWrites();
  return { auth, keys, sessions, repository, peer, leftToBaileys };
}

it.each([
  JID,
  NUMBER_JID,
])('uses no key twice when the session with %s leaves the memory during a message to a large group', async (jid) => {
  const { auth, keys, sessions, repository, peer } = await start();
  await auth.get('session', [ADDRESS]);
  const [direct, inGroup] = await keys.transaction(async () => {
    await keys.get('session', [ADDRESS]);
    const message = sessions.encrypt(JID, Buffer.from('direct'));
    await auth.waitForWrites();
    await keys.get('session', OTHERS);
    return [message, await repository.encryptMessage({ jid, data: Buffer.from('in a group') })] as const;
  }, 'account');
  expect(direct && (await peer.decrypt(direct)).toString()).toBe('direct');
  expect((await peer.decrypt({ ...inGroup, ciphertext: Buffer.from(inGroup.ciphertext) })).toString()).toBe(
    'in a group',
  );
});

it('uses no key twice when the LIDs of a large group with phone numbers leave the memory', async () => {
  const { auth, keys, sessions, repository, peer, leftToBaileys } = await start();
  // All LIDs leave the memory.
  await auth.get(
    'lid-mapping',
    Array.from({ length: 257 }, (_, index) => `55${index}`),
  );
  const [direct, [inGroup]] = await keys.transaction(async () => {
    await keys.get('session', [ADDRESS]);
    const message = sessions.encrypt(JID, Buffer.from('direct'));
    const encrypt = (jid: string) => repository.encryptMessage({ jid, data: Buffer.from('in a group') });
    return [message, await Promise.all([NUMBER_JID, ...OTHER_NUMBER_JIDS].map(encrypt))] as const;
  }, 'account');
  expect(leftToBaileys).toEqual([]);
  expect(direct && (await peer.decrypt(direct)).toString()).toBe('direct');
  const plaintext = inGroup && (await peer.decrypt({ ...inGroup, ciphertext: Buffer.from(inGroup.ciphertext) }));
  expect(plaintext?.toString()).toBe('in a group');
});
