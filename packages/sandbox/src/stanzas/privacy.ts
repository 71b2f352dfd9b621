// Answers queries and changes of an account's privacy settings and blocklist (xmlns `privacy` and `blocklist`), and
// changes of the account's default disappearing timer (xmlns `disappearing_mode`).
import { createHash, randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { shownJidOf, shownPnJid } from '../world/delivery.ts';
import type { Account, Companion, World } from '../world/model.ts';
import { deliverNotification, lidJid, notifyCompanions, pnJid } from '../world/world.ts';
import { type Answer, type IqHandler, requestOf, StanzaError } from './router.ts';

const AUDIENCES = ['all', 'contacts', 'contact_blacklist', 'none'];

/** The values that each category (privacy setting) can have. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['readreceipts', ['all', 'none']],
  ['profile', AUDIENCES],
  ['status', AUDIENCES],
  ['online', ['all', 'match_last_seen']],
  ['last', AUDIENCES],
  ['groupadd', AUDIENCES],
  ['calladd', ['all', 'known']],
  ['messages', ['all', 'contacts']],
]);

/** Answers queries and changes of the privacy categories, and issues tokens to trusted contacts. */
export function createPrivacy(world: World): IqHandler {
  return (companion, iq) => {
    const request = requestOf(iq);
    if (request?.tag === 'tokens') return issueTokens(world, companion, request);
    if (request?.tag !== 'privacy') return undefined;
    const { privacy } = companion.account;
    const changes = iq.attrs.type === 'set' ? getBinaryNodeChildren(request, 'category') : [];
    for (const { attrs } of changes) {
      const { name = '', value = '' } = attrs;
      if (!VALUES.get(name)?.includes(value)) throw new StanzaError(400);
    }
    for (const { attrs } of changes) privacy.set(attrs.name ?? '', attrs.value ?? '');
    const categories = [...privacy].map(([name, value]) => element('category', { name, value }));
    const notice = [element('privacy', {}, changes)];
    return {
      content: [element('privacy', {}, categories)],
      after() {
        if (changes.length > 0) notifyCompanions(world, companion.account, 'account_sync', notice, companion);
      },
    };
  };
}

/**
 * Sends a token to each contact in the request. The devices of the contact then add the token to their messages to
 * `account`, and to their queries for the picture of `account`. Tokens are random bytes, because the sandbox does not
 * check them.
 */
function issueTokens(world: World, { account }: Companion, request: BinaryNode): Answer {
  const issued = getBinaryNodeChildren(request, 'token').map(({ attrs }) => {
    if (attrs.type !== 'trusted_contact' || !/^\d+$/.test(attrs.t ?? '')) throw new StanzaError(400);
    return { contact: world.byJid(attrs.jid ?? ''), t: attrs.t };
  });
  return {
    after() {
      for (const { contact, t } of issued) {
        if (!contact || contact === account) continue;
        const token = element('token', { jid: pnJid(contact), t, type: 'trusted_contact' }, randomBytes(16));
        for (const to of contact.companions.values()) {
          const notice = [element('tokens', {}, [token])];
          deliverNotification(world, to, shownJidOf('pn', account), 'privacy_token', notice, {
            sender_lid: lidJid(account),
          });
        }
      }
    },
  };
}

/** `<list>` with the accounts that `account` has blocked. */
function blocklistNode(world: World, account: Account): BinaryNode {
  const items = [...account.blocked].map((number) => {
    const blocked = world.account(number);
    return element('item', { jid: lidJid(blocked), pn_jid: shownPnJid(blocked) });
  });
  return element('list', { dhash: hashOf(items) }, items);
}

/**
 * Blocks or unblocks `other` for `account`, and notifies the companions of `account` except `changedBy`, which made the
 * change.
 */
export function setBlocked(
  world: World,
  account: Account,
  other: Account,
  action: 'block' | 'unblock',
  changedBy?: Companion,
): void {
  const before = blocklistNode(world, account);
  if (action === 'block') account.blocked.add(other.number);
  else account.blocked.delete(other.number);
  const hashes = { dhash: blocklistNode(world, account).attrs.dhash, prev_dhash: before.attrs.dhash };
  const change = element('blocklist', hashes, [element('item', { action, jid: lidJid(other) })]);
  notifyCompanions(world, account, 'account_sync', [change], changedBy);
}

/** Answers queries and changes of the blocklist. */
export function createBlocklist(world: World): IqHandler {
  return (companion, iq) => {
    const { account } = companion;
    const item = requestOf(iq);
    if (iq.attrs.type === 'set') {
      if (item?.tag !== 'item') return undefined;
      const { action, jid = '' } = item.attrs;
      const other = world.byJid(jid);
      if (!other) throw new StanzaError(404);
      if (action !== 'block' && action !== 'unblock') throw new StanzaError(400);
      setBlocked(world, account, other, action, companion);
    }
    return { content: [blocklistNode(world, account)] };
  };
}

/** The hash (`dhash`) with which a client checks whether its copy of the blocklist is up to date. */
function hashOf(items: BinaryNode[]): string {
  const jids = items.map(({ attrs }) => attrs.jid).sort();
  return createHash('sha256').update(jids.join('')).digest('base64').slice(0, 8);
}

/** Answers changes of the account's default disappearing timer for new chats, in seconds. */
export function createDisappearing(world: World): IqHandler {
  return (companion, iq) => {
    const request = requestOf(iq);
    const duration = Number(request?.attrs.duration);
    if (request?.tag !== 'disappearing_mode') return undefined;
    if (!Number.isInteger(duration) || duration < 0) throw new StanzaError(400);
    const at = world.now();
    const { account } = companion;
    account.disappearing = { duration, at };
    const change = element('disappearing_mode', { duration: String(duration), t: String(at) });
    return { after: () => notifyCompanions(world, account, 'account_sync', [change], companion) };
  };
}
