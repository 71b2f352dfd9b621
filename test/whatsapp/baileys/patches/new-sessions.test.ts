import { addTransactionCapability, Curve, generateSignalPubKey, signedKeyPair } from '@whiskeysockets/baileys';
import { beforeAll, describe, expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { DeviceSessions } from '../../../../src/whatsapp/baileys/auth/device-sessions.ts';
import { isSessionRecord, type SessionRecord } from '../../../../src/whatsapp/baileys/auth/session-record.ts';
import { withNewSessions } from '../../../../src/whatsapp/baileys/patches/new-sessions.ts';
import {
  installSignatureVerification,
  UnusableKeysError,
} from '../../../../src/whatsapp/baileys/patches/signature-verification.ts';
import { createSignalRepository } from '../../../../src/whatsapp/baileys/socket.ts';
import { FakeKeys, linkedCreds, silent } from '../../../support/session-fakes.ts';

const JID = '222:3@lid';
const ADDRESS = '222_1.3';

/** Creates the keys that WhatsApp stores for a device. */
function createBundle({
  hasOneTimeKey = true,
  signature,
  oneTimeKey,
}: {
  hasOneTimeKey?: boolean;
  signature?: Buffer;
  oneTimeKey?: Buffer;
} = {}) {
  const identity = Curve.generateKeyPair();
  const signed = signedKeyPair(identity, 70_000);
  const toKey = (pair: ReturnType<typeof Curve.generateKeyPair>) => Buffer.from(generateSignalPubKey(pair.public));
  const preKey = { keyId: 300, publicKey: oneTimeKey ?? toKey(Curve.generateKeyPair()) };
  return {
    registrationId: 9,
    identityKey: toKey(identity),
    signedPreKey: {
      keyId: signed.keyId,
      publicKey: toKey(signed.keyPair),
      signature: signature ?? Buffer.from(signed.signature),
    },
    ...(hasOneTimeKey ? { preKey } : {}),
  } as {
    registrationId: number;
    identityKey: Buffer;
    signedPreKey: typeof preKey & { signature: Buffer };
    preKey: typeof preKey;
  };
}

/** Opens the Signal repository of an account, with or without the patch. `isBroken` expects failures of the store. */
async function openRepository({ isPatched = true, isBroken = false } = {}) {
  const stored = new FakeKeys();
  stored.credsRow = encodeCreds(linkedCreds());
  const auth = await AuthState.open({
    keys: stored,
    instanceId: 'one',
    onFailure: (error) => expect(isBroken, String(error)).toBe(true),
  });
  const keys = addTransactionCapability(auth.state.keys, silent, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
  const sessions = new DeviceSessions(auth);
  const create = isPatched ? withNewSessions(createSignalRepository, sessions) : createSignalRepository;
  const repository = create({ creds: auth.creds, keys }, silent, async () => undefined);
  const record = async (): Promise<SessionRecord | undefined> => {
    const { [ADDRESS]: session } = await auth.get('session', [ADDRESS]);
    return isSessionRecord(session) ? session : undefined;
  };
  return { repository, record, sessions, keys, auth, stored };
}

/** Replaces random bytes in a record by their length, and times by 0. */
function shapeOf(record: unknown): unknown {
  const isTime = (key: string) => key === 'used' || key === 'created';
  const shapeOfKey = (key: string) => (key.length === 44 ? '33 bytes' : key);
  if (typeof record === 'string') return Buffer.from(record, 'base64').length;
  if (typeof record !== 'object' || record === null) return record;
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [shapeOfKey(key), isTime(key) ? 0 : shapeOf(value)]),
  );
}

beforeAll(() => {
  installSignatureVerification({ verify: 'strict', log: silent });
});

describe('withNewSessions', () => {
  it.each([
    true,
    false,
  ])('withNewSessions() stores the session that Baileys stores (one-time key: %s)', async (hasOneTimeKey) => {
    const session = createBundle({ hasOneTimeKey });
    const shapes = [];
    for (const isPatched of [false, true]) {
      const { repository, record } = await openRepository({ isPatched });
      await repository.injectE2ESession({ jid: JID, session });
      const created = await record();
      expect(Object.values(created?._sessions ?? {})).toMatchObject([
        { indexInfo: { remoteIdentityKey: session.identityKey.toString('base64'), closed: -1 } },
      ]);
      shapes.push(shapeOf(created));
    }
    expect(shapes[1]).toEqual(shapes[0]);
  });

  it('a session of withNewSessions() can encrypt at once, and is stored when waitForWrites() resolves', async () => {
    const { repository, sessions, auth, stored } = await openRepository();
    await repository.injectE2ESession({ jid: JID, session: createBundle() });
    expect(sessions.isReady(JID)).toBe(true);
    expect(sessions.encrypt(JID, Buffer.from('padded'))?.type).toBe('pkmsg');
    expect(await auth.waitForWrites()).toBe(true);
    expect([...stored.rows.keys()].filter((key) => key.startsWith('session'))).toEqual([`session|${ADDRESS}`]);
  });

  it('withNewSessions() closes the open session of a device that gets a new one, and keeps it for late messages', async () => {
    const { repository, record } = await openRepository();
    await repository.injectE2ESession({ jid: JID, session: createBundle() });
    const [first = ''] = Object.keys((await record())?._sessions ?? {});
    await repository.injectE2ESession({ jid: JID, session: createBundle() });
    const sessions = (await record())?._sessions ?? {};
    expect(Object.keys(sessions)).toHaveLength(2);
    expect(sessions[first]?.indexInfo.closed).toBeGreaterThan(0);
    expect(Object.values(sessions).filter(({ indexInfo }) => indexInfo.closed === -1)).toHaveLength(1);
  });

  it('withNewSessions() keeps at most 40 sessions of a device that gets a new one with each message', async () => {
    const { repository, record } = await openRepository();
    const session = createBundle();
    for (let count = 0; count < 50; count++) await repository.injectE2ESession({ jid: JID, session });
    const sessions = Object.values((await record())?._sessions ?? {});
    expect(sessions).toHaveLength(40);
    expect(sessions.filter(({ indexInfo }) => indexInfo.closed === -1)).toHaveLength(1);
  });

  it.each([
    ['a forged signature', { signature: Buffer.alloc(64, 7) }],
    ['a short signature', { signature: Buffer.alloc(63, 7) }],
    ['no signature', { signature: Buffer.alloc(0) }],
    ['a one-time key of low order', { oneTimeKey: Buffer.concat([Buffer.of(5), Buffer.alloc(32)]) }],
    ['a short one-time key', { oneTimeKey: Buffer.alloc(20, 5) }],
  ])('withNewSessions() rejects keys with %s, also in a transaction', async (_, parts) => {
    const { repository, record, keys } = await openRepository();
    const session = createBundle(parts);
    const inject = () => repository.injectE2ESession({ jid: JID, session });
    await expect(inject()).rejects.toThrow(UnusableKeysError);
    await expect(keys.transaction(inject, 'one')).rejects.toThrow(UnusableKeysError);
    expect(await record()).toBeUndefined();
  });

  it('withNewSessions() rejects with the error of the store when the store fails', async () => {
    const { repository, stored } = await openRepository({ isBroken: true });
    stored.broken = new Error('disk full');
    await expect(repository.injectE2ESession({ jid: JID, session: createBundle() })).rejects.toBe(stored.broken);
  });

  it('withNewSessions() leaves a session in a transaction to Baileys, so that the transaction sees it', async () => {
    const { repository, record, keys } = await openRepository();
    await repository.injectE2ESession({ jid: JID, session: createBundle() });
    const [first = ''] = Object.keys((await record())?._sessions ?? {});
    await keys.transaction(async () => {
      await keys.get('session', [ADDRESS]);
      await repository.injectE2ESession({ jid: JID, session: createBundle() });
      const { [ADDRESS]: visible } = await keys.get('session', [ADDRESS]);
      expect(isSessionRecord(visible) && Object.keys(visible._sessions)).toHaveLength(2);
    }, 'one');
    expect((await record())?._sessions[first]?.indexInfo.closed).toBeGreaterThan(0);
  });
});
