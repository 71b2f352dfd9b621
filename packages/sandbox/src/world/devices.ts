// Adds and removes companions (linked devices), and notifies the companions that watch an account's device list.

import { element } from '../lib/binary-node.ts';
import { type Addressing, jidOf } from './delivery.ts';
import { createKeyIndexListNode, deviceListHash } from './device-list.ts';
import { streamErrorNode } from './faults.ts';
import type { Account, Companion, World } from './model.ts';
import { deliverNotification, lidJid, pnJid } from './world.ts';

export interface Devices {
  /**
   * Makes `companion`, which can belong to any account, get notifications of later changes of `account`'s devices. The
   * notifications name the devices by phone number (`pn`) or by LID, the second address of an account.
   */
  watch(account: Account, companion: Companion, addressing: Addressing): void;
  /** Links a companion and notifies the companions that watch its account. */
  add(companion: Companion): void;
  /** Unlinks a companion: its connection, if any, is closed with 401, and later logins are rejected with 401. */
  remove(companion: Companion): void;
}

export function createDevices(world: World): Devices {
  /** The companions that watch an account, each with the addressings of its notifications. */
  const watchers = new WeakMap<Account, Map<Companion, Set<Addressing>>>();

  function watch(account: Account, companion: Companion, addressing: Addressing): void {
    const existing = watchers.get(account) ?? new Map<Companion, Set<Addressing>>();
    watchers.set(account, existing);
    existing.set(companion, (existing.get(companion) ?? new Set()).add(addressing));
  }

  function announce(changed: Companion, change: 'add' | 'remove'): void {
    const { account } = changed;
    // The other companions of the account always watch it, even if they have not queried its devices.
    for (const own of account.companions.values()) if (own !== changed) watch(account, own, 'pn');
    for (const [companion, addressings] of watchers.get(account) ?? []) {
      if (companion === changed) continue;
      for (const addressing of addressings) announceChange(companion, changed, change, addressing);
      if (companion.account === account) announceList(companion);
    }
  }

  /**
   * Announces one added or removed device to a companion. Clients keep one device list by phone number and one by LID,
   * and each list has its own notification and hash. A notification by phone number also contains the LID. A
   * notification by LID must not contain the phone number, because clients would then count the device twice.
   */
  function announceChange(
    to: Companion,
    { account, device, keyIndex }: Companion,
    change: string,
    addressing: Addressing,
  ): void {
    const lid = addressing === 'pn' ? lidJid(account, device) : undefined;
    const deviceNode = element('device', {
      jid: jidOf(addressing, account, device),
      lid,
      'key-index': String(keyIndex),
    });
    const hash = { device_hash: deviceListHash([account], addressing) };
    const content = [element(change, hash, [deviceNode, createKeyIndexListNode(account, world.now())])];
    const secondAddress: Record<string, string> = addressing === 'pn' ? { lid: lidJid(account) } : {};
    deliverNotification(world, to, jidOf(addressing, account), 'devices', content, secondAddress);
  }

  /** Sends a companion the complete device list of its own account. */
  function announceList(to: Companion): void {
    const { account } = to;
    const linked = Array.from(account.companions.values(), ({ device, keyIndex }) =>
      element('device', { jid: pnJid(account, device), 'key-index': String(keyIndex) }),
    );
    const list = [element('device', { jid: pnJid(account) }), ...linked, createKeyIndexListNode(account, world.now())];
    const content = [element('devices', { dhash: deviceListHash([account], 'pn') }, list)];
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
      companion.queuedBytes = 0;
      companion.connection?.close(streamErrorNode(401, 'device_removed'));
      for (const watched of world.accounts()) watchers.get(watched)?.delete(companion);
      announce(companion, 'remove');
    },
  };
}
