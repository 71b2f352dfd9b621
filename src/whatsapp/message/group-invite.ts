// Sends the invite link of a group to several people. Decision D-098.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError, invalidRequestError } from '../../errors.ts';
import { isBroadcast } from '../address/jid.ts';
import { resolveRecipients } from '../address/recipient.ts';
import { toFailedResult } from '../group/initial-settings.ts';
import { readInvite } from '../group/invite.ts';
import type { Session } from '../session.ts';
import { sendText } from './text.ts';

export interface SentInvite {
  /** True when every message was sent. */
  send: boolean;
  inviteUrl: string;
  sent: { number: string; id: string }[];
  failed: { number: string; code: string; message: string }[];
}

/**
 * Sends `description` and the invite link to each of `numbers`, one after another. A failure for one number does not
 * prevent the messages to the others. Throws the errors of resolveRecipients() and readInvite(), and INVALID_REQUEST
 * for statuses and broadcast lists. When no message was sent, throws an error of sendText(), for example
 * NUMBER_NOT_ON_PLATFORM: the last error after which the message may have been sent, or else the last error.
 */
export async function sendInvite(
  session: Session,
  groupJid: string,
  { description = '', numbers }: { description?: string; numbers: readonly string[] },
): Promise<SentInvite> {
  const field = (index: number) => `numbers[${index}]`;
  const recipients = await resolveRecipients(session, numbers, { field });
  const broadcastIndex = recipients.findIndex(({ jid }) => isBroadcast(jid));
  if (broadcastIndex >= 0) {
    const sentence = `${field(broadcastIndex)} must be a person or a group`;
    throw invalidRequestError(sentence);
  }
  const { inviteUrl } = await readInvite(session, groupJid, COMPATIBILITY_PHRASES.sendInvite);
  const text = [description.trim(), inviteUrl].filter(Boolean).join('\n\n');
  const sent: SentInvite['sent'] = [];
  const failed: SentInvite['failed'] = [];
  const errors: unknown[] = [];
  for (const { number } of recipients) {
    try {
      const { key } = await sendText(session, { number, textMessage: { text }, options: { linkPreview: false } });
      sent.push({ number, id: key.id });
    } catch (error) {
      errors.push(error);
      failed.push({ number, ...toFailedResult(error) });
    }
  }
  if (sent.length === 0) throw errors.findLast(mayHaveBeenSent) ?? errors.at(-1);
  return { send: failed.length === 0, inviteUrl, sent, failed };
}

/** True for the error of a message that may have been sent. `certain: true` states that the message was not sent. */
const mayHaveBeenSent = (error: unknown): boolean => !(error instanceof GatewayError && error.certain === true);
