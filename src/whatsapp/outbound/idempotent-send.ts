// Finds the message that an earlier request with the same idempotency key has sent. Decision D-074.
import type { Message } from '../../events/events.ts';
import type { Session } from '../session.ts';
import { currentMessageIdentity } from './message-id.ts';

/**
 * Resolves with the message of the current request, if an earlier request with the same idempotency key has sent it and
 * WhatsApp has accepted it. Otherwise resolves with undefined, and the caller must send the message.
 */
export async function findAcceptedMessage({
  storage,
  instanceId,
}: Pick<Session, 'storage' | 'instanceId'>): Promise<Message | undefined> {
  const identity = currentMessageIdentity();
  if (!identity?.isRepeat) return undefined;
  const stored = await storage.messages.get(instanceId, identity.messageId);
  // Another person's message can have the same id.
  if (!stored?.key.fromMe) return undefined;
  // WhatsApp has not accepted a message with the status PENDING or ERROR.
  return stored.status !== 'PENDING' && stored.status !== 'ERROR' ? stored : undefined;
}
