import { addTransactionCapability } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { DeviceSessions } from '../../../../src/whatsapp/baileys/auth/device-sessions.ts';
import { withNewSessions } from '../../../../src/whatsapp/baileys/patches/new-sessions.ts';
import { withSessionEncryption } from '../../../../src/whatsapp/baileys/patches/session-encryption.ts';
import { createSignalRepository } from '../../../../src/whatsapp/baileys/socket.ts';
import { FakeKeys, linkedCreds, silent } from '../../../support/session-fakes.ts';
import { createSignalPeer } from '../signal-peer.ts';

const JID = '222:3@lid';
const ADDRESS = '222_1.3';
/** The JID of the same device with the phone number of the person. */
const NUMBER_JID = '49:3@s.whatsapp.net';
/** Addresses of other devices. With JID, they exceed the limits of the memory, 128 sessions and 256 LIDs. */
const OTHER_ADDRESSES = Array.from({ length: 256 }, (_, index) => `333${index}_1.0`);

/** The JIDs of the devices at OTHER_ADDRESSES with phone numbers. */
const OTHER_NUMBER_JIDS = OTHER_ADDRESSES.map((_, index) => `44${index}@s.whatsapp.net`);

/**
 * Opens the Signal repository of an account that has sessions with a peer at ADDRESS and with OTHER_ADDRESSES.
 * `leftToBaileys` lists the devices for which Baileys' own function encrypts.
 */
async function openRepository() {
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
  const otherSessions: object = {
    session: Object.fromEntries(OTHER_ADDRESSES.map((address) => [address, structuredClone(session)])),
  };
  await auth.set(otherSessions);
  const lids = Object.fromEntries(OTHER_ADDRESSES.map((_, index) => [`44${index}`, `333${index}`]));
  await auth.set({ 'lid-mapping': { 49: '222', ...lids } });
  await auth.waitForWrites();
  return { auth, keys, sessions, repository, peer, leftToBaileys };
}

it.each([
  JID,
  NUMBER_JID,
])('withSessionEncryption() uses no key twice when the session with %s is evicted during a group message', async (jid) => {
  const { auth, keys, sessions, repository, peer } = await openRepository();
  await auth.get('session', [ADDRESS]);
  const [directMessage, groupMessage] = await keys.transaction(async () => {
    await keys.get('session', [ADDRESS]);
    const message = sessions.encrypt(JID, Buffer.from('direct'));
    await auth.waitForWrites();
    await keys.get('session', OTHER_ADDRESSES);
    return [message, await repository.encryptMessage({ jid, data: Buffer.from('in a group') })] as const;
  }, 'account');
  expect(directMessage && (await peer.decrypt(directMessage)).toString()).toBe('direct');
  expect((await peer.decrypt({ ...groupMessage, ciphertext: Buffer.from(groupMessage.ciphertext) })).toString()).toBe(
    'in a group',
  );
});

it('withSessionEncryption() uses no key twice when the LIDs of a large group are evicted from memory', async () => {
  const { auth, keys, sessions, repository, peer, leftToBaileys } = await openRepository();
  // Evicts all LIDs from memory.
  await auth.get(
    'lid-mapping',
    Array.from({ length: 257 }, (_, index) => `55${index}`),
  );
  const [directMessage, [groupMessage]] = await keys.transaction(async () => {
    await keys.get('session', [ADDRESS]);
    const message = sessions.encrypt(JID, Buffer.from('direct'));
    const encrypt = (jid: string) => repository.encryptMessage({ jid, data: Buffer.from('in a group') });
    return [message, await Promise.all([NUMBER_JID, ...OTHER_NUMBER_JIDS].map(encrypt))] as const;
  }, 'account');
  expect(leftToBaileys).toEqual([]);
  expect(directMessage && (await peer.decrypt(directMessage)).toString()).toBe('direct');
  const plaintext =
    groupMessage && (await peer.decrypt({ ...groupMessage, ciphertext: Buffer.from(groupMessage.ciphertext) }));
  expect(plaintext?.toString()).toBe('in a group');
});
