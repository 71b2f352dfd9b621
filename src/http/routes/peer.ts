// The routes that nodes of one cluster call on each other. Other callers get 404 for these paths.
import { PassThrough } from 'node:stream';
import type { PeerInstances } from '../../cluster/peer-instances.ts';
import { GatewayError } from '../../errors.ts';
import type { ObjectSchema } from '../../lib/json-schema.ts';
import { whenClosed } from '../abort-on-close.ts';
import type { AppDeps } from '../deps.ts';
import type { RoutePlugin } from '../type-provider.ts';

/** Bytes of events that are buffered for a node that reads slowly. With more bytes, the stream is closed. */
const MAX_BUFFERED_BYTES = 16 * 2 ** 20;

const InstanceQuery: ObjectSchema<{ id?: string }> = { type: 'object', properties: { id: { type: 'string' } } };
const ClaimBody: ObjectSchema<{ instances: string[] }> = {
  type: 'object',
  properties: { instances: { type: 'array', items: { type: 'string' }, maxItems: 1_000 } },
  required: ['instances'],
};
/** The instances whose events a node needs for its socket.io clients; `all` for every instance. */
const InterestBody: ObjectSchema<{ instances: string[]; all: boolean }> = {
  type: 'object',
  properties: { instances: { type: 'array', items: { type: 'string' } }, all: { type: 'boolean' } },
  required: ['instances', 'all'],
};

type Deps = Pick<AppDeps, 'manager' | 'cluster' | 'peers' | 'keys' | 'sockets'>;

export const peerRoutes: RoutePlugin<Deps> = async (app, { manager, cluster, peers, keys, sockets }) => {
  // Both are undefined without a cluster.
  if (!cluster || !peers) return;
  app.addHook('onRequest', async ({ peerId, method, url }) => {
    if (peerId === undefined) throw new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${method} ${url}`]);
  });
  // The routes need no API key, because the hook above accepts requests of nodes only.
  const config = { access: 'public' } as const;
  const listOptions = { config, schema: { querystring: InstanceQuery } };

  app.get('/peer/instances', listOptions, async ({ query: { id } }): Promise<PeerInstances> => {
    const selected = id === undefined ? manager.list() : [manager.byId(id)].filter((found) => found !== undefined);
    const instances = selected.map((instance) => {
      // A node lists the instances of other nodes without their QR codes.
      const { qr: _qr, ...status } = instance.status();
      return { id: instance.id, status };
    });
    return { instances };
  });

  // The calling node checks by this id that an address leads to the right process: two nodes can have the same address.
  app.get('/peer/self', { config }, async () => ({ id: cluster.node.id }));

  // A node calls this route after it has created, rotated or revoked an access key.
  app.post('/peer/keys', { config }, async () => {
    await keys.load();
    return {};
  });

  // A node gives instances away when it has too many or drains (gives all of them away). It then calls this route, so
  // that this node takes the leases of the instances (the lease of an instance names the node that owns it). Without
  // the call, the instances would have no owner until a node finds them with its next scan of the leases.
  app.post('/peer/claim', { config, schema: { body: ClaimBody } }, async ({ body }) => {
    const results = await Promise.all(body.instances.map((id) => cluster.claim(id)));
    return { claimed: body.instances.filter((_, index) => results[index]) };
  });

  if (!sockets) return;
  app.post('/peer/events', { config, schema: { body: InterestBody } }, async ({ peerId = '', body }, reply) => {
    const stream = new PassThrough();
    const unsubscribe = sockets.subscribePeer(peerId, body, {
      write(text) {
        stream.write(text);
        if (stream.writableLength > MAX_BUFFERED_BYTES) stream.destroy();
      },
      close: () => stream.end(),
    });
    whenClosed(reply, unsubscribe);
    // Node.js sends the headers with the first bytes of the body, and the subscribing node waits for the headers.
    stream.write('\n');
    return reply.type('application/x-ndjson').send(stream);
  });

  // Replaces the subscription of an open /peer/events stream. Replies 404 when the calling node has no open stream. The
  // path keeps its old name, because nodes of older versions call it.
  app.post('/peer/wishes', { config, schema: { body: InterestBody } }, async ({ peerId = '', body, method, url }) => {
    if (sockets.changePeerInterest(peerId, body)) return {};
    throw new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${method} ${url}`]);
  });
};
