// Adds and removes linked companions, and notifies clients that watch the device list of an account.

import { type AddressForm, jidOf } from './delivery.ts';
import { createKeyIndexListNode, listHash } from './device-list.ts';
import { streamErrorNode } from './faults.ts';
import type { Account, Companion, World } from './model.ts';
import { element } from './node.ts';
import { deliverNotification, lidJid, pnJid } from './world.ts';

export interface Devices {
  /** `companion` has asked for the account's devices by number or by LID, and will hear about changes in that form. */
  watch(account: Account, companion: Companion, form: AddressForm): void;
  add(companion: Companion): void;
  /** Unlinks: the connection, if any, ends with 401, and so does every later login. */
  remove(companion: Companion): void;
}

export function createDevices(world: World): Devices {
  const watchers = new WeakMap<Account, Map<Companion, Set<AddressForm>>>();

  function watch(account: Account, companion: Companion, form: AddressForm): void {
    const existing = watchers.get(account) ?? new Map<Companion, Set<AddressForm>>();
    watchers.set(account, existing);
    existing.set(companion, (existing.get(companion) ?? new Set()).add(form));
  }

  function announce(changed: Companion, change: 'add' | 'remove'): void {
    const { account } = changed;
    for (const own of account.companions.values()) if (own !== changed) watch(account, own, 'pn');
    for (const [companion, forms] of watchers.get(account) ?? []) {
      if (companion === changed) continue;
      for (const form of forms) announceChange(companion, changed, change, form);
      if (companion.account === account) announceList(companion);
    }
  }

  /**
   * One change. A list by LID is one of its own, with its own hash: naming the LID in the other's would count it twice.
   */
  function announceChange(
    to: Companion,
    { account, device, keyIndex }: Companion,
    change: string,
    form: AddressForm,
  ): void {
    const lid = form === 'pn' ? lidJid(account, device) : undefined;
    const named = element('device', { jid: jidOf(form, account, device), lid, 'key-index': String(keyIndex) });
    const hash = { device_hash: listHash([account], form) };
    const content = [element(change, hash, [named, createKeyIndexListNode(account, world.now())])];
    deliverNotification(
      world,
      to,
      jidOf(form, account),
      'devices',
      content,
      form === 'pn' ? { lid: lidJid(account) } : {},
    );
  }

  /** The whole list, for the account's own devices. */
  function announceList(to: Companion): void {
    const { account } = to;
    const linked = Array.from(account.companions.values(), ({ device, keyIndex }) =>
      element('device', { jid: pnJid(account, device), 'key-index': String(keyIndex) }),
    );
    const list = [element('device', { jid: pnJid(account) }), ...linked, createKeyIndexListNode(account, world.now())];
    const content = [element('devices', { dhash: listHash([account], 'pn') }, list)];
    deliverNotification(world, to, pnJid(account), 'account_sync', content);
  }

  return {
    watch,
    add(companion) {
      companion.account.companions.set(companion.device, companion);
      announce(companion, 'add');
    },
    remove(companion) {
      const { account, device } = companion;
      if (account.companions.get(device) !== companion) return;
      account.companions.delete(device);
      companion.queue.length = 0;
      companion.connection?.close(streamErrorNode(401, 'device_removed'));
      for (const watched of world.accounts()) watchers.get(watched)?.delete(companion);
      announce(companion, 'remove');
    },
  };
}
