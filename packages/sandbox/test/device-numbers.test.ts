// The numbers of linked devices when devices are removed and added.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  initAuthCreds,
  proto,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../test/support/client.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Sandbox } from '../src/sandbox.ts';
import type { Companion } from '../src/world/model.ts';
import { pnJid } from '../src/world/world.ts';
import { RawClient } from './raw-client.ts';
import { RealClient } from './real-client.ts';

let sandbox: Sandbox;
let number = 15_550_061_000;
let watcher: RawClient;

beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(async () => {
  number += 10;
  watcher = await RawClient.connect(sandbox.platformUrl, sandbox.provision(String(number + 1)));
  await watcher.goLive();
});

const account = () => sandbox.world.account(String(number));
const phone = () => sandbox.phones.phone(String(number + 2));

function companion(device: number): Companion {
  const found = account().companions.get(device);
  if (!found) throw new Error(`there is no device ${device}`);
  return found;
}

/** Queries the devices of the account: their numbers and key indexes, and the key indexes that the phone signed. */
async function queryDevices() {
  const user = { tag: 'user', attrs: { jid: pnJid(account()) } };
  const usync: BinaryNode = {
    tag: 'usync',
    attrs: { sid: 's', mode: 'query', last: 'true', index: '0', context: 'message' },
    content: [
      { tag: 'query', attrs: {}, content: [{ tag: 'devices', attrs: { version: '2' } }] },
      { tag: 'list', attrs: {}, content: [user] },
    ],
  };
  const answer = await watcher.ask({ xmlns: 'usync', type: 'get' }, [usync]);
  const path = ['usync', 'list', 'user', 'devices'];
  const devices = path.reduce<BinaryNode | undefined>((at, tag) => getBinaryNodeChild(at, tag), answer);
  const list = getBinaryNodeChildren(getBinaryNodeChild(devices, 'device-list'), 'device');
  const signed = getBinaryNodeChild(devices, 'key-index-list')?.content as Uint8Array;
  const { details } = proto.ADVSignedKeyIndexList.decode(signed);
  return {
    devices: list.map(({ attrs }) => [attrs.id, attrs['key-index']]).filter(([id]) => id !== '0'),
    signed: proto.ADVKeyIndexList.decode(details ?? new Uint8Array()).validIndexes,
  };
}

describe('the number of an unlinked device', () => {
  it('the number of an unlinked device goes to the next device with a new key index, and others see the change', async () => {
    sandbox.provision(String(number));
    sandbox.provision(String(number));
    expect(await queryDevices()).toEqual({
      devices: [
        ['1', '1'],
        ['2', '2'],
      ],
      signed: [1, 2],
    });
    const identity = companion(1).identity;
    sandbox.pairing.unlink(companion(1));
    sandbox.provision(String(number));
    const changes = () =>
      watcher.nodes.flatMap((node) =>
        ['add', 'remove'].flatMap((change) => {
          const device = getBinaryNodeChild(getBinaryNodeChild(node, change), 'device');
          return device ? [[change, device.attrs.jid, device.attrs['key-index']]] : [];
        }),
      );
    await watcher.until(() => changes().length === 2);
    const jid = pnJid(account(), 1);
    expect(changes()).toEqual([
      ['remove', jid, '1'],
      ['add', jid, '3'],
    ]);
    const { devices, signed } = await queryDevices();
    expect([devices.toSorted(), signed?.toSorted()]).toEqual([
      [
        ['1', '3'],
        ['2', '2'],
      ],
      [2, 3],
    ]);
    const user = { tag: 'user', attrs: { jid } };
    const answer = await watcher.ask({ xmlns: 'encrypt', type: 'get' }, [{ tag: 'key', attrs: {}, content: [user] }]);
    const bundle = getBinaryNodeChild(getBinaryNodeChild(answer, 'list'), 'user');
    const servedIdentity = getBinaryNodeChild(bundle, 'identity')?.content;
    expect(servedIdentity).toEqual(Buffer.from(companion(1).identity));
    expect(servedIdentity).not.toEqual(Buffer.from(identity));
  });

  it('a device with a reused number gets no messages and no sessions of the earlier device', async () => {
    const old = new RealClient(sandbox, { creds: sandbox.provision(String(number)), keys: new Map() });
    await old.open();
    await old.message(await phone().send(String(number), { text: 'to the old device' }));
    await old.sock.end(undefined);
    await expect.poll(() => companion(1).connection).toBeUndefined();
    await phone().send(String(number), { text: 'while the old device is offline' });
    sandbox.pairing.unlink(companion(1));
    const next = new RealClient(sandbox, { creds: sandbox.provision(String(number)), keys: new Map() });
    expect(next.identity.creds.me?.id).toBe(pnJid(account(), 1));
    await next.open();
    const { message } = await next.message(await phone().send(String(number), { text: 'to the new device' }));
    expect(message.message?.conversation).toBe('to the new device');
    expect(next.upserts.map((upsert) => upsert.message.message?.conversation)).toEqual(['to the new device']);
    await next.sock.end(undefined);
    const unlinked = new RealClient(sandbox, old.identity);
    expect(await unlinked.closed()).toBe(401);
  });
});

describe('the number of a failed link', () => {
  it('the number of a failed link goes to the next device', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const creds = initAuthCreds();
      const client = await RawClient.connect(sandbox.platformUrl, creds);
      const offer = await client.received('iq', { type: 'set' });
      const [ref] = getBinaryNodeChildren(getBinaryNodeChild(offer, 'pair-device'), 'ref');
      const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
        Buffer.from(key).toString('base64'),
      );
      const linking = sandbox.pairing.scanQr(
        String(number),
        [String(ref?.content), ...keys, creds.advSecretKey].join(),
      );
      const success = await client.until(() => client.nodes.find((node) => getBinaryNodeChild(node, 'pair-success')));
      client.send({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'error', id: success.attrs.id ?? '' } });
      await expect(linking).rejects.toMatchObject({ reason: 'refused' });
    }
    expect(sandbox.provision(String(number)).me?.id).toBe(pnJid(account(), 1));
    expect(companion(1).keyIndex).toBe(4);
  });
});

describe('the limit of 98 devices', () => {
  it('an account whose 98 device numbers are in use gets no other device', async () => {
    // Reserves the numbers for links in progress, because 98 real devices would take half a minute.
    for (let device = 1; device <= 97; device++) account().linking.add(device);
    expect(sandbox.provision(String(number)).me?.id).toBe(pnJid(account(), 98));
    expect(() => sandbox.provision(String(number))).toThrow(RangeError);
    const client = connect(sandbox);
    const { qr } = await client.update((update) => Boolean(update.qr));
    await expect(sandbox.pairing.scanQr(String(number), qr ?? '')).rejects.toMatchObject({ reason: 'refused' });
    account().linking.delete(40);
    expect(sandbox.provision(String(number)).me?.id).toBe(pnJid(account(), 40));
  });
});
