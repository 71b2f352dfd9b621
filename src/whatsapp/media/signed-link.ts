// Creates and verifies signed links to files of messages. A link gives access to one file until it expires. No store,
// no HTTP.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

/** The file of a link: instance, chat and message. */
export interface LinkTarget {
  instanceId: string;
  /** Message id. */
  id: string;
  /** JID of the chat as stored. Ids are unique only within a chat, and senders choose them. */
  chat: string;
}

export interface LinkClaim {
  instanceId: string;
  id: string;
  /** Expiry in the link, seconds since the epoch. */
  expires: string;
  signature: string;
}

export interface SignedLinks {
  /** Returns `/media/{instance}/{id}?expires=…&signature=…`. `instanceName` becomes the path segment. */
  sign(linked: LinkTarget, instanceName: string): string;
  /** Checks signature and expiry. */
  verify(claim: LinkClaim): 'good' | 'expired' | 'forged';
  /** True when a verified signature was made for this chat. */
  isFor(signature: string, linked: LinkTarget): boolean;
}

const CHAT_TAG_BYTES = 9;
const MAC_BYTES = 32;
const SECONDS_PER_DAY = 86_400;

/** The first key signs; every key verifies. `days`: validity of a link. */
export function createSignedLinks({
  keys,
  days,
  clock,
}: {
  keys: readonly Buffer[];
  days: number;
  clock: Clock;
}): SignedLinks {
  const seconds = () => Math.floor(clock.now() / 1000);
  const mac = (key: Buffer, ...parts: string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  /** A keyed hash of the chat, so that the link does not reveal it. */
  const chatTag = (key: Buffer, { instanceId, id, chat }: LinkTarget) =>
    mac(key, 'chat', instanceId, id, chat).subarray(0, CHAT_TAG_BYTES);
  const sealOf = (key: Buffer, tag: Buffer, { instanceId, id, expires }: Omit<LinkClaim, 'signature'>) =>
    mac(key, 'media', instanceId, id, tag.toString('hex'), expires);

  return {
    sign(linked, instanceName) {
      const [key] = keys;
      if (!key) throw new Error('no key to sign with');
      const expires = String(seconds() + days * SECONDS_PER_DAY);
      const tag = chatTag(key, linked);
      const signature = Buffer.concat([tag, sealOf(key, tag, { ...linked, expires })]).toString('base64url');
      const path = `${encodeURIComponent(instanceName)}/${encodeURIComponent(linked.id)}`;
      return `/media/${path}?expires=${expires}&signature=${signature}`;
    },
    verify({ signature, ...claim }) {
      const bytes = Buffer.from(signature, 'base64url');
      if (bytes.length !== CHAT_TAG_BYTES + MAC_BYTES || bytes.toString('base64url') !== signature) return 'forged';
      const [tag, seal] = [bytes.subarray(0, CHAT_TAG_BYTES), bytes.subarray(CHAT_TAG_BYTES)];
      if (!keys.some((key) => timingSafeEqual(sealOf(key, tag, claim), seal))) return 'forged';
      return Number(claim.expires) > seconds() ? 'good' : 'expired';
    },
    isFor(signature, linked) {
      const tag = Buffer.from(signature, 'base64url').subarray(0, CHAT_TAG_BYTES);
      return tag.length === CHAT_TAG_BYTES && keys.some((key) => timingSafeEqual(chatTag(key, linked), tag));
    },
  };
}
