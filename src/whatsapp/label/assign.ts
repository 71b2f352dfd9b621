// Adds a label to a chat, or removes a label from a chat. Decision D-112.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import type { AuthKeys } from '../../storage/storage.ts';
import { resolveRecipient, rethrowUnknownNumberAsNotFound } from '../address/recipient.ts';
import { changeAppState } from '../outbound/app-state.ts';
import type { Session } from '../session.ts';
import { findLabels } from './store.ts';

export interface LabelInput {
  number: string;
  labelId: string;
  action: 'add' | 'remove';
}

/** The result in the API. It has the member `add` or the member `remove`, according to the action. */
export type LabelResult = { numberJid: string; labelId: string } & ({ add: true } | { remove: true });

/**
 * Adds the label to the chat, or removes the label. `keys` contains the labels of the account. Throws LABEL_NOT_FOUND
 * for an unknown label, because WhatsApp itself does not check the label. Throws the errors of resolveRecipient(), with
 * HTTP status 404 for a number that is not on WhatsApp, and the errors of changeAppState().
 */
export async function changeChatLabel(
  session: Session,
  keys: Pick<AuthKeys, 'readAll' | 'set'>,
  { number, labelId, action }: LabelInput,
): Promise<LabelResult> {
  const labels = await findLabels(keys, session.instanceId);
  if (!labels.some(({ id }) => id === labelId)) {
    throw new GatewayError('LABEL_NOT_FOUND', [`There is no label "${labelId}"`], { certain: true });
  }
  const { jid } = await resolveRecipient(session, number).catch((error: unknown) =>
    rethrowUnknownNumberAsNotFound(error, [COMPATIBILITY_PHRASES.notOnWhatsApp]),
  );
  const change = action === 'add' ? { addChatLabel: { labelId } } : { removeChatLabel: { labelId } };
  const performed = action === 'add' ? ({ add: true } as const) : ({ remove: true } as const);
  await changeAppState(session, change, jid, `Unable to ${action} label to chat`);
  return { numberJid: jid, labelId, ...performed };
}
