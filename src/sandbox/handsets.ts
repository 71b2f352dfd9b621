// All the phones of a sandbox: makes them when first needed and connects them with the stanza handlers.
import type { Faults } from './faults.ts';
import { syncFirst } from './first-sync.ts';
import type { Account, Handsets, World } from './model.ts';
import { Phone } from './phone.ts';
import type { Exchange, SandboxLog } from './post.ts';
import { createMessageHandler } from './stanzas/message.ts';
import { createPresenceHandlers } from './stanzas/presence.ts';
import { createReceiptHandlers } from './stanzas/receipt.ts';

export interface HandsetOptions {
  faults: Faults;
  log?: SandboxLog;
}

/** The phones as the server sees them, and `phone`, by which tests and the control API reach one. */
export interface PhoneBook extends Handsets {
  /** The phone of a number (digits). Throws RangeError when the number is not on the platform. */
  phone(number: string): Phone;
}

const silent: SandboxLog = { debug: () => undefined, warn: () => undefined };

export function createHandsets(world: World, { faults, log = silent }: HandsetOptions): PhoneBook {
  const phones = new WeakMap<Account, Phone>();
  const phoneOf = (account: Account): Phone => {
    const known = phones.get(account);
    if (known) return known;
    const created = new Phone(account, exchange);
    phones.set(account, created);
    return created;
  };
  const exchange: Exchange = {
    world,
    log,
    phone: phoneOf,
    announcePresence: (account) => presence.announce(account),
  };
  const presence = createPresenceHandlers(exchange);
  return {
    phone: (number) => phoneOf(world.account(number)),
    bundle: (account) => phoneOf(account).signal.bundle(),
    online: (companion) => syncFirst(phoneOf(companion.account), companion, world.now()),
    stanzas: {
      message: createMessageHandler(exchange, faults),
      presence: presence.presence,
      chatstate: presence.chatstate,
      ...createReceiptHandlers(exchange),
    },
  };
}
