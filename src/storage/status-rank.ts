// The order of message statuses. Decision D-018.
import type { MessageStatus } from '../events/events.ts';

/**
 * The status of a message only ever rises along this list. ERROR is between PENDING and SERVER_ACK: it applies to a
 * message that the server has not accepted, and a later acknowledgment replaces it. DELETED is final.
 */
const STATUS_ORDER: readonly MessageStatus[] = [
  'PENDING',
  'ERROR',
  'SERVER_ACK',
  'DELIVERY_ACK',
  'READ',
  'PLAYED',
  'DELETED',
];

/** The rank 0 to 6 of a status; -1 for none. */
export const rankOf = (status: MessageStatus | undefined): number => (status ? STATUS_ORDER.indexOf(status) : -1);

/** The status with this rank; undefined for -1. */
export const statusOf = (rank: number): MessageStatus | undefined => STATUS_ORDER[rank];
