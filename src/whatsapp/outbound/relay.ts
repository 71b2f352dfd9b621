// Passes a message to Baileys. A status is sent in several stanzas, because each one contains a key for every receiver.

import { isNewsletter } from '../address/jid.ts';
import { requireAnswers } from '../baileys/patches/query-timeout.ts';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { toDistinctRows } from '../content/list-rows.ts';
import type { Session } from '../session.ts';
import { toPostStanza } from './channel-post.ts';

export interface RelayOptions {
  id: string;
  /** Attributes of the stanza beside those that every message has. */
  attributes?: Record<string, string> | undefined;
  /** Children of the stanza beside those that every message has. */
  nodes?: Stanza[] | undefined;
  /** JIDs that may see a status. */
  audience?: readonly string[] | undefined;
}

/** Receivers per stanza of a status. */
const AUDIENCE_SIZE = 200;

/**
 * Resolves when everything is written. Rejects as relayMessage(), and with an error without a code when a status
 * reached only a part of its audience.
 */
export async function relay(
  session: Session,
  jid: string,
  recorded: proto.IMessage,
  { id, attributes, nodes, audience }: RelayOptions,
): Promise<void> {
  const content = toDistinctRows(recorded);
  const { socket, devices } = session;
  const options = {
    messageId: id,
    ...(attributes ? { additionalAttributes: attributes } : {}),
    ...(nodes ? { additionalNodes: nodes } : {}),
  };
  if (isNewsletter(jid)) return socket.sendNode(toPostStanza(jid, id, content, attributes));
  if (!audience) {
    await requireAnswers(() => socket.relayMessage(jid, content, options));
    return;
  }
  for (let from = 0; from < audience.length; from += AUDIENCE_SIZE) {
    const people = audience.slice(from, from + AUDIENCE_SIZE);
    try {
      // An unanswered query inside the account's turn would delay every other chat (device-prefetch.ts).
      await devices.prefetch(jid, people);
      await requireAnswers(() => socket.relayMessage(jid, content, { ...options, statusJidList: people }));
    } catch (cause) {
      throw from === 0 ? cause : new Error('a part of the audience was reached', { cause });
    }
  }
}
