// What became of a sent message, as far as the platform has said: for callers who wait, and for those who ask later.
import { GatewayError } from '../../errors.ts';
import type { StatusChange } from '../../events/event-batch.ts';
import type { MessageKey, MessageStatus } from '../../events/events.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Session } from '../session.ts';

/**
 * Resolves with the status a sent message has reached, at the latest after `ms`; undefined when it is still PENDING then, as far as is
 * known. Never rejects: the message is sent.
 */
export async function waitForOutcome(
  session: Session,
  { id }: MessageKey,
  ms: number,
): Promise<StatusChange | undefined> {
  // In this order: what is stored between the look and the listening would be missed.
  const heard = session.pendingMessages.outcome(id, ms);
  const known = await session.storage.messages.statuses(session.instanceId, id).catch(() => []);
  return known.at(-1) ?? heard;
}

export interface StatusHistory {
  key: MessageKey;
  /** Absent for received messages of which nothing is known. */
  status?: MessageStatus;
  /** Oldest first. `at` is ISO 8601 in UTC. */
  history: { status: MessageStatus; at: string; participant?: string; code?: string; reason?: string }[];
}

/** The statuses of a stored message. Throws MESSAGE_NOT_FOUND. */
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
    ...{ status: reached, at: new Date(at).toISOString() },
    ...{ ...(participant ? { participant } : {}), ...(code ? { code } : {}), ...(reason ? { reason } : {}) },
  }));
  const sent = { status: 'PENDING', at: new Date(messageTimestamp * 1000).toISOString() } as const;
  return { key, ...(status ? { status } : {}), history: key.fromMe ? [sent, ...history] : history };
}
