// Queries as clients send them that are not based on Baileys, and the parts of the answers that only such clients read.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  initAuthCreds,
  proto,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import type { Account } from '../src/world/model.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let number = 15_550_033_000;
let client: RawClient;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(async () => {
  client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(String(++number)));
});

const node = (tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode['content']) => ({
  tag,
  attrs,
  content,
});

describe('a keep-alive without <ping/>', () => {
  it('is answered before and after linking', async () => {
    const keepAlive = { xmlns: 'w:p', type: 'get' };
    expect(await client.ask(keepAlive)).toMatchObject({ attrs: { type: 'result' } });
    const unlinked = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
    expect(await unlinked.ask(keepAlive)).toMatchObject({ attrs: { type: 'result' } });
    expect(await unlinked.ask(keepAlive, [node('ping')])).toMatchObject({ attrs: { type: 'result' } });
  });
});

describe('linking', () => {
  /** Scans the client's code and returns the pair-success that the client gets. */
  async function link(account: Account): Promise<BinaryNode | undefined> {
    const creds = initAuthCreds();
    const fresh = await RawClient.connect(sandbox.platformUrl, creds);
    const offer = await fresh.received('iq', { type: 'set' });
    const [ref] = getBinaryNodeChildren(getBinaryNodeChild(offer, 'pair-device'), 'ref');
    const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    );
    const linking = sandbox.pairing.scanQr(account.number, [String(ref?.content), ...keys, creds.advSecretKey].join());
    const success = await fresh.until(() =>
      fresh.nodes.map((stanza) => getBinaryNodeChild(stanza, 'pair-success')).find((found) => found !== undefined),
    );
    fresh.hangUp();
    await linking.catch(() => undefined);
    return success;
  }

  it('tells that the chats of the account use LIDs, when they do', async () => {
    const account = sandbox.world.account(String(++number));
    expect(getBinaryNodeChild(await link(account), 'client-props')).toBeUndefined();
    account.migrated = true;
    const props = getBinaryNodeChildBuffer(await link(account), 'client-props');
    expect(proto.ClientPairingProps.decode(props ?? new Uint8Array())).toMatchObject({ isChatDbLidMigrated: true });
  });
});
