// Creates ids of messages that simulated phones send.
import { randomBytes } from 'node:crypto';

/** Creates a message id of the form that Android phones use: AC and 30 hex digits. */
export const createMessageId = (): string => `AC${randomBytes(15).toString('hex').toUpperCase()}`;
