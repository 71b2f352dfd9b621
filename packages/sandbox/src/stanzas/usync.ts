// Answers user sync queries (xmlns `usync`): which numbers are on WhatsApp, and their LIDs (ids that hide the number),
// devices and profiles.
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, jidDecode } from '@whiskeysockets/baileys';
import { element, textOf } from '../lib/binary-node.ts';
import { addressingOf } from '../world/delivery.ts';
import { createKeyIndexListNode } from '../world/device-list.ts';
import type { Devices } from '../world/devices.ts';
import type { Account, Companion, World } from '../world/model.ts';
import { lidJid } from '../world/world.ts';
import { type IqHandler, requestOf, StanzaError } from './router.ts';

/** One user of a query. */
interface QueriedUser {
  /** The user's JID in the answer; empty when no account has the requested username. */
  jid: string;
  account: Account | undefined;
  /** The phone number as the client wrote it, which the answer repeats; empty when the client sent a JID. */
  writtenNumber: string;
  /** The username in the query, if the client searches by username. */
  username?: string | undefined;
}

/** Answers one part of a query (in usync: a "protocol") for one user. Returns undefined to omit the element. */
type Protocol = (user: QueriedUser, companion: Companion) => BinaryNode | undefined;

export function createUsync(world: World, devices: Devices): IqHandler {
  const protocols: Readonly<Record<string, Protocol>> = {
    contact: ({ account, writtenNumber, username }) =>
      element('contact', { type: account ? 'in' : 'out', username }, writtenNumber || undefined),
    // The sandbox has no verified business names and no bots.
    business: () => undefined,
    bot: () => undefined,
    username: ({ account }) => (account?.username ? element('username', {}, account.username) : undefined),
    picture: ({ account }, { account: asker }) =>
      account?.picture && maySee(account, asker, 'profile')
        ? element('picture', { id: account.picture.id, type: 'image' })
        : undefined,
    // Only for phone-number JIDs, because clients reject a mapping from LID to LID.
    lid: ({ jid, account }) =>
      account && jidDecode(jid)?.server === 's.whatsapp.net' ? element('lid', { val: lidJid(account) }) : undefined,
    devices: ({ jid, account }, companion) => {
      if (!account) return undefined;
      // The companion is notified of later changes of the account's devices.
      devices.watch(account, companion, addressingOf(jid));
      return deviceList(account, world.now());
    },
    status: ({ account }, { account: asker }) => {
      if (!account) return undefined;
      if (!maySee(account, asker, 'status')) return element('status', { code: '401', type: 'fail' });
      return element('status', { t: String(account.statusAt) }, account.statusText);
    },
    text_status: ({ account }, { account: asker }) => {
      if (!account) return undefined;
      if (!maySee(account, asker, 'status')) return element('text_status', {}, [new StanzaError(401).node]);
      return element(
        'text_status',
        {
          text: account.statusText,
          last_update_time: String(account.statusAt),
          ephemeral_duration_sec: String(account.statusDuration),
        },
        account.statusEmoji ? [element('emoji', { content: account.statusEmoji })] : undefined,
      );
    },
    disappearing_mode: ({ account }) =>
      account &&
      element('disappearing_mode', {
        duration: String(account.disappearing.duration),
        t: String(account.disappearing.at),
      }),
  };

  /**
   * Finds the account for `<contact username pin? lid?/>`. An account with a username key (digits that the owner gives
   * to other people) is found only when the client also sends this key as `pin`, or the account's LID.
   */
  function identifyByUsername({ username, pin, lid }: BinaryNode['attrs']): QueriedUser {
    const named = Array.from(world.accounts()).find((each) => each.username === username);
    const isFound = named && (named.usernameKey === undefined || named.usernameKey === pin || lidJid(named) === lid);
    return { jid: isFound ? lidJid(named) : '', account: isFound ? named : undefined, writtenNumber: '', username };
  }

  function identify(node: BinaryNode): QueriedUser {
    const contact = getBinaryNodeChild(node, 'contact');
    if (contact?.attrs.username) return identifyByUsername(contact.attrs);
    const writtenNumber = textOf(contact);
    // Some clients write +number, others +number@c.us.
    const [phone = ''] = writtenNumber.replace(/^\+/, '').split('@', 1);
    const jid = node.attrs.jid ?? `${phone}@s.whatsapp.net`;
    return { jid, account: world.byJid(jid), writtenNumber };
  }

  return (companion, iq) => {
    const usync = requestOf(iq);
    if (usync?.tag !== 'usync') return undefined;
    const query = getBinaryNodeChild(usync, 'query');
    const list = getBinaryNodeChild(usync, 'list');
    if (!query || !list) throw new StanzaError(400);
    const requested = getAllBinaryNodeChildren(query).map(({ tag }) => tag);
    const unknown = requested.filter((tag) => !Object.hasOwn(protocols, tag));
    const queried = getAllBinaryNodeChildren(list).map(identify);
    const users = withoutRepetitions(queried).map((user) => {
      const answers = requested.map((tag) => (unknown.includes(tag) ? undefined : protocols[tag]?.(user, companion)));
      const content = answers.filter((answer) => answer !== undefined);
      return element('user', { jid: user.jid || undefined }, content);
    });
    const protocolStates = requested.map((tag) =>
      element(tag, {}, unknown.includes(tag) ? [new StanzaError(501).node] : undefined),
    );
    const { sid, mode, context } = usync.attrs;
    const attrs = { sid, mode, context, last: 'true', index: '0' };
    const answer = element('usync', attrs, [element('result', {}, protocolStates), element('list', {}, users)]);
    // `isPartial`: the router also records a query with unknown parts as unanswered.
    return { content: [answer], isPartial: unknown.length > 0 };
  };
}

/**
 * Removes repeated users. A query can name a user twice, for example for a message that a user sends to its own
 * account.
 */
function withoutRepetitions(users: readonly QueriedUser[]): QueriedUser[] {
  return [...new Map(users.map((user) => [[user.jid, user.writtenNumber, user.username].join('|'), user])).values()];
}

/** `<devices>`: the phone and its companions (linked devices). Clients ignore companions without a key index. */
function deviceList(account: Account, now: number): BinaryNode {
  const linked = Array.from(account.companions.values(), ({ device, keyIndex }) =>
    element('device', { id: String(device), 'key-index': String(keyIndex) }),
  );
  return element('devices', {}, [
    element('device-list', {}, [element('device', { id: '0' }), ...linked]),
    createKeyIndexListNode(account, now),
  ]);
}

/**
 * Whether the privacy setting `category` lets `asker` see the account's data. It does, unless the setting is `none` or
 * the account has blocked `asker`.
 */
export function maySee(account: Account, asker: Account, category: string): boolean {
  if (account === asker) return true;
  return account.privacy.get(category) !== 'none' && !account.blocked.has(asker.number);
}
