// The devices of an account. The phone signs a list of its linked devices, so that other accounts can check the list.
// With a hash of device addresses, client and server check whether they know the same devices.
import { createHash } from 'node:crypto';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { signKeyIndexList } from './adv.ts';
import { type Addressing, jidOf } from './delivery.ts';
import type { Account } from './model.ts';

/** Device numbers of an account: 0 for the phone, then those of the linked devices. */
export const devicesOf = ({ companions }: Account): number[] => [0, ...companions.keys()];

/**
 * The hash of all devices of the accounts: `2:` (the version of the format) and the first 6 bytes (base64) of a SHA-256
 * over the sorted addresses of the form `user.0:device@server`. `addressing` selects phone numbers or LIDs (second
 * addresses).
 */
export function deviceListHash(accounts: readonly Account[], addressing: Addressing): string {
  const addresses = accounts.flatMap((account) =>
    devicesOf(account).map((device) => jidOf(addressing, account).replace('@', `.0:${device}@`)),
  );
  const digest = createHash('sha256').update(addresses.sort().join('')).digest();
  return `2:${digest.subarray(0, 6).toString('base64')}`;
}

/** The latest signed list of each account. `indexes`: the key indexes in the list; `signedAt`: epoch seconds. */
const signedLists = new WeakMap<Account, { indexes: string; signedAt: number; bytes: Uint8Array }>();

/**
 * Creates `<key-index-list ts>` with the phone's signed list of companions (linked devices), each with its key index.
 * The phone gives every linked device a key index of its own, which is not its device number. The node is empty without
 * companions. The list is signed again only when the devices have changed. `now` is in epoch seconds.
 */
export function createKeyIndexListNode(account: Account, now: number): BinaryNode {
  if (account.companions.size === 0) return element('key-index-list', { ts: String(now) });
  const indexes = Array.from(account.companions.values(), ({ keyIndex }) => keyIndex).join();
  let list = signedLists.get(account);
  if (list?.indexes !== indexes) {
    list = { indexes, signedAt: now, bytes: signKeyIndexList(account, now) };
    signedLists.set(account, list);
  }
  return element('key-index-list', { ts: String(list.signedAt) }, list.bytes);
}
