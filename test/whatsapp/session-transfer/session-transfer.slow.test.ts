// Conversions of bundles to stored sessions and back, in the worker thread that the gateway uses.
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

/** Shared by all tests, as in a gateway, because the start of its thread takes longer than a conversion. */
const transfer = new SessionTransfer();

const importBundle = (body: unknown) =>
  transfer.runInTurn(async () => {
    await transfer.receive(jsonOf(body));
    return transfer.read(undefined);
  });

const exportSession = (...args: Parameters<SessionTransfer['write']>) =>
  transfer.runInTurn(() => transfer.write(...args));

/** The stored keys of a session, page by page. */
const pagesOf = ({ keys }: Pick<StoredSession, 'keys'>) => ({
  page: async (_instance: string, after: Pick<StoredKey, 'type' | 'id'> | null, limit: number) => {
    const start = after ? keys.findIndex(({ type, id }) => type === after.type && id === after.id) + 1 : 0;
    return keys.slice(start, start + limit);
  },
});

describe('imports of bundles', () => {
  it('an import converts a bundle to stored credentials and keys, with the tasks of the first connection', async () => {
    const bundle = { ...provisionBundle(sandbox, '15550007001', preKeys(600)) };
    bundle.keys.nctSalt = Buffer.alloc(32, 7).toString('base64');
    const { session, account, taken } = await importBundle({ bundle, allowUnencrypted: true });
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

  it('an import sets accountSyncCounter, so that the session does not wait for a history', async () => {
    const bundle = provisionBundle(sandbox, '15550007002');
    delete bundle.credentials.accountSyncCounter;
    const { session } = await importBundle({ bundle, allowUnencrypted: true });
    expect(decodeCreds(session.creds).accountSyncCounter).toBe(1);
  });

  it('an import warns about an old bundle and about an untested proxy', async () => {
    const bundle = provisionBundle(sandbox, '15550007003');
    bundle.createdAt = '2020-01-02T03:04:05.000Z';
    bundle.instance.proxy = { protocol: 'http', host: 'proxy.example', port: 3128 };
    const { warnings } = await importBundle({ bundle, allowUnencrypted: true });
    expect(warnings).toEqual([expect.stringContaining('2020-01-02T03:04:05.000Z'), 'The proxy was not tested.']);
  });

  it('an import accepts a webhook with the longest header that the gateway accepts', async () => {
    const bundle = provisionBundle(sandbox, '15550007011', preKeys(1));
    const headers = { authorization: 'x'.repeat(8000) };
    bundle.instance.webhook = { enabled: true, url: 'https://hook.example/', headers };
    const { instance } = await importBundle({ bundle, allowUnencrypted: true });
    expect(instance.webhook?.headers).toEqual(headers);
  });

  it('an import rejects a bundle that contains the passphrase as an unknown field', async () => {
    const bundle = { ...provisionBundle(sandbox, '15550007012'), passphrase: PASSPHRASE };
    await expect(importBundle({ bundle, allowUnencrypted: true })).rejects.toMatchObject({
      code: 'SESSION_BUNDLE_INVALID',
      message: expect.stringContaining('passphrase is unknown'),
    });
  });

  it('an import keeps nothing of a bundle that was rejected before', async () => {
    await expect(importBundle({ bundle: {} })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const bundle = provisionBundle(sandbox, '15550007004', preKeys(1));
    const { session } = await importBundle({ bundle, allowUnencrypted: true });
    expect(session.keys.map(({ type }) => type)).toEqual(['pre-key', 'gateway-import-task', 'gateway-import-task']);
  });
});

describe('slow imports', () => {
  it('an import is complete after a pause of one minute within its body', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const transfer = new SessionTransfer();
    const bundle = provisionBundle(sandbox, '15550007008', preKeys(3));
    const text = Buffer.from(JSON.stringify({ bundle, allowUnencrypted: true }));
    async function* slowBody() {
      yield text.subarray(0, 100);
      vi.advanceTimersByTime(60_000);
      yield text.subarray(100);
    }
    const { taken } = await transfer.runInTurn(async () => {
      await transfer.receive(slowBody());
      return transfer.read(undefined);
    });
    expect(taken).toEqual({ preKeys: 3 });
  });
});

describe('exports of sessions', () => {
  it('an export returns the imported bundle without the data that only the gateway knows', async () => {
    const bundle = provisionBundle(sandbox, '15550007005', preKeys(600));
    bundle.keys.nctSalt = Buffer.alloc(32, 7).toString('base64');
    const { session } = await importBundle({
      bundle: await encryptBundle(bundle, PASSPHRASE),
      passphrase: PASSPHRASE,
    });
    const label = { type: 'gateway-label', id: '7', value: encodeKey('gateway-label', { name: 'Customers' }) };
    const damaged = { type: 'session', id: '15550007006.0', value: Buffer.from('{') };
    const stored = { ...session, keys: [...session.keys, label, damaged] };
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    const text = await exportSession(pagesOf(stored), 'a', head);
    expect(text.toString()).not.toContain('preKeys');
    const exportedBundle = parseBundle(await decryptBundle(JSON.parse(text.toString()), PASSPHRASE));
    expect(exportedBundle).toEqual({
      ...bundle,
      createdAt: exportedBundle.createdAt,
      credentials: { ...bundle.credentials, accountSyncCounter: 1 },
    });
  });

  it('an export omits the keys that the store cannot decrypt and returns as empty values', async () => {
    const others = [
      { type: 'lid-mapping', id: '15550007006', value: '200000000000001' },
      { type: 'sender-key', id: '4915550001001-16@g.us::15550007006::0', value: Buffer.from('[]') },
    ];
    const bundle = provisionBundle(sandbox, '15550007014', preKeys(3));
    bundle.keys.nctSalt = Buffer.alloc(32, 7).toString('base64');
    const { session } = await importBundle({ bundle, allowUnencrypted: true });
    const keys = [...session.keys, ...others.map((key) => ({ ...key, value: encodeKey(key.type, key.value) }))];
    const unreadable = keys.map((key) =>
      key.type === 'pre-key' && key.id !== '2' ? key : { ...key, value: new Uint8Array() },
    );
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    const text = await exportSession(pagesOf({ keys: unreadable }), 'a', head);
    const exportedBundle = parseBundle(await decryptBundle(JSON.parse(text.toString()), PASSPHRASE));
    expect(Object.keys(exportedBundle.keys.preKeys)).toEqual(['1', '3']);
    expect(exportedBundle.keys).toMatchObject({ lidMap: {}, senderKeys: {} });
    expect(exportedBundle.keys).not.toHaveProperty('nctSalt');
  });

  it.each(['damaged', 'missing'])('an export can be imported when the app state key in use is %s', async (fault) => {
    const syncKey = { keyData: Buffer.alloc(32, 1), fingerprint: { rawId: 1, currentIndex: 0 }, timestamp: 1 };
    const keys = [...preKeys(1), { type: 'app-state-sync-key', id: 'AAAAAAA=', value: syncKey }];
    const bundle = provisionBundle(sandbox, '15550007009', keys);
    bundle.credentials.appStateKeyId = 'AAAAAAA=';
    const { session } = await importBundle({ bundle, allowUnencrypted: true });
    const other = { type: 'app-state-sync-key', id: 'AAAAAAE=', value: encodeKey('app-state-sync-key', syncKey) };
    const isInUse = ({ id }: StoredKey) => id === 'AAAAAAA=';
    const damaged = session.keys
      .filter((key) => fault === 'damaged' || !isInUse(key))
      .map((key) => (isInUse(key) ? { ...key, value: Buffer.from('{') } : key));
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    const text = await exportSession(pagesOf({ keys: [...damaged, other] }), 'a', head);
    const exportedBundle = parseBundle(await decryptBundle(JSON.parse(text.toString()), PASSPHRASE));
    expect(Object.keys(exportedBundle.keys.appStateSyncKeys)).toEqual(['AAAAAAE=']);
    expect(exportedBundle.credentials).not.toHaveProperty('appStateKeyId');
  });

  it('an export rejects a session that no program could import, and names the field', async () => {
    const bundle = provisionBundle(sandbox, '15550007010', preKeys(1));
    const { session } = await importBundle({ bundle, allowUnencrypted: true });
    const instance = { ...bundle.instance, settings: { msgCall: 'ring\u0007' } };
    const head = { instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    await expect(exportSession(pagesOf(session), 'a', head)).rejects.toMatchObject({
      code: 'SESSION_BUNDLE_INVALID',
      message: expect.stringContaining('instance.settings.msgCall'),
    });
  });

  it('an export rejects a session with a wrong signature', async () => {
    const bundle = provisionBundle(sandbox, '15550007013', preKeys(1));
    const { session } = await importBundle({ bundle, allowUnencrypted: true });
    const creds = decodeCreds(session.creds);
    const signature = creds.account?.accountSignature;
    if (!signature) throw new Error('The credentials have no signature.');
    signature[5] = (signature[5] ?? 0) ^ 1;
    const head = { instance: bundle.instance, creds: encodeCreds(creds), source: 'test', passphrase: PASSPHRASE };
    await expect(exportSession(pagesOf(session), 'a', head)).rejects.toMatchObject({
      code: 'SESSION_BUNDLE_INVALID',
      message: expect.stringContaining('credentials.account.accountSignature'),
    });
  });

  it('an export contains no keys of an earlier export that failed', async () => {
    const bundle = provisionBundle(sandbox, '15550007007', preKeys(300));
    const { session } = await importBundle({ bundle, allowUnencrypted: true });
    const head = { instance: bundle.instance, creds: session.creds, source: 'test', passphrase: PASSPHRASE };
    let pages = 0;
    const failingPages = {
      page: async (...args: Parameters<ReturnType<typeof pagesOf>['page']>) => {
        if (pages++ > 0) throw new Error('gone');
        return pagesOf(session).page(...args);
      },
    };
    await expect(exportSession(failingPages, 'a', head)).rejects.toThrow('gone');
    const oneKey = { keys: session.keys.slice(0, 1) };
    const exportedBundle = JSON.parse((await exportSession(pagesOf(oneKey), 'a', head)).toString());
    const { keys } = parseBundle(await decryptBundle(exportedBundle, PASSPHRASE));
    expect(Object.keys(keys.preKeys)).toEqual(['1']);
  });
});

describe('concurrent imports and exports', () => {
  it('SessionTransfer.runInTurn() runs the next call after the previous one has ended', async () => {
    const transfer = new SessionTransfer();
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const calls = [
      transfer.runInTurn(async () => {
        await first.promise;
        order.push('first');
      }),
      transfer.runInTurn(async () => void order.push('second')),
      transfer.runInTurn(async () => void order.push('third')),
    ];
    first.resolve();
    await Promise.all(calls);
    await transfer.runInTurn(async () => void order.push('fourth'));
    expect(order).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('SessionTransfer.runInTurn() throws OVERLOADED after too long a wait, and then accepts the next call', async () => {
    const transfer = new SessionTransfer({ maxWait: 1 });
    const first = Promise.withResolvers<void>();
    const running = transfer.runInTurn(() => first.promise);
    const waitingCall = transfer.runInTurn(async () => 'never');
    await expect(waitingCall).rejects.toMatchObject({ code: 'OVERLOADED', retryAfter: 5 });
    first.resolve();
    await running;
    expect(await transfer.runInTurn(async () => 'served')).toBe('served');
  });
});
