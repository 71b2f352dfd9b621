// Creates and verifies signed links to files of messages. A link gives access to one file until the link expires. Links
// are not stored. Decision D-062.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

/** The message to whose file a link gives access. */
export interface LinkTarget {
  instanceId: string;
  /** Message id. */
  id: string;
  /** JID of the chat as stored. It is needed because message ids are unique only within a chat. */
  chat: string;
}

/** A link that a request contains. */
export interface LinkClaim {
  /** Id of the instance whose name is in the path. */
  instanceId: string;
  /** Message id. */
  id: string;
  /** Expiry in the link, seconds since the epoch. */
  expires: string;
  signature: string;
}

export interface SignedLinks {
  /** Returns `/media/{instance}/{id}?expires=…&signature=…`. `{instance}` is `instanceName`, `{id}` the message id. */
  sign(target: LinkTarget, instanceName: string): string;
  /** Checks signature and expiry. */
  verify(claim: LinkClaim): 'good' | 'expired' | 'forged';
  /**
   * True when the signature is for the chat of this message, which verify() does not check. Call it only for a
   * signature that verify() has accepted.
   */
  isFor(signature: string, target: LinkTarget): boolean;
}

/** Size of the hash of the chat at the start of a signature. */
const CHAT_TAG_BYTES = 9;
const MAC_BYTES = 32;
const SECONDS_PER_DAY = 86_400;

/**
 * Creates the functions that sign and verify links. The first key signs, and every key verifies. `days` is the validity
 * of a link.
 */
export function createSignedLinks({
  keys,
  days,
  clock,
}: {
  keys: readonly Buffer[];
  days: number;
  clock: Clock;
}): SignedLinks {
  const nowSeconds = () => Math.floor(clock.now() / 1000);
  const mac = (key: Buffer, ...parts: string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  /** Returns a keyed hash of the chat. It identifies the chat in the signature without revealing the chat. */
  const chatTagOf = (key: Buffer, { instanceId, id, chat }: LinkTarget) =>
    mac(key, 'chat', instanceId, id, chat).subarray(0, CHAT_TAG_BYTES);
  /** Returns the MAC of the whole link. */
  const linkMacOf = (key: Buffer, tag: Buffer, { instanceId, id, expires }: Omit<LinkClaim, 'signature'>) =>
    mac(key, 'media', instanceId, id, tag.toString('hex'), expires);

  return {
    sign(target, instanceName) {
      const [key] = keys;
      if (!key) throw new Error('no key to sign with');
      const expires = String(nowSeconds() + days * SECONDS_PER_DAY);
      const tag = chatTagOf(key, target);
      const signature = Buffer.concat([tag, linkMacOf(key, tag, { ...target, expires })]).toString('base64url');
      const path = `${encodeURIComponent(instanceName)}/${encodeURIComponent(target.id)}`;
      return `/media/${path}?expires=${expires}&signature=${signature}`;
    },
    verify({ signature, ...claim }) {
      const bytes = Buffer.from(signature, 'base64url');
      if (bytes.length !== CHAT_TAG_BYTES + MAC_BYTES || bytes.toString('base64url') !== signature) return 'forged';
      const [tag, linkMac] = [bytes.subarray(0, CHAT_TAG_BYTES), bytes.subarray(CHAT_TAG_BYTES)];
      if (!keys.some((key) => timingSafeEqual(linkMacOf(key, tag, claim), linkMac))) return 'forged';
      return Number(claim.expires) > nowSeconds() ? 'good' : 'expired';
    },
    isFor(signature, target) {
      const tag = Buffer.from(signature, 'base64url').subarray(0, CHAT_TAG_BYTES);
      return tag.length === CHAT_TAG_BYTES && keys.some((key) => timingSafeEqual(chatTagOf(key, target), tag));
    },
  };
}
