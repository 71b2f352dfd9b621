// `<presence>` and `<chatstate>`: who is online, who watches whom, who types. Nothing here is queued: it concerns only the moment.
import type { BinaryNode } from '@whiskeysockets/baileys';
import type { Account, Connection, StanzaHandler } from '../model.ts';
import { element } from '../node.ts';
import { type Exchange, formOf, jidOf } from '../post.ts';

interface PresenceHandlers {
  presence: StanzaHandler;
  chatstate: StanzaHandler;
  announce(account: Account): void;
}

export function createPresenceHandlers(exchange: Exchange): PresenceHandlers {
  const { world } = exchange;
  /** Watched account → watching connection → the JID it asked with. */
  const watchers = new WeakMap<Account, Map<Connection, string>>();

  function subscribe(connection: Connection, to: string): void {
    const account = world.byJid(to);
    if (!account) return;
    const watching = watchers.get(account) ?? new Map<Connection, string>();
    watchers.set(account, watching.set(connection, to));
    connection.send(presenceOf(account, to));
  }

  const announce = (account: Account) => {
    const watching = watchers.get(account);
    if (!watching) return;
    for (const [connection, jid] of watching) {
      // A subscription ends with its connection.
      if (connection.companion?.connection === connection) connection.send(presenceOf(account, jid));
      else watching.delete(connection);
    }
  };

  const presence: StanzaHandler = async (connection, node) => {
    const account = connection.companion?.account;
    if (!account) return false;
    const { type, to, name } = node.attrs;
    if (type === 'subscribe' && to) subscribe(connection, to);
    else {
      if (name) account.name = name;
      if (type === 'available' || type === 'unavailable') {
        account.presence = type;
        announce(account);
      }
    }
    return true;
  };

  const chatstate: StanzaHandler = async (connection, node) => {
    const author = connection.companion;
    const chat = node.attrs.to && world.byJid(node.attrs.to);
    const state = Array.isArray(node.content) ? node.content[0] : undefined;
    if (!author || !node.attrs.to || !state) return false;
    if (!chat) return true;
    exchange.phone(chat).noteTyping(author.account, typingOf(state));
    const from = jidOf(formOf(node.attrs.to), author.account, author.device);
    for (const companion of chat.companions.values()) {
      companion.connection?.send(element('chatstate', { from }, [state]));
    }
    return true;
  };

  return { presence, chatstate, announce };
}

const presenceOf = (account: Account, from: string): BinaryNode =>
  account.presence === 'available'
    ? element('presence', { from })
    : element('presence', { from, type: 'unavailable', last: 'deny' });

function typingOf({ tag, attrs }: BinaryNode) {
  if (tag !== 'composing') return 'paused';
  return attrs.media === 'audio' ? 'recording' : 'composing';
}
