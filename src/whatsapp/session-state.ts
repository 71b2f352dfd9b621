// Defines the values that operations keep in memory for the lifetime of one session. The comment of each member names
// the file that uses it.

import type { Agent } from 'node:https';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Recipient } from '../storage/storage.ts';

/** Maximum number of recipients per session; the oldest entries are evicted. */
const MAX_RECIPIENTS = 5_000;

/** WhatsApp's answer to a query for its media hosts and a token for uploads. */
export interface MediaConnection {
  hosts: { hostname: string; maxContentLengthBytes: number }[];
  /** The token for uploads. */
  auth: string;
  /** Seconds for which the answer is valid. */
  ttl: number;
  /** Time of the answer. */
  fetchDate: Date;
}

export interface SessionState {
  /**
   * address/recipient.ts: lookup results by the JID or user name in the request, so that a busy chat causes no database
   * reads.
   */
  readonly recipients: BoundedMap<string, Recipient>;
  /** address/recipient.ts and username-lookup.ts: running lookups by the JID or user name in the request. */
  readonly recipientLookups: Map<string, Promise<Recipient>>;
  /**
   * outbound/channel-post.ts: the time (epoch ms) at which WhatsApp last confirmed that this account is allowed to post
   * in a channel, by channel JID.
   */
  readonly postPermissions: Map<string, number>;
  /** media/upload.ts: WhatsApp's latest answer to the query for media hosts. */
  mediaConnection: MediaConnection | undefined;
  /** media/upload.ts: the agent that connects through the proxy; undefined when the session has no proxy. */
  mediaAgent: Agent | undefined;
}

export const createSessionState = (): SessionState => ({
  recipients: new BoundedMap(MAX_RECIPIENTS),
  recipientLookups: new Map(),
  postPermissions: new Map(),
  mediaConnection: undefined,
  mediaAgent: undefined,
});
