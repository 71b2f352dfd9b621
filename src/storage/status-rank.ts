// The order of message statuses, in one place.
import type { MessageStatus } from '../events/events.ts';

/**
 * A status may only rise along this list. ERROR stands between PENDING and SERVER_ACK: it ends a message that nobody has
 * accepted, never one that was, and later proof that the message did arrive is still believed. DELETED is the end of any message.
 */
const order: readonly MessageStatus[] = ['PENDING', 'ERROR', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED', 'DELETED'];

/** 0 to 6; -1 when there is no status. */
export const rankOf = (status: MessageStatus | undefined): number => (status ? order.indexOf(status) : -1);

export const statusOf = (rank: number): MessageStatus | undefined => order[rank];
