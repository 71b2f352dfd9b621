// Sends the content of a message through Baileys. A status with a large audience is sent in several stanzas, because a
// stanza contains an encrypted key for every recipient.

import { toChunks } from '../../lib/chunks.ts';
import { isChannelJid } from '../address/jid.ts';
import type { proto } from '../baileys/proto.ts';
import { requireAnswers } from '../baileys/required-answers.ts';
import { withUniqueRowIds } from '../content/list-rows.ts';
import { stanzaPartsOf } from '../content/stanza-parts.ts';
import type { ChatAddress, Session } from '../session.ts';
import { toPostStanza } from './channel-post.ts';
import { toFirstContactNodes } from './first-contact.ts';
import { replaceAddresses, wireAddresses } from './wire-content.ts';

export interface RelayOptions {
  id: string;
  /** Attributes to add to the message stanza. */
  attributes?: Record<string, string> | undefined;
  /** JIDs of the recipients of a status. */
  audience?: readonly string[] | undefined;
}

/** Maximum number of recipients in one stanza of a status. */
const MAX_RECIPIENTS = 200;

/**
 * Some stanzas of a status were written, and the next one failed. The error has no status code, so that the caller does
 * not take it for "nothing was sent".
 */
class PartlySentError extends Error {
  override readonly name = 'PartlySentError';
  readonly stanzaCount: number;

  constructor(stanzaCount: number, cause: unknown) {
    super('a part of the audience was reached', { cause });
    this.stanzaCount = stanzaCount;
  }
}

/**
 * Returns the number of stanzas that were written before relay() rejected with `error`, but at least 1: an error of the
 * first stanza does not say whether this stanza was written.
 */
export const stanzaCountOf = (error: unknown): number => (error instanceof PartlySentError ? error.stanzaCount : 1);

/**
 * Resolves with the number of stanzas when all are written to the socket. Rejects with the error of Baileys'
 * relayMessage(), or with an error without a status code when some stanzas of a status were written before the failure.
 */
export async function relay(
  session: Session,
  to: ChatAddress,
  content: proto.IMessage,
  { id, attributes, audience }: RelayOptions,
): Promise<number> {
  const { jid, form } = to;
  // In a chat that is addressed by LID (id that hides the number), keys and quotes also name people by LID.
  const wireContent = replaceAddresses(withUniqueRowIds(content), wireAddresses(to, session.me()));
  const { socket, devices } = session;
  if (isChannelJid(jid)) {
    await socket.sendNode(toPostStanza(jid, id, wireContent, attributes));
    return 1;
  }
  // Attributes and nodes of the stanza that depend on the content and that Baileys does not add.
  const parts = stanzaPartsOf(wireContent);
  const options = {
    messageId: id,
    additionalAttributes: { ...to.attributes, ...parts.attributes, ...attributes },
    additionalNodes: parts.nodes,
  };
  if (!audience) {
    // For metrics: messages to one person are counted by the form of the address (LID or phone number).
    if (form) session.observer?.onAddressed?.(form);
    const additionalNodes = [...parts.nodes, ...(await toFirstContactNodes(session, jid))];
    // requireAnswers() makes the queries of relayMessage() reject when WhatsApp does not answer them.
    await requireAnswers(() => socket.relayMessage(jid, wireContent, { ...options, additionalNodes }));
    return 1;
  }
  let stanzaCount = 0;
  for (const recipients of toChunks(audience, MAX_RECIPIENTS)) {
    try {
      // Without the prefetch, an unanswered query in relayMessage() would block the messages to all other chats
      // (device-prefetch.ts). For messages without an audience, the caller has fetched the devices.
      await devices.prefetch(jid, recipients);
      await requireAnswers(() => socket.relayMessage(jid, wireContent, { ...options, statusJidList: recipients }));
    } catch (cause) {
      throw stanzaCount === 0 ? cause : new PartlySentError(stanzaCount, cause);
    }
    stanzaCount += 1;
  }
  return stanzaCount;
}
