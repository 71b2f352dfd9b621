// Message ids of requests with an idempotency key: a repeated request sends under the same id, and the receiver shows
// the message once.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, createHmac } from 'node:crypto';
import { takeRandomBytes } from '../../lib/random-bytes.ts';
import type { Session } from '../session.ts';

export interface SendIdentity {
  /** Has the form of newMessageId(). */
  messageId: string;
  /** True when an earlier attempt may have sent the message. */
  isRepeat: boolean;
}

const identities = new AsyncLocalStorage<SendIdentity>();

/** Runs `work`. The message that it sends gets this identity. */
export const runWithIdentity = <T>(identity: SendIdentity, work: () => T): T => identities.run(identity, work);

/**
 * Runs `work` as part `index` of the request. Its message gets an id of its own, which repeated requests derive again.
 */
export function runAsPart<T>(index: number, work: () => T): T {
  const whole = identities.getStore();
  if (!whole) return work();
  const digest = createHash('sha256').update(`${whole.messageId}|${index}`).digest('hex');
  return identities.run({ ...whole, messageId: `3EB0${digest.slice(0, 18).toUpperCase()}` }, work);
}

/** Returns the identity of the current request, if it has one. */
export const currentIdentity = (): SendIdentity | undefined => identities.getStore();

/** Returns the id for a new message. Without an identity it has 72 random bits, in the format of WhatsApp Web. */
export const newMessageId = (): string =>
  currentIdentity()?.messageId ?? `3EB0${takeRandomBytes(9).toString('hex').toUpperCase()}`;

/**
 * Returns the message secret, 32 bytes. A repeated request gets the secret of the first attempt, because receivers keep
 * the first one and encrypt poll votes with it.
 */
export function messageSecret({ socket }: Pick<Session, 'socket'>): Uint8Array {
  const { messageId } = currentIdentity() ?? {};
  if (messageId === undefined) return takeRandomBytes(32);
  return createHmac('sha256', socket.authState.creds.advSecretKey).update(`message secret ${messageId}`).digest();
}
