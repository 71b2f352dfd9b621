// xmlns `privacy`, `blocklist` and `disappearing_mode`: what an account allows and whom it shuts out.
import { getBinaryNodeChildren } from '@whiskeysockets/baileys';
import type { Account, World } from '../model.ts';
import { element } from '../node.ts';
import { lidJid, notifyOthers, PRIVACY_DEFAULTS, pnJid } from '../world.ts';
import { type IqHandler, requestOf, StanzaError } from './router.ts';

const VALUES = new Set(['all', 'contacts', 'contact_blacklist', 'none', 'match_last_seen', 'known']);

/** Reads and sets the categories. `tokens` (trusted contacts, sent after a first message) are accepted and issue nothing. */
export const privacy: IqHandler = ({ account }, iq) => {
  const request = requestOf(iq);
  if (request?.tag === 'tokens') return {};
  if (request?.tag !== 'privacy') return undefined;
  if (iq.attrs.type === 'set') {
    const changes = getBinaryNodeChildren(request, 'category').map(({ attrs }) => attrs);
    for (const { name = '', value = '' } of changes) {
      if (!Object.hasOwn(PRIVACY_DEFAULTS, name) || !VALUES.has(value)) throw new StanzaError(400);
    }
    for (const { name = '', value = '' } of changes) account.privacy.set(name, value);
  }
  const categories = [...account.privacy].map(([name, value]) => element('category', { name, value }));
  return { content: [element('privacy', {}, categories)] };
};

export function createBlocklist(world: World): IqHandler {
  const list = ({ blocked }: Account) => {
    const items = [...blocked].map((number) => {
      const account = world.account(number);
      return element('item', { jid: lidJid(account), pn_jid: pnJid(account) });
    });
    return { content: [element('list', {}, items)] };
  };
  return (companion, iq) => {
    const { account } = companion;
    if (iq.attrs.type === 'get') return list(account);
    const item = requestOf(iq);
    if (item?.tag !== 'item') return undefined;
    const { action, jid = '' } = item.attrs;
    const other = world.byJid(jid);
    if (!other) throw new StanzaError(404);
    if (action === 'block') account.blocked.add(other.number);
    else if (action === 'unblock') account.blocked.delete(other.number);
    else throw new StanzaError(400);
    const change = element('blocklist', {}, [element('item', { action, jid })]);
    return { ...list(account), after: () => notifyOthers(world, companion, 'account_sync', [change]) };
  };
}

/** The timer that new chats of the account begin with. */
export function createDisappearing(world: World): IqHandler {
  return (companion, iq) => {
    const request = requestOf(iq);
    const duration = Number(request?.attrs.duration);
    if (request?.tag !== 'disappearing_mode') return undefined;
    if (!Number.isInteger(duration) || duration < 0) throw new StanzaError(400);
    const at = world.now();
    companion.account.disappearing = { duration, at };
    const change = element('disappearing_mode', { duration: String(duration), t: String(at) });
    return { after: () => notifyOthers(world, companion, 'account_sync', [change]) };
  };
}
