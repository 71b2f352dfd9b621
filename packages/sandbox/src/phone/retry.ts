// Creates and reads retry receipts, with which a device reports that it cannot decrypt a message and sends keys for a
// new session.
import { type BinaryNode, extractE2ESessionFromRetryReceipt, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { KEY_TYPE_BYTE } from '../crypto/signing.ts';
import { bigEndian, element } from '../lib/binary-node.ts';
import type { Account, KeyBundle, World } from '../world/model.ts';
import type { Signal } from '../world/signal.ts';

/** Maximum number of requests for one message, as in Baileys. */
const MAX_REQUESTS = 5;

/**
 * Creates the content of a phone's `<receipt type="retry">`. `count` is the number of this request (from 1). From the
 * second request on, it contains keys for a new session. Undefined after the maximum number of requests.
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
  const oneTime = preKey && [element('id', {}, bigEndian(preKey.id, 3)), element('value', {}, preKey.public)];
  return element('keys', {}, [
    element('type', {}, KEY_TYPE_BYTE),
    element('identity', {}, identity),
    ...(oneTime ? [element('key', {}, oneTime)] : []),
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
