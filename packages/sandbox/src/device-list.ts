// Device lists of an account: the signed list for clients, and the hash by which client and platform compare their
// lists.
import { createHash } from 'node:crypto';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { signKeyIndexList } from './adv.ts';
import { type AddressForm, jidOf } from './delivery.ts';
import type { Account } from './model.ts';
import { element } from './node.ts';

/** Device numbers of an account, the phone (0) first. */
export const devicesOf = ({ companions }: Account): number[] => [0, ...companions.keys()];

/**
 * `2:` and the first 6 bytes of SHA-256 (base64) over the sorted addresses, each with agent (0) and device written out.
 */
export function listHash(accounts: readonly Account[], form: AddressForm): string {
  const names = accounts.flatMap((account) =>
    devicesOf(account).map((device) => jidOf(form, account).replace('@', `.0:${device}@`)),
  );
  const digest = createHash('sha256').update(names.sort().join('')).digest();
  return `2:${digest.subarray(0, 6).toString('base64')}`;
}

const signedLists = new WeakMap<Account, { of: string; at: number; bytes: Uint8Array }>();

/**
 * `<key-index-list ts>` with the phone's signature, created again only when the devices changed; empty without
 * companions.
 */
export function createKeyIndexListNode(account: Account, now: number): BinaryNode {
  if (account.companions.size === 0) return element('key-index-list', { ts: String(now) });
  const of = devicesOf(account).join();
  const existing = signedLists.get(account);
  const list = existing?.of === of ? existing : { of, at: now, bytes: signKeyIndexList(account, now) };
  signedLists.set(account, list);
  return element('key-index-list', { ts: String(list.at) }, list.bytes);
}
