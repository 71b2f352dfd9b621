// The id that the message of a request goes out under, when the request has a key: a repetition sends under the same id, which its
// receiver shows once.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, createHmac } from 'node:crypto';
import { takeRandomBytes } from '../../lib/random-bytes.ts';
import type { Session } from '../session.ts';

export interface SendIdentity {
  /** In the form of newMessageId(). */
  messageId: string;
  /** True when an earlier attempt may have got anywhere. */
  isRepeat: boolean;
}

const identities = new AsyncLocalStorage<SendIdentity>();

/** Runs `work`: the message that it sends takes this identity. */
export const runWithIdentity = <T>(identity: SendIdentity, work: () => T): T => identities.run(identity, work);

/** Runs `work` as part `index` of what the request sends: its message has an id of its own, the same at every repetition. */
export function runAsPart<T>(index: number, work: () => T): T {
  const whole = identities.getStore();
  if (!whole) return work();
  const digest = createHash('sha256').update(`${whole.messageId}|${index}`).digest('hex');
  return identities.run({ ...whole, messageId: `3EB0${digest.slice(0, 18).toUpperCase()}` }, work);
}

/** Of the request that is being worked on, if it has one. */
export const currentIdentity = (): SendIdentity | undefined => identities.getStore();

/** The id of a message about to be sent, 72 bits of it random, in the form in which the platform's web clients make them. */
export const newMessageId = (): string =>
  currentIdentity()?.messageId ?? `3EB0${takeRandomBytes(9).toString('hex').toUpperCase()}`;

/**
 * The secret of the message about to be sent, 32 bytes. A repetition has that of the first attempt: whoever got that one keeps it, and
 * encrypts votes in a poll with it.
 */
export function messageSecret({ socket }: Pick<Session, 'socket'>): Uint8Array {
  const { messageId } = currentIdentity() ?? {};
  if (messageId === undefined) return takeRandomBytes(32);
  return createHmac('sha256', socket.authState.creds.advSecretKey).update(`message secret ${messageId}`).digest();
}
