// Signed links to files of messages: whoever has one may fetch that file until it expires, and nothing else. No store, no HTTP.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

/** Whose file: the message, in its chat, of the instance. */
export interface LinkTarget {
  instanceId: string;
  /** Message id. */
  id: string;
  /** The chat's JID as stored: ids are unique within a chat only, and senders choose them. */
  chat: string;
}

export interface LinkClaim {
  instanceId: string;
  id: string;
  /** Seconds since the epoch, as the link says. */
  expires: string;
  signature: string;
}

export interface SignedLinks {
  /** `/media/{instance}/{id}?expires=…&signature=…`; `instanceName` as the path needs it. */
  sign(linked: LinkTarget, instanceName: string): string;
  /** What a link is worth. */
  verify(claim: LinkClaim): 'good' | 'expired' | 'forged';
  /** Whether a good link's signature was made for this chat. */
  isFor(signature: string, linked: LinkTarget): boolean;
}

const CHAT = 9;
const MAC = 32;
const DAY = 86_400;

/** The first key signs, every key verifies. `days` is how long a link lasts. */
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
  /** Names the chat to us and to nobody else. */
  const chatTag = (key: Buffer, { instanceId, id, chat }: LinkTarget) =>
    mac(key, 'chat', instanceId, id, chat).subarray(0, CHAT);
  const sealOf = (key: Buffer, tag: Buffer, { instanceId, id, expires }: Omit<LinkClaim, 'signature'>) =>
    mac(key, 'media', instanceId, id, tag.toString('hex'), expires);

  return {
    sign(linked, instanceName) {
      const [key] = keys;
      if (!key) throw new Error('no key to sign with');
      const expires = String(seconds() + days * DAY);
      const tag = chatTag(key, linked);
      const signature = Buffer.concat([tag, sealOf(key, tag, { ...linked, expires })]).toString('base64url');
      const path = `${encodeURIComponent(instanceName)}/${encodeURIComponent(linked.id)}`;
      return `/media/${path}?expires=${expires}&signature=${signature}`;
    },
    verify({ signature, ...claim }) {
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== CHAT + MAC || given.toString('base64url') !== signature) return 'forged';
      const [tag, seal] = [given.subarray(0, CHAT), given.subarray(CHAT)];
      if (!keys.some((key) => timingSafeEqual(sealOf(key, tag, claim), seal))) return 'forged';
      return Number(claim.expires) > seconds() ? 'good' : 'expired';
    },
    isFor(signature, linked) {
      const tag = Buffer.from(signature, 'base64url').subarray(0, CHAT);
      return tag.length === CHAT && keys.some((key) => timingSafeEqual(chatTag(key, linked), tag));
    },
  };
}
