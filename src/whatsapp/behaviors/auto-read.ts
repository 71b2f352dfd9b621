// Automatically marks incoming messages as read (setting `readMessages`) and statuses as seen (setting `readStatus`).
// Then stores that the chats have no unread messages. Decisions D-105 and D-108.

import type { Chat } from '../../events/events.ts';
import { isReadableType } from '../../lib/readable-message.ts';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import { isChannelJid, isGroup, isPersonJid, STATUS_JID } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { isFromMe, toMessageKey } from '../address/message-key.ts';
import { normalizeMessageContent } from '../baileys/proto.ts';
import type { Socket, WireMessage } from '../baileys/types.ts';
import type { Session } from '../session.ts';

type AutoReadSettings = Pick<InstanceSettings, 'readMessages' | 'readStatus' | 'groupsIgnore'>;

/** Starts to mark messages. Reads `settings` for every message, because settings can change during a session. */
export function installAutoRead(
  socket: Pick<Socket, 'ev' | 'ws' | 'readMessages'>,
  session: Session,
  settings: AutoReadSettings,
): void {
  // Baileys can emit messages of an earlier session before the login. A receipt at that time would break the handshake.
  const loggedIn = new Promise<void>((resolve) => socket.ws.once('CB:success', () => resolve()));
  const reporter = new ReadReporter(session);
  socket.ev.on('messages.upsert', ({ messages }) => {
    if (!settings.readMessages && !settings.readStatus) return;
    const me = session.me();
    const keys = messages.flatMap((message) =>
      !isFromMe(message.key, me) && shouldRead(message, settings) ? [message.key] : [],
    );
    if (keys.length === 0) return;
    loggedIn
      .then(async () => {
        if (session.ended.aborted) return;
        await socket.readMessages(keys);
        await reporter.add(keys);
      })
      .catch((err: unknown) => session.log.warn({ err }, 'message.read.failed'));
  });
}

/**
 * Stores and publishes that chats were read. WhatsApp reports this only to the other devices of the account, so this
 * session receives no event for it. Messages that are read while an event is being stored share the next event.
 */
class ReadReporter {
  readonly #session: Session;
  #keys: WireMessage['key'][] = [];
  #isStoring = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Adds the keys of messages that were read. The keys of one chat are in the order of the messages, the newest last.
   * Rejects when the chats cannot be stored.
   */
  async add(keys: readonly WireMessage['key'][]): Promise<void> {
    this.#keys.push(...keys.filter(({ remoteJid }) => remoteJid !== STATUS_JID));
    if (this.#isStoring) return;
    this.#isStoring = true;
    try {
      while (this.#keys.length > 0) {
        // The store looks up the last read message (`readTo`) of a chat, so the message must be stored first.
        await this.#session.waitForEvents();
        await this.#store(this.#keys.splice(0));
      }
    } finally {
      this.#isStoring = false;
    }
  }

  async #store(keys: readonly WireMessage['key'][]): Promise<void> {
    const jids = keys.flatMap(({ remoteJid, participant }) => [remoteJid, participant]).filter(isPerson);
    const knownJids = { me: this.#session.me(), lidPairs: await lookupSessionLidPairs(this.#session, jids) };
    const chats = new Map<string, Chat>();
    for (const wireKey of keys) {
      // `remoteJidAlt` is the LID of the person, the id that hides the phone number.
      const { remoteJid: jid, remoteJidAlt: lid, id } = toMessageKey(wireKey, knownJids) ?? {};
      if (jid && id) chats.set(jid, { jid, ...(lid ? { lid } : {}), unread: 0, readTo: id });
    }
    await this.#session.ingest([{ type: 'chats.update', chats: [...chats.values()] }]);
  }
}

const isPerson = (jid: string | null | undefined): jid is string => typeof jid === 'string' && isPersonJid(jid);

/**
 * True when a setting applies to this message. False for a message that could not be decrypted, and for a message
 * without a read state, such as a reaction.
 */
function shouldRead(
  { key, message }: WireMessage,
  { readMessages, readStatus, groupsIgnore }: AutoReadSettings,
): boolean {
  const chat = key.remoteJid ?? '';
  const content = normalizeMessageContent(message);
  if (!content || isChannelJid(chat) || !Object.keys(content).every(isReadableType)) return false;
  if (chat === STATUS_JID) return readStatus && !isChannelJid(key.participant ?? '');
  return readMessages && !(groupsIgnore && isGroup(chat));
}
