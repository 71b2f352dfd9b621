// Answers queries and changes of an account's privacy settings, blocklist and default disappearing timer (xmlns
// `privacy`, `blocklist` and `disappearing_mode`).
import { createHash, randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { shownJidOf, shownPnJid } from '../world/delivery.ts';
import type { Account, Companion, World } from '../world/model.ts';
import { deliverNotification, lidJid, notifyOtherCompanions, pnJid } from '../world/world.ts';
import { type Answer, type IqHandler, requestOf, StanzaError } from './router.ts';

const AUDIENCES = ['all', 'contacts', 'contact_blacklist', 'none'];

/** The values that each category can have. */
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
        if (changes.length > 0) notifyOtherCompanions(world, companion, 'account_sync', notice);
      },
    };
  };
}

/** Sends each trusted contact a token. Its devices add the token to messages to the account and to picture queries. */
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

/** Answers queries and changes of the blocklist. */
export function createBlocklist(world: World): IqHandler {
  const list = ({ blocked }: Account) => {
    const items = [...blocked].map((number) => {
      const account = world.account(number);
      return element('item', { jid: lidJid(account), pn_jid: shownPnJid(account) });
    });
    return { content: [element('list', { dhash: hashOf(items) }, items)] };
  };
  return (companion, iq) => {
    const { account } = companion;
    if (iq.attrs.type === 'get') return list(account);
    const item = requestOf(iq);
    if (item?.tag !== 'item') return undefined;
    const { action, jid = '' } = item.attrs;
    const other = world.byJid(jid);
    if (!other) throw new StanzaError(404);
    const [before] = list(account).content;
    if (action === 'block') account.blocked.add(other.number);
    else if (action === 'unblock') account.blocked.delete(other.number);
    else throw new StanzaError(400);
    const { content } = list(account);
    const hashes = { dhash: content[0]?.attrs.dhash, prev_dhash: before?.attrs.dhash };
    const change = element('blocklist', hashes, [element('item', { action, jid })]);
    return { content, after: () => notifyOtherCompanions(world, companion, 'account_sync', [change]) };
  };
}

/** The hash with which a client checks whether its copy of the blocklist is up to date. */
function hashOf(items: BinaryNode[]): string {
  const jids = items.map(({ attrs }) => attrs.jid).sort();
  return createHash('sha256').update(jids.join('')).digest('base64').slice(0, 8);
}

/** Sets the account's default disappearing timer for new chats. */
export function createDisappearing(world: World): IqHandler {
  return (companion, iq) => {
    const request = requestOf(iq);
    const duration = Number(request?.attrs.duration);
    if (request?.tag !== 'disappearing_mode') return undefined;
    if (!Number.isInteger(duration) || duration < 0) throw new StanzaError(400);
    const at = world.now();
    companion.account.disappearing = { duration, at };
    const change = element('disappearing_mode', { duration: String(duration), t: String(at) });
    return { after: () => notifyOtherCompanions(world, companion, 'account_sync', [change]) };
  };
}
