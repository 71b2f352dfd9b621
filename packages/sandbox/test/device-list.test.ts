import { createHash } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { beforeEach, describe, expect, it } from 'vitest';
import { isValidSignature, withWrongBit } from '../src/crypto/signing.ts';
import { isValidDeviceIdentity, provisionCompanion } from '../src/world/adv.ts';
import { createKeyIndexListNode, deviceListHash, devicesOf } from '../src/world/device-list.ts';
import { Faults } from '../src/world/faults.ts';
import type { Account } from '../src/world/model.ts';
import { createWorld } from '../src/world/world.ts';

let account: Account;

beforeEach(() => {
  account = createWorld({ faults: new Faults() }).account('491700000001');
});

function link() {
  const linked = provisionCompanion(account, 1);
  account.companions.set(linked.companion.device, linked.companion);
  return linked;
}

describe('the hash of a device list', () => {
  it('deviceListHash() returns six bytes of the SHA-256 over the sorted device addresses', () => {
    link();
    const names = '491700000001.0:0@s.whatsapp.net491700000001.0:1@s.whatsapp.net';
    const expected = createHash('sha256').update(names).digest().subarray(0, 6).toString('base64');
    expect(deviceListHash([account], 'pn')).toBe(`2:${expected}`);
    expect(deviceListHash([account], 'lid')).not.toBe(deviceListHash([account], 'pn'));
  });
});

describe('the key index list', () => {
  it('createKeyIndexListNode() contains the companions, and the phone signs it again only when they change', () => {
    link();
    const list = createKeyIndexListNode(account, 100);
    const signed = proto.ADVSignedKeyIndexList.decode(list.content as Uint8Array);
    const { details, accountSignature } = signed;
    if (!details || !accountSignature) throw new Error('incomplete');
    const message = Buffer.concat([Buffer.from([6, 2]), details]);
    expect(isValidSignature(account.identity().public, message, accountSignature)).toBe(true);
    expect(proto.ADVKeyIndexList.decode(details).validIndexes).toEqual([1]);
    expect(createKeyIndexListNode(account, 200)).toEqual(list);
    link();
    expect(devicesOf(account)).toEqual([0, 1, 2]);
    expect(createKeyIndexListNode(account, 300).attrs).toEqual({ ts: '300' });
  });

  it('createKeyIndexListNode() has no content for a phone without companions', () => {
    expect(createKeyIndexListNode(account, 100)).toMatchObject({ attrs: { ts: '100' }, content: undefined });
  });
});

describe('the device identity in a first message', () => {
  it('isValidDeviceIdentity() accepts an identity for its own device only', () => {
    const [one, other] = [link(), link()];
    const identity = proto.ADVSignedDeviceIdentity.encode(one.creds.account ?? {}).finish();
    expect(isValidDeviceIdentity(one.companion, identity)).toBe(true);
    expect(isValidDeviceIdentity(one.companion, identity)).toBe(true);
    expect(isValidDeviceIdentity(other.companion, identity)).toBe(false);
    expect(isValidDeviceIdentity(one.companion, withWrongBit(identity))).toBe(false);
    expect(isValidDeviceIdentity(one.companion, new Uint8Array([255, 255]))).toBe(false);
  });
});
