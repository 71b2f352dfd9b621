import { generateSignalPubKey, initAuthCreds } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds, encodeKey } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { decryptStored, loadSession } from '../../../../src/whatsapp/baileys/auth/stored-session-decryption.ts';
import { FakeKeys, linkedCreds } from '../../../support/session-fakes.ts';
import { createEncryption, receivingRecord, senderIdentityKey } from '../one-chain-session.ts';

const ADDRESS = '222_1.0';

/** Returns an account with a stored session with a device. `say` returns a message of the device. */
async function startConversation({ address = ADDRESS, isAnswered = true } = {}) {
  const keys = new FakeKeys();
  const creds = linkedCreds();
  keys.credsRow = encodeCreds(creds);
  keys.rows.set(`session|${address}`, encodeKey('session', receivingRecord()));
  const auth = await AuthState.open({ keys, instanceId: 'one', onFailure: () => undefined });
  const encrypt = createEncryption(creds, isAnswered);
  const say = (text: string) => ({ address, ...encrypt(Buffer.from(text)) });
  return { auth, keys, say };
}

describe('decryptStored', () => {
  it('decryptStored() decrypts the next messages of a session after loadSession()', async () => {
    const { auth, keys, say } = await startConversation();
    const [one, two] = [say('one'), say('two')];
    expect(decryptStored(auth, one)).toBeUndefined();
    await loadSession(auth, one);
    const first = decryptStored(auth, one);
    expect(first?.plaintext.toString()).toBe('one');
    if (!first) return;
    auth.putDecrypted(ADDRESS, first.record, [{ type: 'inbound', id: 'row', value: Buffer.from('copy') }]);
    expect(decryptStored(auth, one)).toBeUndefined();
    expect(decryptStored(auth, two)?.plaintext.toString()).toBe('two');
    await auth.waitForWrites();
    expect(keys.transactions.map((writes) => writes.map(({ type }) => type))).toEqual([['session', 'inbound']]);
    expect(JSON.parse(Buffer.from(keys.rows.get(`session|${ADDRESS}`) ?? []).toString())).toEqual(first.record);
  });

  it.each([
    { stored: senderIdentityKey, expected: 'one' },
    { stored: generateSignalPubKey(initAuthCreds().signedIdentityKey.public), expected: undefined },
    { stored: undefined, expected: undefined },
  ])('decryptStored() decrypts a message of type pkmsg only when its identity key is the stored one', async (row) => {
    const { auth, keys, say } = await startConversation({ isAnswered: false });
    if (row.stored) keys.rows.set(`identity-key|${ADDRESS}`, row.stored);
    const message = say('one');
    expect(message.type).toBe('pkmsg');
    await loadSession(auth, message);
    expect(decryptStored(auth, message)?.plaintext.toString()).toBe(row.expected);
  });

  it('decryptStored() returns undefined for the address of a phone number, whose session Baileys can move', async () => {
    const { auth, say } = await startConversation({ address: '5511900000002.0' });
    const message = say('one');
    await loadSession(auth, message);
    expect(decryptStored(auth, message)).toBeUndefined();
  });

  it('decryptStored() and loadSession() throw after the end of the session', async () => {
    const { auth, say } = await startConversation();
    const message = say('one');
    await loadSession(auth, message);
    auth.blockKeys();
    expect(() => decryptStored(auth, message)).toThrow('sealed');
    expect(() => loadSession(auth, message)).toThrow('sealed');
  });
});
