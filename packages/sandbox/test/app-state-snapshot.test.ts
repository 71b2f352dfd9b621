// Snapshots of the app state: one file per collection, which a client downloads instead of all patches.
import {
  type BinaryNode,
  decodePatches,
  decodeSyncdSnapshot,
  downloadContentFromMessage,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  proto,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrust } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import type { Account } from '../src/world/model.ts';
import { pnJid } from '../src/world/world.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let trust: ReturnType<typeof createTrust>;
let number = 15_550_035_000;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
  trust = createTrust({ network: 'sandbox', url: sandbox.platformUrl, ca: sandbox.caPem });
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});

const friend = () => pnJid(sandbox.world.account('15550035900'));
const rename = (account: Account, fullName: string) =>
  sandbox.phones.phoneAppState.change(account, { contact: { fullName } }, friend());

async function login(account: Account): Promise<RawClient> {
  return RawClient.connect(sandbox.platformUrl, sandbox.provision(account.number));
}

/** Queries the `<collection>` of contacts as a client that has this version. */
async function queryContacts(client: RawClient, version: string, wantsSnapshot: string): Promise<BinaryNode> {
  const attrs = { name: 'critical_unblock_low', version, return_snapshot: wantsSnapshot };
  const sync = { tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs }] };
  const answer = await client.ask({ xmlns: 'w:sync:app:state', type: 'set' }, [sync]);
  const collection = getBinaryNodeChild(getBinaryNodeChild(answer, 'sync'), 'collection');
  if (!collection) throw new Error('no collection');
  return collection;
}

const patchesOf = (collection: BinaryNode) =>
  getBinaryNodeChildren(getBinaryNodeChild(collection, 'patches'), 'patch').map(({ content }) =>
    proto.SyncdPatch.decode(content as Uint8Array),
  );

async function downloadSnapshot(collection: BinaryNode): Promise<proto.SyncdSnapshot> {
  const bytes = getBinaryNodeChildBuffer(collection, 'snapshot') ?? new Uint8Array();
  const reference = proto.ExternalBlobReference.decode(bytes);
  const options = { host: sandbox.mediaHost, options: trust.options };
  const chunks: Buffer[] = [];
  const keys = { directPath: reference.directPath ?? '', mediaKey: reference.mediaKey ?? new Uint8Array() };
  for await (const chunk of await downloadContentFromMessage(keys, 'md-app-state', options)) chunks.push(chunk);
  return proto.SyncdSnapshot.decode(Buffer.concat(chunks));
}

describe('app state snapshots', () => {
  it('a client that asks for an app state snapshot gets one file with the values, and the patches after it', async () => {
    const account = sandbox.world.account(String(++number));
    await rename(account, 'old');
    await rename(account, 'Ada');
    expect(sandbox.phones.createSnapshots(account.number)).toEqual(['critical_unblock_low']);
    await rename(account, 'Ada Lovelace');
    const client = await login(account);
    const collection = await queryContacts(client, '0', 'true');
    expect(collection.attrs).toMatchObject({ version: '3', has_more_patches: 'false' });
    const snapshot = await downloadSnapshot(collection);
    expect(snapshot.records).toHaveLength(1);
    const { keyData } = sandbox.phones.phoneAppState.syncKey(account);
    const warnings: unknown[] = [];
    const log = Object.assign(Object.create(null), { warn: (...fields: unknown[]) => warnings.push(fields) });
    const getKey = async () => keyData;
    const name = 'critical_unblock_low';
    const decoded = await decodeSyncdSnapshot(name, snapshot, getKey, undefined, true, log);
    const nameIn = ({ mutationMap }: Pick<typeof decoded, 'mutationMap'>) =>
      Object.values(mutationMap).map(({ syncAction }) => syncAction.value?.contactAction?.fullName);
    expect(nameIn(decoded)).toEqual(['Ada']);
    expect(warnings).toEqual([]);
    const patches = patchesOf(collection);
    expect(patches).toHaveLength(1);
    expect(nameIn(await decodePatches(name, patches, decoded.state, getKey, {}, undefined, log, true))).toEqual([
      'Ada Lovelace',
    ]);
  });

  it('a client gets app state patches if no snapshot exists, if it wants none, or if it has that version already', async () => {
    const account = sandbox.world.account(String(++number));
    await rename(account, 'Ada');
    const client = await login(account);
    expect(patchesOf(await queryContacts(client, '0', 'true'))).toHaveLength(1);
    sandbox.phones.createSnapshots(account.number);
    await rename(account, 'Ada Lovelace');
    for (const [version, wantsSnapshot, patches] of [
      ['0', 'false', 2],
      ['1', 'true', 1],
    ] as const) {
      const collection = await queryContacts(client, version, wantsSnapshot);
      expect(getBinaryNodeChild(collection, 'snapshot')).toBeUndefined();
      expect(patchesOf(collection)).toHaveLength(patches);
    }
  });
});
