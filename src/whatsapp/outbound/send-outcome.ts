// Reads the statuses of a message: waits for the first status of a sent message, and lists the status history. Decision
// D-076.
import { GatewayError } from '../../errors.ts';
import type { StatusChange } from '../../events/event-batch.ts';
import type { MessageKey, MessageStatus } from '../../events/events.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Session } from '../session.ts';
import { currentMessageIdentity } from './message-id.ts';

/**
 * Resolves with the current status of a message that the request has sent. While the message is PENDING, waits up to
 * `timeoutMs` for its first status, and resolves with undefined when none arrives. Never rejects, because the send
 * itself has succeeded.
 */
export async function waitForStatus(
  session: Session,
  { id }: MessageKey,
  timeoutMs: number,
): Promise<StatusChange | undefined> {
  // The subscription comes before the database read, so that no status is missed in between.
  const nextStatus = session.pendingMessages.nextStatus(id, timeoutMs);
  const stored = await session.storage.messages.statuses(session.instanceId, id).catch(() => []);
  const last = stored.at(-1);
  // A repeated request sends the message again, so a stored ERROR can be from the earlier attempt. `nextStatus`
  // resolves at once with an ERROR of the current attempt.
  const isOutdated = last?.status === 'ERROR' && currentMessageIdentity()?.isRepeat === true;
  return last === undefined || isOutdated ? nextStatus : last;
}

export interface StatusHistory {
  key: MessageKey;
  /** Absent for a received message that has no status. */
  status?: MessageStatus;
  /** Oldest first. `at` is an ISO 8601 time in UTC. */
  history: { status: MessageStatus; at: string; participant?: string; code?: string; reason?: string }[];
}

/** Returns the status history of a stored message. Throws MESSAGE_NOT_FOUND. */
export async function readStatusHistory(
  messages: Pick<Storage['messages'], 'get' | 'statuses'>,
  instanceId: string,
  id: string,
): Promise<StatusHistory> {
  const message = await messages.get(instanceId, id);
  if (!message) throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found']);
  const { key, status, messageTimestamp } = message;
  const changes = await messages.statuses(instanceId, id);
  const history = changes.map(({ key: { participant }, status: newStatus, at: atMs, code, reason }) => ({
    status: newStatus,
    at: new Date(atMs).toISOString(),
    ...(participant ? { participant } : {}),
    ...(code ? { code } : {}),
    ...(reason ? { reason } : {}),
  }));
  // The history of a sent message starts with PENDING at the time of the message.
  const pending = { status: 'PENDING', at: new Date(messageTimestamp * 1000).toISOString() } as const;
  return { key, ...(status ? { status } : {}), history: key.fromMe ? [pending, ...history] : history };
}
