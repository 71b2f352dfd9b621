// Bundles that become stored sessions and the other way round, by the thread that the gateway uses.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox } from '../../../packages/sandbox/src/sandbox.ts';
import { decryptBundle, encryptBundle } from '../../../src/session-bundle/envelope.ts';
import { parseBundle } from '../../../src/session-bundle/parse.ts';
import type { StoredKey, StoredSession } from '../../../src/storage/storage.ts';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from '../../../src/whatsapp/baileys/auth/codec.ts';
import { SessionTransfer } from '../../../src/whatsapp/session-transfer/session-transfer.ts';
import { PASSPHRASE, preKeys, provisionBundle } from '../../support/bundles.ts';

const sandbox = await createSandbox({ tlsPort: false });
await sandbox.close();

const jsonOf = (value: unknown) => [Buffer.from(JSON.stringify(value))];

/** One for all tests, as in a gateway: starting its thread takes longer than a conversion. */
const transfer = new SessionTransfer();

const read = (body: unknown) =>
  transfer.runInTurn(async () => {
    await transfer.receive(jsonOf(body));
    return transfer.read(undefined);
  });

const write = (...given: Parameters<SessionTransfer['write']>) => transfer.runInTurn(() => transfer.write(...given));

/** The stored keys of a session, in pages. */
const pagesOf = ({ keys }: Pick<StoredSession, 'keys'>) => ({
  page: async (_instance: string, after: Pick<StoredKey, 'type' | 'id'> | null, limit: number) => {
    const start = after ? keys.findIndex(({ type, id }) => type === after.type && id === after.id) + 1 : 0;
    return keys.slice(start, start + limit);
  },
});

describe('a bundle that is imported', () => {
  it('becomes credentials and keys as the gateway stores them, with the tasks of the first connection', async () => {
    const bundle = { ...provisionBundle(sandbox, '15550007001', preKeys(600)) };
    bundle.keys.nctSalt = Buffer.alloc(32, 7).toString('base64');
    const { session, account, taken } = await read({ bundle, allowUnencrypted: true });
    expect(account.deviceJid).toBe(bundle.credentials.me.id);
    expect(taken).toEqual({ preKeys: 600, nctSalt: 1 });
    expect(decodeCreds(session.creds).me?.id).toBe(bundle.credentials.me.id);
    expect(session.keys.filter(({ type }) => type === 'pre-key')).toHaveLength(600);
    const [, second] = session.keys;
    expect(second && decodeKey(second.type, second.value)).toEqual({
      private: Buffer.from(bundle.keys.preKeys['2']?.private ?? '', 'base64'),
      public: Buffer.from(bundle.keys.preKeys['2']?.public ?? '', 'base64'),
    });
    const others = session.keys.filter(({ type }) => type !== 'pre-key').map(({ type, id }) => `${type}|${id}`);
    expect(others).toEqual(['gateway-nct-salt|salt', 'gateway-import-task|app-state', 'gateway-import-task|pre-keys']);
  });

  it('does not wait for a history, which only a new link brings', async () => {
    const bundle = provisionBundle(sandbox, '15550007002');
    delete bundle.credentials.accountSyncCounter;
    const { session } = await read({ bundle, allowUnencrypted: true });
    expect(decodeCreds(session.creds).accountSyncCounter).toBe(1);
  });

  it('is announced as old when it is, and its proxy as untested', async () => {
    const bundle = provisionBundle(sandbox, '15550007003');
    bundle.createdAt = '2020-01-02T03:04:05.000Z';
    bundle.instance.proxy = { protocol: 'http', host: 'proxy.example', port: 3128 };
    const { warnings } = await read({ bundle, allowUnencrypted: true });
    expect(warnings).toEqual([expect.stringContaining('2020-01-02T03:04:05.000Z'), 'The proxy was not tested.']);
  });

  it('takes a webhook with the longest header that the gateway accepts', async () => {
    const bundle = provisionBundle(sandbox, '15550007011', preKeys(1));
    const headers = { authorization: 'x'.repeat(8000) };
    bundle.instance.webhook = { enabled: true, url: 'https://hook.example/', headers };
    const { instance } = await read({ bundle, allowUnencrypted: true });
    expect(instance.webhook?.headers).toEqual(headers);
  });

  it('is called wrong, and not its passphrase, when the passphrase is a field of the bundle', async () => {
    const bundle = { ...provisionBundle(sandbox, '15550007012'), passphrase: PASSPHRASE };
    await expect(read({ bundle, allowUnencrypted: true })).rejects.toMatchObject({
      code: 'SESSION_BUNDLE_INVALID',
      message: expect.stringContaining('passphrase is unknown'),
    });
  });

  it('does not keep anything of a bundle that was refused before', async () => {
    await expect(read({ bundle: {} })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const bundle = provisionBundle(sandbox, '15550007004', preKeys(1));
    const { session } = await read({ bundle, allowUnencrypted: true });
    expect(session.keys.map(({ type }) => type)).toEqual(['pre-key', 'gateway-import-task', 'gateway-import-task']);
  });
});

describe('a bundle that arrives slowly', () => {
  it('is imported completely after a pause of a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const transfer = new SessionTransfer();
    const bundle = provisionBundle(sandbox, '15550007008', preKeys(3));
    const text = Buffer.from(JSON.stringify({ bundle, allowUnencrypted: true }));
    async function* slowly() {
      yield text.subarray(0, 100);
      vi.advanceTimersByTime(60_000);
      yield text.subarray(100);
    }
    const { taken } = await transfer.runInTurn(async () => {
      await transfer.receive(slowly());
      return transfer.read(undefined);
    });
    expect(taken).toEqual({ preKeys: 3 });
  });
});

describe('a session that is exported', () => {
  it('gives the bundle it came from, without what only the gateway knows', async () => {
    const bundle = provisionBundle(sandbox, '15550007005', preKeys(600));
    bundle.keys.nctSalt = Buffer.alloc(32, 7).toString('base64');
    const { session } = await read({
      bundle: await encryptBundle(bundle, PASSPHRASE),
      passphrase: PASSPHRASE,
    });
    const label = { type: 'gateway-label', id: '7', value: encodeKey('gateway-label', { name: 'Customers' }) };
    const damaged = { type: 'session', id: '15550007006.0', value: Buffer.from('{') };
    const stored = { ...session, keys: [...session.keys, label, damaged] };
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    const text = await write(pagesOf(stored), 'a', head);
    expect(text.toString()).not.toContain('preKeys');
    const written = parseBundle(await decryptBundle(JSON.parse(text.toString()), PASSPHRASE));
    expect(written).toEqual({
      ...bundle,
      createdAt: written.createdAt,
      credentials: { ...bundle.credentials, accountSyncCounter: 1 },
    });
  });

  it('lacks the keys that the store cannot decrypt, for which it gives empty values', async () => {
    const others = [
      { type: 'lid-mapping', id: '15550007006', value: '200000000000001' },
      { type: 'sender-key', id: '4915550001001-16@g.us::15550007006::0', value: Buffer.from('[]') },
    ];
    const bundle = provisionBundle(sandbox, '15550007014', preKeys(3));
    bundle.keys.nctSalt = Buffer.alloc(32, 7).toString('base64');
    const { session } = await read({ bundle, allowUnencrypted: true });
    const keys = [...session.keys, ...others.map((key) => ({ ...key, value: encodeKey(key.type, key.value) }))];
    const unreadable = keys.map((key) =>
      key.type === 'pre-key' && key.id !== '2' ? key : { ...key, value: new Uint8Array() },
    );
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    const text = await write(pagesOf({ keys: unreadable }), 'a', head);
    const written = parseBundle(await decryptBundle(JSON.parse(text.toString()), PASSPHRASE));
    expect(Object.keys(written.keys.preKeys)).toEqual(['1', '3']);
    expect(written.keys).toMatchObject({ lidMap: {}, senderKeys: {} });
    expect(written.keys).not.toHaveProperty('nctSalt');
  });

  it.each(['damaged', 'missing'])('can be imported when the app state key in use is %s', async (fault) => {
    const syncKey = { keyData: Buffer.alloc(32, 1), fingerprint: { rawId: 1, currentIndex: 0 }, timestamp: 1 };
    const keys = [...preKeys(1), { type: 'app-state-sync-key', id: 'AAAAAAA=', value: syncKey }];
    const bundle = provisionBundle(sandbox, '15550007009', keys);
    bundle.credentials.appStateKeyId = 'AAAAAAA=';
    const { session } = await read({ bundle, allowUnencrypted: true });
    const other = { type: 'app-state-sync-key', id: 'AAAAAAE=', value: encodeKey('app-state-sync-key', syncKey) };
    const isInUse = ({ id }: StoredKey) => id === 'AAAAAAA=';
    const damaged = session.keys
      .filter((key) => fault === 'damaged' || !isInUse(key))
      .map((key) => (isInUse(key) ? { ...key, value: Buffer.from('{') } : key));
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    const text = await write(pagesOf({ keys: [...damaged, other] }), 'a', head);
    const written = parseBundle(await decryptBundle(JSON.parse(text.toString()), PASSPHRASE));
    expect(Object.keys(written.keys.appStateSyncKeys)).toEqual(['AAAAAAE=']);
    expect(written.credentials).not.toHaveProperty('appStateKeyId');
  });

  it('is refused when no program could import it, with the field', async () => {
    const bundle = provisionBundle(sandbox, '15550007010', preKeys(1));
    const { session } = await read({ bundle, allowUnencrypted: true });
    const instance = { ...bundle.instance, settings: { msgCall: 'ring\u0007' } };
    const head = { instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    await expect(write(pagesOf(session), 'a', head)).rejects.toMatchObject({
      code: 'SESSION_BUNDLE_INVALID',
      message: expect.stringContaining('instance.settings.msgCall'),
    });
  });

  it('is refused when a signature is wrong, because every gateway refuses such a bundle', async () => {
    const bundle = provisionBundle(sandbox, '15550007013', preKeys(1));
    const { session } = await read({ bundle, allowUnencrypted: true });
    const creds = decodeCreds(session.creds);
    const signature = creds.account?.accountSignature;
    if (!signature) throw new Error('The credentials have no signature.');
    signature[5] = (signature[5] ?? 0) ^ 1;
    const head = { instance: bundle.instance, creds: encodeCreds(creds), source: 'test', passphrase: PASSPHRASE };
    await expect(write(pagesOf(session), 'a', head)).rejects.toMatchObject({
      code: 'SESSION_BUNDLE_INVALID',
      message: expect.stringContaining('credentials.account.accountSignature'),
    });
  });

  it('has no keys of another session when the keys of that one could not be read', async () => {
    const bundle = provisionBundle(sandbox, '15550007007', preKeys(300));
    const { session } = await read({ bundle, allowUnencrypted: true });
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    let pages = 0;
    const failing = {
      page: async (...given: Parameters<ReturnType<typeof pagesOf>['page']>) => {
        if (pages++ > 0) throw new Error('gone');
        return pagesOf(session).page(...given);
      },
    };
    await expect(write(failing, 'a', head)).rejects.toThrow('gone');
    const one = { keys: session.keys.slice(0, 1) };
    const written = JSON.parse((await write(pagesOf(one), 'a', head)).toString());
    const { keys } = parseBundle(await decryptBundle(written, PASSPHRASE));
    expect(Object.keys(keys.preKeys)).toEqual(['1']);
  });
});

describe('a second import or export', () => {
  it('waits until the first has ended', async () => {
    const transfer = new SessionTransfer();
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const ends = [
      transfer.runInTurn(async () => {
        await first.promise;
        order.push('first');
      }),
      transfer.runInTurn(async () => void order.push('second')),
      transfer.runInTurn(async () => void order.push('third')),
    ];
    first.resolve();
    await Promise.all(ends);
    await transfer.runInTurn(async () => void order.push('fourth'));
    expect(order).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('is refused when that takes too long, and the next one is served', async () => {
    const transfer = new SessionTransfer({ maxWait: 1 });
    const first = Promise.withResolvers<void>();
    const running = transfer.runInTurn(() => first.promise);
    const refused = transfer.runInTurn(async () => 'never');
    await expect(refused).rejects.toMatchObject({ code: 'OVERLOADED', retryAfter: 5 });
    first.resolve();
    await running;
    expect(await transfer.runInTurn(async () => 'served')).toBe('served');
  });
});
