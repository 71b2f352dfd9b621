// Handles `<presence>` and `<chatstate>` of clients: whether they are online, their subscriptions to the presence of
// others, and typing. Presence and typing are sent to connected clients only, and never queued.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import type { Services } from '../phone/interfaces.ts';
import { sendTyping, typingOf } from '../phone/typing.ts';
import { addressingOf } from '../world/delivery.ts';
import type { Account, Companion, Connection, StanzaHandler } from '../world/model.ts';
import { isAccountName } from '../world/world.ts';
import { maySee } from './usync.ts';

export interface PresenceHandlers {
  presence: StanzaHandler;
  chatstate: StanzaHandler;
  /**
   * Sets the presence of one device (`device`: a connection or the phone). An account is available while at least one
   * of its devices is available.
   */
  setPresence(account: Account, device: object, state: Account['presence']): void;
  /** Makes the client of a closed connection unavailable. */
  onDisconnect(connection: Connection): void;
}

export function createPresenceHandlers(services: Services): PresenceHandlers {
  const { world } = services;
  /** The subscriptions to each account: the subscribed connections, with the JID that each used for the account. */
  const subscriptions = new WeakMap<Account, Map<Connection, string>>();

  function subscribe(connection: Connection, to: string): void {
    const account = world.byJid(to);
    if (!account) return;
    const subscribers = subscriptions.get(account) ?? new Map<Connection, string>();
    subscriptions.set(account, subscribers.set(connection, to));
    connection.send(presenceNode(account, to, connection.companion));
  }

  /** The available devices (connections or phone) of each account. */
  const availableDevices = new WeakMap<Account, Set<object>>();
  /** Clients that have sent their owner's name. WhatsApp shows only these as available. */
  const namedClients = new WeakSet<Companion>();

  /** Sends the presence of the account to its subscribers. */
  const announce = (account: Account) => {
    const subscribers = subscriptions.get(account);
    if (!subscribers) return;
    for (const [connection, jid] of subscribers) {
      // A subscription ends with its connection.
      if (connection.companion?.connection === connection)
        connection.send(presenceNode(account, jid, connection.companion));
      else subscribers.delete(connection);
    }
  };

  function setPresence(account: Account, device: object, state: Account['presence']): void {
    const devices = availableDevices.get(account) ?? new Set();
    availableDevices.set(account, devices);
    if (state === 'available') devices.add(device);
    else devices.delete(device);
    const nextPresence = devices.size > 0 ? 'available' : 'unavailable';
    if (nextPresence === account.presence) return;
    account.presence = nextPresence;
    announce(account);
  }

  const presence: StanzaHandler = async (connection, node) => {
    const { companion } = connection;
    if (!companion) return false;
    const { type, to, name } = node.attrs;
    if (to) {
      // A client can only subscribe to another account; it sends its own presence without `to`.
      if (type !== 'subscribe') return false;
      subscribe(connection, to);
      return true;
    }
    if (isAccountName(name)) {
      companion.account.name = name;
      namedClients.add(companion);
    }
    if (type === 'unavailable' || (type === 'available' && namedClients.has(companion))) {
      setPresence(companion.account, connection, type);
    }
    return true;
  };

  const chatstate: StanzaHandler = async (connection, node) => {
    const author = connection.companion;
    const { to } = node.attrs;
    const state = Array.isArray(node.content) ? node.content[0] : undefined;
    if (!author || !to || !state) return false;
    const { account, device } = author;
    const group = services.groups.get(to);
    const chat = group?.members.has(account) ? group.id : world.byJid(to);
    if (chat) sendTyping(services, account, chat, typingOf(state), { device, addressing: addressingOf(to) });
    return true;
  };

  const onDisconnect = (connection: Connection) => {
    if (connection.companion) setPresence(connection.companion.account, connection, 'unavailable');
  };

  return { presence, chatstate, setPresence, onDisconnect };
}

/**
 * `<presence>` of an account for a subscriber, from the JID that the subscriber used. An account that hides its
 * last-seen time or has blocked the subscriber always appears unavailable.
 */
const presenceNode = (account: Account, from: string, subscriber: Companion | undefined): BinaryNode =>
  account.presence === 'available' && subscriber && maySee(account, subscriber.account, 'last')
    ? element('presence', { from })
    : element('presence', { from, type: 'unavailable', last: 'deny' });
