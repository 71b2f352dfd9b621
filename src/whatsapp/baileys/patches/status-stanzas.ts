// Handles statuses (posts that are visible for 24 hours) that WhatsApp sends in the stanza `status`. Decision D-169.
// Why: since 2026, WhatsApp sends statuses of people as `<status>` instead of `<message>`, and channels have statuses.
//   Baileys ignores this stanza. WhatsApp then sends it again at each login and closes the connection every 50 minutes.
// Upstream: not reported. The behavior of WhatsApp is described in oxidezap/whatsapp-rust pull request #1101.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys has a listener for `CB:status`, and acknowledges with the class `status`.

import { toWholeNumber } from '../../../lib/whole-number.ts';
import { isJidNewsletter, proto, type WAMessage, type WASocket } from '../library.ts';
import { POST_DELETED } from '../queries.ts';
import { childOf, STATUS_JID, type Stanza } from '../stanza.ts';
import type { StanzaHooks } from '../stanza-listener.ts';

/**
 * Maximum number of stanzas whose message Baileys has not emitted yet. The oldest is acknowledged when there are more.
 */
const MAX_WAITING = 1_000;
/** ms after which a stanza is acknowledged even when Baileys has emitted no message. */
const MAX_DELAY = 30_000;

type StatusSocket = Pick<WASocket, 'ws' | 'ev' | 'messageMutex' | 'sendNode'>;

/** Passes statuses on as messages, and acknowledges each stanza after its events are stored. */
export function patchStatusStanzas(
  { ws, ev, messageMutex, sendNode }: StatusSocket,
  { waitForEvents, onFailure }: StanzaHooks,
): void {
  /** By id: the stanzas of people (not of channels) for which Baileys has not emitted a message yet. */
  const waiting = new Map<string, Stanza>();
  const acknowledge = (stanza: Stanza) => {
    waitForEvents()
      .then(() => sendNode(toAck(stanza)))
      .catch(onFailure);
  };
  const finish = (id: string) => {
    const stanza = waiting.get(id);
    if (stanza && waiting.delete(id)) acknowledge(stanza);
  };
  ws.on('CB:status', (stanza: Stanza) => {
    const { id, from } = stanza.attrs;
    if (!id || !from) return;
    if (isJidNewsletter(from)) {
      const report = async () => {
        const message = toChannelStatus(stanza);
        if (message)
          ev.emit('messages.upsert', { messages: [message], type: stanza.attrs.offline ? 'append' : 'notify' });
        // Emits what is buffered, so that waitForEvents() includes the status.
        ev.flush();
        acknowledge(stanza);
      };
      messageMutex.mutex(report).catch(onFailure);
      return;
    }
    // If a stanza with this id waits, WhatsApp has sent the stanza again. The waiting stanza is acknowledged.
    finish(id);
    waiting.set(id, stanza);
    // Does nothing when `waiting` contains a later stanza with this id, which has a timer of its own.
    const finishThis = () => {
      if (waiting.get(id) === stanza) finish(id);
    };
    setTimeout(finishThis, MAX_DELAY).unref();
    // A BoundedMap would drop the oldest stanza without its acknowledgment.
    const [oldest] = waiting.size > MAX_WAITING ? waiting.keys() : [];
    if (oldest !== undefined) finish(oldest);
    // Baileys handles the copy as a message and emits `messages.upsert`, which finishes the stanza.
    ws.emit('CB:message', { ...stanza, tag: 'message', attrs: { ...stanza.attrs } });
  });
  ev.on('messages.upsert', ({ messages }) => {
    for (const { key } of messages) if (key.remoteJid === STATUS_JID) finish(key.id ?? '');
  });
}

function toAck({ attrs: { id = '', from = '', participant, type } }: Stanza) {
  const optional = { ...(participant ? { participant } : {}), ...(type ? { type } : {}) };
  return { tag: 'ack', attrs: { class: 'status', id, to: from, ...optional } };
}

/**
 * Returns a status of a channel, or its deletion, as a message whose author is the channel. Undefined for other
 * changes, for stanzas without content such as reactions, and for content that cannot be decoded.
 */
function toChannelStatus(stanza: Stanza): WAMessage | undefined {
  const { id = '', from = '', t, edit, is_sender: isSender } = stanza.attrs;
  const key = { remoteJid: STATUS_JID, participant: from, fromMe: isSender === 'true', id };
  const envelope = { key, participant: from, messageTimestamp: toWholeNumber(t) ?? 0 };
  if (edit === POST_DELETED)
    return { ...envelope, message: { protocolMessage: { type: proto.Message.ProtocolMessage.Type.REVOKE, key } } };
  const content = childOf(stanza, 'plaintext')?.content;
  if (edit !== undefined || !(content instanceof Uint8Array)) return undefined;
  try {
    return { ...envelope, message: proto.Message.decode(content) };
  } catch {
    return undefined;
  }
}
