// Sends queries and the name of the account with the gateway's encoder, and prevents empty presence stanzas.
// Why: Baileys encodes each text that contains `@` as a JID, so that a part of the text is lost, for example of the
//   subject of a new group. At the login, Baileys removes each `@` from the name of the account. For a change of the
//   credentials that does not contain the name, Baileys sends an empty `<presence>`.
// Upstream: WhiskeySockets/Baileys issue #2627 and pull request #2740 (both closed) describe the empty presence. The
//   rest is not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `encodeBinaryNode` encodes only JIDs as JIDs, `sendPresenceUpdate` keeps `@`, and the listener of
//   `creds.update` ignores updates without `me`.
import type { BaileysEventMap, BinaryNode, WASocket } from '../library.ts';
import { isUnanswered } from '../required-answers.ts';
import { type StanzaQueries, writeStanza } from '../stanza-query.ts';

type TextSocket = Pick<WASocket, 'authState' | 'ev' | 'logger' | 'query' | 'sendNode' | 'sendRawMessage'>;

/**
 * Replaces query() for queries that have neither an id nor a timeout of their own, and sends each change of the
 * account's name. Calls `onFailure` when the name could not be sent.
 */
export function patchTextEncoding(
  socket: TextSocket,
  queries: Pick<StanzaQueries, 'send'>,
  onFailure: (error: unknown) => void,
): void {
  const { authState, ev, query } = socket;
  socket.query = async (stanza: BinaryNode, timeoutMs?: number) => {
    // A query with an id changes a channel post. queries.send() would replace this id, which is that of the post.
    if (timeoutMs !== undefined || stanza.attrs.id !== undefined) return query(stanza, timeoutMs);
    return queries.send(stanza).catch((error: unknown) => {
      // query() of Baileys also resolves with undefined when WhatsApp does not answer.
      if (isUnanswered(error)) return undefined;
      throw error;
    });
  };
  const sendPresence = (attrs: Record<string, string>) => {
    writeStanza(socket, { tag: 'presence', attrs }).catch(onFailure);
  };
  const { emit } = ev;
  ev.emit = (event, data) => {
    const { me } = authState.creds;
    if (!isCredsUpdate(event, data)) return emit(event, data);
    // `me` contains the name of the account. Baileys sends a presence when an update lacks the name, so an update
    // without `me` gets the stored `me`.
    if (!data.me) return me ? emit('creds.update', { ...data, me }) : emit('creds.update', data);
    // After this assignment, the stored name equals the name in the update, so Baileys sends no presence.
    // sendPresence() sends the new name.
    authState.creds.me = data.me;
    const result = emit('creds.update', data);
    const { name } = data.me;
    if (name && name !== me?.name) sendPresence({ name });
    return result;
  };
  // Baileys emits this event and then sends a presence in which the name lacks each `@`. The microtask sends another
  // presence with the whole name after that.
  ev.on('connection.update', ({ isOnline }) => {
    const name = authState.creds.me?.name;
    if (isOnline === undefined || !name?.includes('@')) return;
    queueMicrotask(() => sendPresence({ name, type: isOnline ? 'available' : 'unavailable' }));
  });
}

const isCredsUpdate = (event: keyof BaileysEventMap, _data: unknown): _data is BaileysEventMap['creds.update'] =>
  event === 'creds.update';
