// Reads the statuses of a sent message: the next one for callers that wait, and the history.
import { GatewayError } from '../../errors.ts';
import type { StatusChange } from '../../events/event-batch.ts';
import type { MessageKey, MessageStatus } from '../../events/events.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Session } from '../session.ts';

/**
 * Resolves with the current status of a sent message, or waits up to `ms` for the first one. Undefined when it is still
 * PENDING. Never rejects, because the message was sent.
 */
export async function waitForOutcome(
  session: Session,
  { id }: MessageKey,
  ms: number,
): Promise<StatusChange | undefined> {
  // Subscribes before it reads, so that no status between the two is missed.
  const nextStatus = session.pendingMessages.nextStatus(id, ms);
  const stored = await session.storage.messages.statuses(session.instanceId, id).catch(() => []);
  return stored.at(-1) ?? nextStatus;
}

export interface StatusHistory {
  key: MessageKey;
  /** Absent for received messages without a status. */
  status?: MessageStatus;
  /** Oldest first. `at` is ISO 8601 in UTC. */
  history: { status: MessageStatus; at: string; participant?: string; code?: string; reason?: string }[];
}

/** Returns the statuses of a stored message. Throws MESSAGE_NOT_FOUND. */
export async function readStatusHistory(
  messages: Pick<Storage['messages'], 'get' | 'statuses'>,
  instanceId: string,
  id: string,
): Promise<StatusHistory> {
  const message = await messages.get(instanceId, id);
  if (!message) throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found']);
  const { key, status, messageTimestamp } = message;
  const changes = await messages.statuses(instanceId, id);
  const history = changes.map(({ key: { participant }, status: reached, at, code, reason }) => ({
    status: reached,
    at: new Date(at).toISOString(),
    ...(participant ? { participant } : {}),
    ...(code ? { code } : {}),
    ...(reason ? { reason } : {}),
  }));
  const sent = { status: 'PENDING', at: new Date(messageTimestamp * 1000).toISOString() } as const;
  return { key, ...(status ? { status } : {}), history: key.fromMe ? [sent, ...history] : history };
}
