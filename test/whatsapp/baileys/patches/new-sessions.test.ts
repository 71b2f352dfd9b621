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
import { FakeKeys, linkedCreds, silent } from '../../fakes.ts';

const JID = '222:3@lid';
const ADDRESS = '222_1.3';

/** Keys that WhatsApp stores for a device. */
function bundleOf({
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

/** A repository of an account, with the patch or without. */
async function start({ isPatched = true, isBroken = false } = {}) {
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

/** A record in which random bytes are replaced by their length, and times by 0. */
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
  it.each([true, false])('stores the session that Baileys stores (one-time key: %s)', async (hasOneTimeKey) => {
    const session = bundleOf({ hasOneTimeKey });
    const shapes = [];
    for (const isPatched of [false, true]) {
      const { repository, record } = await start({ isPatched });
      await repository.injectE2ESession({ jid: JID, session });
      const created = await record();
      expect(Object.values(created?._sessions ?? {})).toMatchObject([
        { indexInfo: { remoteIdentityKey: session.identityKey.toString('base64'), closed: -1 } },
      ]);
      shapes.push(shapeOf(created));
    }
    expect(shapes[1]).toEqual(shapes[0]);
  });

  it('can encrypt with a session at once, and stores it before the frame of the message', async () => {
    const { repository, sessions, auth, stored } = await start();
    await repository.injectE2ESession({ jid: JID, session: bundleOf() });
    expect(sessions.isReady(JID)).toBe(true);
    expect(sessions.encrypt(JID, Buffer.from('padded'))?.type).toBe('pkmsg');
    expect(await auth.waitForWrites()).toBe(true);
    expect([...stored.rows.keys()].filter((key) => key.startsWith('session'))).toEqual([`session|${ADDRESS}`]);
  });

  it('closes the open session of a device that gets a new one, and keeps it for late messages', async () => {
    const { repository, record } = await start();
    await repository.injectE2ESession({ jid: JID, session: bundleOf() });
    const [first = ''] = Object.keys((await record())?._sessions ?? {});
    await repository.injectE2ESession({ jid: JID, session: bundleOf() });
    const sessions = (await record())?._sessions ?? {};
    expect(Object.keys(sessions)).toHaveLength(2);
    expect(sessions[first]?.indexInfo.closed).toBeGreaterThan(0);
    expect(Object.values(sessions).filter(({ indexInfo }) => indexInfo.closed === -1)).toHaveLength(1);
  });

  it('keeps at most 40 sessions of a device that asks for a new one with every message', async () => {
    const { repository, record } = await start();
    const session = bundleOf();
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
  ])('refuses keys with %s, also in a transaction', async (_, parts) => {
    const { repository, record, keys } = await start();
    const session = bundleOf(parts);
    const inject = () => repository.injectE2ESession({ jid: JID, session });
    await expect(inject()).rejects.toThrow(UnusableKeysError);
    await expect(keys.transaction(inject, 'one')).rejects.toThrow(UnusableKeysError);
    expect(await record()).toBeUndefined();
  });

  it('rejects with the error of the store, which is no fault of the keys', async () => {
    const { repository, stored } = await start({ isBroken: true });
    stored.broken = new Error('disk full');
    await expect(repository.injectE2ESession({ jid: JID, session: bundleOf() })).rejects.toBe(stored.broken);
  });

  it('leaves a session in a transaction to Baileys, so that the transaction sees it', async () => {
    const { repository, record, keys } = await start();
    await repository.injectE2ESession({ jid: JID, session: bundleOf() });
    const [first = ''] = Object.keys((await record())?._sessions ?? {});
    await keys.transaction(async () => {
      await keys.get('session', [ADDRESS]);
      await repository.injectE2ESession({ jid: JID, session: bundleOf() });
      const { [ADDRESS]: visible } = await keys.get('session', [ADDRESS]);
      expect(isSessionRecord(visible) && Object.keys(visible._sessions)).toHaveLength(2);
    }, 'one');
    expect((await record())?._sessions[first]?.indexInfo.closed).toBeGreaterThan(0);
  });
});
