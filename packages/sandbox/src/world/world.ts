// The state of the simulated WhatsApp: accounts, linked devices, and the stanzas queued for them. It has no sockets,
// and its only cryptography is the creation of keys.
import { createHash, randomBytes } from 'node:crypto';
import { type BinaryNode, Curve, jidDecode } from '@whiskeysockets/baileys';
import { type Clock, systemClock } from '../lib/clock.ts';
import { encodeStanza } from '../lib/stanza-encoder.ts';
import type { Faults } from './faults.ts';
import type { Account, Companion, KeyPair, World } from './model.ts';

/** The privacy categories that Baileys can set, with the values of a new account. */
const PRIVACY_DEFAULTS: Readonly<Record<string, string>> = {
  readreceipts: 'all',
  profile: 'all',
  status: 'all',
  online: 'all',
  last: 'all',
  groupadd: 'all',
  calladd: 'all',
  messages: 'all',
};

/**
 * Maximum size in bytes of an encoded stanza in a queue. A frame can have 16 MiB. The difference leaves room for the
 * encryption, and for the attribute `offline`, which a login adds to a queued stanza.
 */
const MAX_STANZA_BYTES = 15 * 1024 * 1024;
/**
 * Maximum number of stanzas in the queue of a client. When the queue is full, the oldest stanzas are removed. WhatsApp,
 * in contrast, unlinks a client that stays offline for long.
 */
const MAX_QUEUE_LENGTH = 50_000;
/** Maximum size in bytes of all stanzas in the queue of a client. */
const MAX_QUEUE_BYTES = 64 * 1024 * 1024;
/** Maximum length of the name of an account; the apps of WhatsApp allow 25 characters. */
const MAX_NAME_LENGTH = 100;

/** Whether the text is a valid name of an account. */
export const isAccountName = (name: string | null | undefined): name is string =>
  typeof name === 'string' && name !== '' && name.length <= MAX_NAME_LENGTH;

/** The JID (address) by phone number, `number[:device]@s.whatsapp.net`, of an account or one of its devices. */
export const pnJid = (account: Account, device = 0): string => jid(account.number, device, 's.whatsapp.net');
/** The JID by LID (second address), `lid[:device]@lid`, of an account or one of its devices. */
export const lidJid = (account: Account, device = 0): string => jid(account.lid, device, 'lid');

const jid = (user: string, device: number, server: string) => `${user}${device ? `:${device}` : ''}@${server}`;

/** A LID (second address) of 15 digits. It depends only on the number, so that every sandbox has the same LIDs. */
const lidOf = (digest: Buffer) => String(100_000_000_000_000n + (digest.readBigUInt64BE(0) % 900_000_000_000_000n));

/** Creates an account with the default values. The interface Account explains the fields. */
function createAccount(number: string): Account {
  const digest = createHash('sha256').update(`lid:${number}`).digest();
  let identity: KeyPair | undefined;
  return {
    number,
    lid: lidOf(digest),
    name: `Phone ${number.slice(-4)}`,
    identity: () => {
      identity ??= Curve.generateKeyPair();
      return identity;
    },
    // A registration id has 14 bits. This one is odd, so that it is not 0.
    registrationId: (digest.readUInt16BE(8) & 0x3ffe) + 1,
    companions: new Map(),
    linking: new Set(),
    lastKeyIndex: 0,
    presence: 'unavailable',
    blocked: new Set(),
    privacy: new Map(Object.entries(PRIVACY_DEFAULTS)),
    statusText: 'Hey there!',
    statusEmoji: '',
    statusDuration: 0,
    statusAt: 0,
    picture: undefined,
    business: undefined,
    disappearing: { duration: 0, at: 0 },
    migrated: false,
    nctSalt: randomBytes(32),
    getsStatusStanzas: false,
    hidesNumber: false,
    username: undefined,
    usernameKey: undefined,
  };
}

/** Creates a world without accounts. The world delivers a stanza twice when a `duplicate` fault is pending. */
export function createWorld(options: { faults: Faults; clock?: Clock }): World {
  const { faults, clock = systemClock } = options;
  const byNumber = new Map<string, Account>();
  const byLid = new Map<string, Account>();
  const idPrefix = randomBytes(5).toString('hex').toUpperCase();
  let sequence = 0;

  // Phone numbers have 7 to 15 digits (E.164). Those that end in 0000 stand for numbers without an account.
  const isOnWhatsApp = (number: string) => /^[1-9]\d{6,14}$/.test(number) && !number.endsWith('0000');

  /** Returns the account of a number, or creates it. */
  function account(number: string): Account {
    const existing = byNumber.get(number);
    if (existing) return existing;
    if (!isOnWhatsApp(number)) throw new RangeError(`${number} is not a number on the platform`);
    const created = createAccount(number);
    byNumber.set(number, created);
    byLid.set(created.lid, created);
    return created;
  }

  /** Returns the account and the device of a JID. Creates the account of a phone number that is on WhatsApp. */
  function find(address: string): { account: Account; device: number } | undefined {
    const parts = jidDecode(address);
    if (!parts) return undefined;
    const device = parts.device ?? 0;
    if (parts.server === 'lid') {
      const existing = byLid.get(parts.user);
      return existing && { account: existing, device };
    }
    // c.us is the former name of s.whatsapp.net; some clients still use it.
    if ((parts.server !== 's.whatsapp.net' && parts.server !== 'c.us') || !isOnWhatsApp(parts.user)) return undefined;
    return { account: account(parts.user), device };
  }

  return {
    account,
    isOnWhatsApp,
    byJid: (address) => find(address)?.account,
    accounts: () => byNumber.values(),
    companion(address) {
      const found = find(address);
      return found?.account.companions.get(found.device);
    },
    deliver(companion, key, node) {
      // The stanza stays in the queue until the client acknowledges it, even if it is sent at once. It is encoded
      // first, because a queued stanza that cannot be encoded would make every login fail.
      const encoded = encodeStanza(node);
      if (encoded.length > MAX_STANZA_BYTES) throw new RangeError(`a stanza of ${encoded.length} bytes is too large`);
      companion.queue.push({ key, node, size: encoded.length });
      companion.queuedBytes += encoded.length;
      while (companion.queue.length > MAX_QUEUE_LENGTH || companion.queuedBytes > MAX_QUEUE_BYTES)
        removeQueued(companion, 0);
      if (!companion.connection?.live) return;
      companion.connection.sendEncoded(encoded);
      if (faults.take('duplicate', companion.account.number)) companion.connection.sendEncoded(encoded);
    },
    acknowledge(companion, key) {
      const index = companion.queue.findIndex((queued) => queued.key === key);
      if (index < 0) return false;
      removeQueued(companion, index);
      return true;
    },
    now: () => Math.floor(clock.now() / 1000),
    nextId: () => `${idPrefix}${(++sequence).toString(16).toUpperCase().padStart(6, '0')}`,
  };
}

function removeQueued(companion: Companion, index: number): void {
  const [removed] = companion.queue.splice(index, 1);
  if (removed) companion.queuedBytes -= removed.size;
}

/**
 * The key of a queued stanza: tag|id|from|participant|type; an absent attribute is empty. In the client's `<ack>`, the
 * attribute `class` is this tag and `to` is this `from`. The other attributes have the same names in both.
 */
export const queueKey = (tag: string, attrs: Readonly<Record<string, string | undefined>>): string =>
  [tag, attrs.id, attrs.from, attrs.participant, attrs.type].map((part) => part ?? '').join('|');

/** Delivers a `<notification>` to all companions of the account except `changedBy`, which made the change. */
export function notifyCompanions(
  world: World,
  account: Account,
  type: string,
  content: BinaryNode[],
  changedBy?: Companion,
): void {
  for (const companion of account.companions.values()) {
    if (companion !== changedBy) deliverNotification(world, companion, pnJid(account), type, content);
  }
}

/** Delivers one `<notification>`. `extra` contains additional attributes. */
export function deliverNotification(
  world: World,
  to: Companion,
  from: string,
  type: string,
  content: BinaryNode[],
  extra: BinaryNode['attrs'] = {},
): void {
  const attrs = { id: world.nextId(), from, type, t: String(world.now()), ...extra };
  world.deliver(to, queueKey('notification', attrs), { tag: 'notification', attrs, content });
}
