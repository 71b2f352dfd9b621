// Creates message ids and message secrets. A repeated request with the same idempotency key gets the same id and
// secret, so that recipients show the message once. Decision D-074.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, createHmac } from 'node:crypto';
import { takeRandomBytes } from '../../lib/random-bytes.ts';
import type { Session } from '../session.ts';

export interface MessageIdentity {
  messageId: string;
  /** True when an earlier request with the same idempotency key may have sent the message. */
  isRepeat: boolean;
}

/** First characters of the message ids of WhatsApp Web. 18 hexadecimal digits follow. */
export const WEB_ID_PREFIX = '3EB0';

const identityStorage = new AsyncLocalStorage<MessageIdentity>();

/** Runs `work`. A message that `work` sends gets this identity. */
export const runWithIdentity = <T>(identity: MessageIdentity, work: () => T): T => identityStorage.run(identity, work);

/**
 * Runs `work`, which sends message number `index` of a request with several messages. That message gets an id of its
 * own, derived from the identity of the request, so that a repeated request gets the same ids.
 */
export function runAsPart<T>(index: number, work: () => T): T {
  const requestIdentity = identityStorage.getStore();
  if (!requestIdentity) return work();
  const digest = createHash('sha256').update(`${requestIdentity.messageId}|${index}`).digest('hex');
  const messageId = `${WEB_ID_PREFIX}${digest.slice(0, 18).toUpperCase()}`;
  return identityStorage.run({ ...requestIdentity, messageId }, work);
}

/** Returns the identity for the message of the current request. Undefined when the request has no idempotency key. */
export const currentMessageIdentity = (): MessageIdentity | undefined => identityStorage.getStore();

/**
 * Returns the id for a new message: the id of currentMessageIdentity(), or a random one in the format of WhatsApp Web.
 */
export const newMessageId = (): string =>
  currentMessageIdentity()?.messageId ?? `${WEB_ID_PREFIX}${takeRandomBytes(9).toString('hex').toUpperCase()}`;

/**
 * Returns the 32-byte secret for the message that is being sent. A repeated request gets the same secret as the first
 * one, because recipients keep the first secret and encrypt poll votes with it.
 */
export function createMessageSecret({ socket }: Pick<Session, 'socket'>): Uint8Array {
  const { messageId } = currentMessageIdentity() ?? {};
  if (messageId === undefined) return takeRandomBytes(32);
  return createHmac('sha256', socket.authState.creds.advSecretKey).update(`message secret ${messageId}`).digest();
}
