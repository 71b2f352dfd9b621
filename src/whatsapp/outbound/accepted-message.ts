// Finds the message that an earlier request with the same idempotency key has sent. Decision D-074.
import type { Message } from '../../events/events.ts';
import type { Session } from '../session.ts';
import { currentMessageIdentity } from './message-id.ts';

/**
 * Resolves with the message of the current request, if an earlier request with the same idempotency key has sent it and
 * WhatsApp has accepted it. Resolves with undefined when the message is still to be sent, under the same id.
 */
export async function findAcceptedMessage({
  storage,
  instanceId,
}: Pick<Session, 'storage' | 'instanceId'>): Promise<Message | undefined> {
  const identity = currentMessageIdentity();
  if (!identity?.isRepeat) return undefined;
  const earlier = await storage.messages.get(instanceId, identity.messageId);
  // Another person's message can have the same id.
  if (!earlier?.key.fromMe) return undefined;
  return earlier.status !== 'PENDING' && earlier.status !== 'ERROR' ? earlier : undefined;
}
