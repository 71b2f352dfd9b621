// Creates and reads retry receipts. With a retry receipt, a device reports that it cannot decrypt a message. The
// receipt can contain keys for a new Signal session.
import { type BinaryNode, extractE2ESessionFromRetryReceipt, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { KEY_TYPE_BYTE } from '../crypto/signing.ts';
import { bigEndian, element } from '../lib/binary-node.ts';
import { limitSize } from '../lib/limit-size.ts';
import type { Account, KeyBundle, World } from '../world/model.ts';
import type { Signal } from '../world/signal.ts';

/** Maximum number of requests for one message, as in Baileys. */
const MAX_REQUESTS = 5;
/** Maximum number of messages whose requests are counted; the oldest counts are removed. */
const MAX_COUNTS = 10_000;

/**
 * Counts how many times messages were requested again. A key identifies the message and, when several phones share the
 * counts, also the phone that requests it.
 */
export class RetryCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a request and returns its number, from 1. */
  next(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    limitSize(this.#counts, MAX_COUNTS);
    return count;
  }

  delete(key: string): void {
    this.#counts.delete(key);
  }
}

/**
 * Creates the content of a phone's `<receipt type="retry">`. `count` is the number of this request (from 1). From the
 * second request on, the receipt contains keys for a new session. Undefined after the maximum number of requests.
 */
export function createRetryRequest(
  world: World,
  { id, count, phone }: { id: string; count: number; phone: { account: Account; signal: Signal } },
): BinaryNode[] | undefined {
  if (count > MAX_REQUESTS) return undefined;
  const retry = element('retry', { count: String(count), id, t: String(world.now()), v: '1' });
  const registration = element('registration', {}, bigEndian(phone.account.registrationId, 4));
  return count > 1 ? [retry, registration, keysNode(phone.signal.createBundle())] : [retry, registration];
}

function keysNode({ identity, signedPreKey, preKey }: KeyBundle): BinaryNode {
  const oneTimePreKey = preKey && [element('id', {}, bigEndian(preKey.id, 3)), element('value', {}, preKey.public)];
  return element('keys', {}, [
    element('type', {}, KEY_TYPE_BYTE),
    element('identity', {}, identity),
    ...(oneTimePreKey ? [element('key', {}, oneTimePreKey)] : []),
    element('skey', {}, [
      element('id', {}, bigEndian(signedPreKey.id, 3)),
      element('value', {}, signedPreKey.public),
      element('signature', {}, signedPreKey.signature),
    ]),
  ]);
}

/** Reads a companion's retry receipt: the number of the request, and the keys for a new session, if any. */
export function readRetryKeys(receipt: BinaryNode): { count: string; keys: KeyBundle | undefined } {
  const count = getBinaryNodeChild(receipt, 'retry')?.attrs.count ?? '1';
  const session = extractE2ESessionFromRetryReceipt(receipt);
  if (!session) return { count, keys: undefined };
  // Baileys adds a type byte to each public key; the sandbox stores keys without it.
  const { registrationId, identityKey, signedPreKey, preKey } = session;
  const keys = {
    registrationId,
    identity: identityKey.subarray(1),
    signedPreKey: {
      id: signedPreKey.keyId,
      public: signedPreKey.publicKey.subarray(1),
      signature: signedPreKey.signature,
    },
    preKey: preKey && { id: preKey.keyId, public: preKey.publicKey.subarray(1) },
  };
  return { count, keys };
}
