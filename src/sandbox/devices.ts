// Who is linked to an account: adding and removing companions, and telling the clients that keep a list of its devices.

import { streamError } from './faults.ts';
import type { Account, Companion, World } from './model.ts';
import { element } from './node.ts';
import { lidJid, notify, pnJid } from './world.ts';

export interface Devices {
  /** `companion` has asked for the account's devices and will hear about changes. */
  watch(account: Account, companion: Companion): void;
  add(companion: Companion): void;
  /** Unlinks: the connection, if any, ends with 401, and so does every later login. */
  remove(companion: Companion): void;
}

export function createDevices(world: World): Devices {
  const watchers = new WeakMap<Account, Set<Companion>>();

  /** Clients cache device lists by phone number or by LID, so a change names both forms. */
  function announce(changed: Companion, change: 'update' | 'remove'): void {
    const { account, device } = changed;
    const interested = new Set([...(watchers.get(account) ?? []), ...account.companions.values()]);
    interested.delete(changed);
    const index = String(changed.keyIndex);
    const forms = [pnJid(account, device), lidJid(account, device)];
    const content = [
      element(
        change,
        {},
        forms.map((jid) => element('device', { jid, 'key-index': index })),
      ),
    ];
    for (const companion of interested) notify(world, companion, pnJid(account), 'devices', content);
  }

  return {
    watch(account, companion) {
      const known = watchers.get(account);
      if (known) known.add(companion);
      else watchers.set(account, new Set([companion]));
    },
    add(companion) {
      companion.account.companions.set(companion.device, companion);
      announce(companion, 'update');
    },
    remove(companion) {
      const { account, device } = companion;
      if (account.companions.get(device) !== companion) return;
      account.companions.delete(device);
      companion.queue.length = 0;
      companion.connection?.close(streamError(401, 'device_removed'));
      for (const watched of world.accounts()) watchers.get(watched)?.delete(companion);
      announce(companion, 'remove');
    },
  };
}
