// What operations remember for the lifetime of one session, beside the store. Each field belongs to the file that its comment names.

import type { Agent } from 'node:https';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Recipient } from '../storage/storage.ts';

/** Recipients kept per session; the oldest entries are evicted. */
const MAX_RECIPIENTS = 5_000;

/** WhatsApp's media hosts and the token for uploads. */
export interface MediaConnection {
  hosts: { hostname: string; maxContentLengthBytes: number }[];
  auth: string;
  /** Seconds for which the answer is valid. */
  ttl: number;
  fetchDate: Date;
}

export interface SessionState {
  /** address/recipient.ts: results by candidate JID, so that a busy chat costs no database read. */
  readonly recipients: BoundedMap<string, Recipient>;
  /** address/recipient.ts: lookups that are running, by candidate JID. */
  readonly recipientLookups: Map<string, Promise<Recipient>>;
  /** outbound/channel-post.ts: when WhatsApp last confirmed that this account may post, epoch ms by channel. */
  readonly postPermissions: Map<string, number>;
  /** media/upload.ts */
  mediaConnection: MediaConnection | undefined;
  /** media/upload.ts: the agent of the instance's proxy, when it has one. */
  mediaAgent: Agent | undefined;
}

export const createSessionState = (): SessionState => ({
  recipients: new BoundedMap(MAX_RECIPIENTS),
  recipientLookups: new Map(),
  postPermissions: new Map(),
  mediaConnection: undefined,
  mediaAgent: undefined,
});
