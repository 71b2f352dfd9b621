// Hands a message to Baileys: at once, or a status in portions of those who may see it, because each of them gets the key to it every time.

import { isNewsletter } from '../address/jid.ts';
import { requireAnswers } from '../baileys/patches/query-timeout.ts';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { toDistinctRows } from '../content/list-rows.ts';
import type { Session } from '../session.ts';
import { toPostStanza } from './channel-post.ts';

export interface RelayOptions {
  id: string;
  /** Attributes of the stanza beyond what every message has. */
  attributes?: Record<string, string> | undefined;
  /** Children of the stanza beyond what every message has. */
  nodes?: Stanza[] | undefined;
  /** Of a status: JIDs of those who may see it. */
  audience?: readonly string[] | undefined;
}

/** People in one stanza of a status. */
const AUDIENCE_SIZE = 200;

/**
 * Resolves when everything is written. Rejects as relayMessage() does, and with an error that has no code when a status has reached
 * some of its audience and not all.
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
      // Not in the account's turn: an unanswered question would hold up everything else (devices.ts).
      await devices.ready(jid, people);
      await requireAnswers(() => socket.relayMessage(jid, content, { ...options, statusJidList: people }));
    } catch (cause) {
      throw from === 0 ? cause : new Error('a part of the audience was reached', { cause });
    }
  }
}
