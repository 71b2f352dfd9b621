// Notifies the other nodes of changed access keys, and requests from the other nodes the events that the socket.io
// clients of this node need. Decision D-145.
import { Readable } from 'node:stream';
import type { BaseLogger } from 'pino';
import { systemClock } from '../lib/clock.ts';
import type { PeerTransport } from '../sockets/peer-subscriptions.ts';
import type { ClusterView } from './cluster-view.ts';
import { PEER_REPLY_TIMEOUT_MS, type PeerClient, type PeerNode } from './peer-client.ts';

/**
 * Makes the other nodes reload the access keys. Resolves when every request has succeeded or failed. A node that cannot
 * be reached reloads the keys within a minute anyway.
 */
export async function broadcastKeyChange({
  cluster,
  peers,
  log,
}: {
  cluster?: Pick<ClusterView, 'otherReachableNodes'> | undefined;
  peers?: Pick<PeerClient, 'requestJson'> | undefined;
  log: Pick<BaseLogger, 'warn'>;
}): Promise<void> {
  if (!cluster || !peers) return;
  const notify = (to: PeerNode) =>
    peers.requestJson(to, { method: 'POST', path: '/peer/keys', timeout: PEER_REPLY_TIMEOUT_MS });
  const results = await Promise.allSettled((await cluster.otherReachableNodes().catch(() => [])).map(notify));
  for (const result of results)
    if (result.status === 'rejected') log.warn({ err: result.reason }, 'key.broadcast.failed');
}

/**
 * Creates the requests by which this node receives events from other nodes for its own socket.io clients. `interest`
 * says which events this node needs. The response to POST /peer/events is a stream of events as newline-delimited JSON.
 */
export function createPeerTransport({
  cluster,
  peers,
}: {
  cluster: Pick<ClusterView, 'otherReachableNodes'>;
  peers: Pick<PeerClient, 'send' | 'requestJson'>;
}): PeerTransport {
  return {
    otherReachableNodes: () => cluster.otherReachableNodes(),
    async openStream(to, interest, signal) {
      // The timeout limits only the wait for the headers, because the stream then stays open.
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
        // Discards the body of the refusal.
        body.resume();
        throw new Error(`${to.url} refused to send its events: ${status}`);
      } finally {
        timer.cancel();
      }
    },
    async changeInterest(to, interest) {
      await peers.requestJson(to, {
        method: 'POST',
        // The path keeps its name from the first release, because nodes of two releases share a cluster during an
        // upgrade.
        path: '/peer/wishes',
        body: interest,
        timeout: PEER_REPLY_TIMEOUT_MS,
      });
    },
  };
}
