// What a node sends to all other nodes: changes of access keys, and its interest in their socket events.
import { Readable } from 'node:stream';
import type { BaseLogger } from 'pino';
import { systemClock } from '../lib/clock.ts';
import type { PeerTransport } from '../sockets/peer-subscriptions.ts';
import type { ClusterView } from './cluster-view.ts';
import type { PeerClient, PeerNode } from './peer-client.ts';
import { PEER_REPLY_TIMEOUT_MS } from './peer-instances.ts';

/**
 * Makes the other nodes reload the access keys. Resolves when all replied or failed. A node that fails reloads them
 * within a minute anyway.
 */
export async function broadcastKeyChange({
  cluster,
  peers,
  log,
}: {
  cluster?: Pick<ClusterView, 'peers'> | undefined;
  peers?: Pick<PeerClient, 'call'> | undefined;
  log: Pick<BaseLogger, 'warn'>;
}): Promise<void> {
  if (!cluster || !peers) return;
  const notify = (to: PeerNode) =>
    peers.call(to, { method: 'POST', path: '/peer/keys', timeout: PEER_REPLY_TIMEOUT_MS });
  const results = await Promise.allSettled((await cluster.peers().catch(() => [])).map(notify));
  for (const result of results)
    if (result.status === 'rejected') log.warn({ err: result.reason }, 'key.broadcast.failed');
}

/**
 * The transport by which nodes receive each other's socket events, as newline-delimited JSON over POST /peer/events.
 */
export function createPeerTransport({
  cluster,
  peers,
}: {
  cluster: Pick<ClusterView, 'peers'>;
  peers: Pick<PeerClient, 'send' | 'call'>;
}): PeerTransport {
  return {
    peers: () => cluster.peers(),
    async open(to, interest, signal) {
      // Limits the wait for the headers; the stream itself stays open.
      const timeout = new AbortController();
      const timer = systemClock.after(PEER_REPLY_TIMEOUT_MS, () => timeout.abort());
      try {
        const { status, body } = await peers.send(to, {
          method: 'POST',
          path: '/peer/events',
          headers: { 'content-type': 'application/json' },
          body: Readable.from([JSON.stringify(interest)]),
          signal: AbortSignal.any([signal, timeout.signal]),
        });
        if (status === 200) return body;
        body.resume();
        throw new Error(`${to.url} refused to send its events: ${status}`);
      } finally {
        timer.cancel();
      }
    },
    async change(to, interest) {
      await peers.call(to, {
        method: 'POST',
        path: '/peer/wishes',
        body: interest,
        timeout: PEER_REPLY_TIMEOUT_MS,
      });
    },
  };
}
