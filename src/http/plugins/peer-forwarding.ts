// Forwards requests about an instance of another node to that node before the body is read, and sends the response of
// that node to the caller. The node that owns the instance authenticates the request. This plugin is only registered in
// a cluster. Decision D-145.
import { finished } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ClusterView } from '../../cluster/cluster-view.ts';
import { isUnsent, PEER_HEADER, type PeerClient, type PeerResponse, REFUSED_MARK } from '../../cluster/peer-client.ts';
import { nodeStateOf } from '../../cluster/placement.ts';
import { ERRORS, GatewayError } from '../../errors.ts';
import { RereadableStream } from '../../lib/rereadable-stream.ts';
import { abortOnClose, whenClosed } from '../abort-on-close.ts';
import type { AppDeps } from '../deps.ts';
import { toForwardedReplyHeaders, toForwardedRequestHeaders } from './peer-headers.ts';
import { isProbe } from './protection.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** URL of the node that the request was forwarded to. */
    forwardedTo: string | undefined;
  }
}

/** Selects an instance by its name, its id or its API key. */
type InstanceSelector = Parameters<ClusterView['locate']>[0];
type Node = Pick<ClusterView['node'], 'id' | 'url'>;
/** Where the owner of an instance is read from: the cache of this node, or the database. */
type OwnerSource = 'cache' | 'database';

/** Maximum number of bytes of a body that are buffered for a second attempt. */
const MAX_REPLAY_BYTES = 2 ** 20;
/** Maximum number of bytes of all bodies that are buffered for a second attempt. */
const MAX_REPLAY_TOTAL_BYTES = 64 * MAX_REPLAY_BYTES;
/** ms between checks whether a node whose response is not complete yet is alive. */
const LIVENESS_CHECK_MS = 1_000;
/** Seconds of the Retry-After header for an instance that is moving. */
const RETRY_AFTER_S = 2;

const startingError = () => new GatewayError('STARTING', 'Service Unavailable', { retryAfter: 1 });
const movingError = () =>
  new GatewayError('INSTANCE_MOVING', 'The instance is moving to another node of the gateway. Retry later.', {
    retryAfter: RETRY_AFTER_S,
    certain: true,
  });
// A request is forwarded only once. Otherwise two nodes, each of which believes that the other node is the owner, would
// forward the request forever.
const misdirectedError = () =>
  new GatewayError('MISDIRECTED', ['The instance is not on this node.'], { certain: true });
const peerLostError = (cause: unknown) =>
  new GatewayError('PEER_LOST', 'The node of the gateway that has the instance was lost during the request.', {
    certain: false,
    cause,
  });

/**
 * The outcome of an attempt to forward a request. `misdirected`: the node does not own the instance and did nothing.
 * `unsent`: the node was not reached. `lost`: whether the node handled the request is unknown.
 */
type Outcome = { response: PeerResponse } | { failure: 'misdirected' | 'unsent' } | { failure: 'lost'; cause: unknown };

type Deps = Pick<AppDeps, 'manager' | 'keys' | 'metrics'> & { cluster: ClusterView; peers: PeerClient };

/**
 * Registers the forwarding. Call registerPeerHeaders first. The decorator `authenticator` of auth.ts must exist when a
 * request arrives.
 */
export function registerPeerForwarding(app: FastifyInstance, deps: Deps): void {
  const { cluster, manager, keys } = deps;

  /** Selects the instance of the request; undefined for a request that this node handles without a lookup. */
  function selectorOf({ params, headers: { apikey }, routeOptions }: FastifyRequest): InstanceSelector | undefined {
    const { instance } = params as { instance?: string };
    const { access } = routeOptions.config;
    // Without an API key, only a route that accepts signed links can succeed. This node refuses requests for other
    // routes without a lookup.
    if (instance !== undefined && !apikey && access !== 'link') return undefined;
    // No instance has a name with a NUL character (D-056), so no node is asked.
    if (instance !== undefined) return instance.includes('\0') ? undefined : { name: instance };
    // On a route without an instance in the path, the key selects the instance. callerOf() finds the global key and the
    // keys of the instances on this node.
    if (access !== 'anyKey' || typeof apikey !== 'string' || app.authenticator.callerOf(apikey)) return undefined;
    const accessKey = keys.find(apikey);
    return accessKey?.instanceId ? { id: accessKey.instanceId } : { key: apikey };
  }

  function isHere(selector: InstanceSelector): boolean {
    if ('name' in selector) return manager.get(selector.name) !== undefined;
    return ('id' in selector ? manager.byId(selector.id) : manager.byKey(selector.key)) !== undefined;
  }

  /**
   * Whether the key is the global key, an access key or the key of an instance on this node. Other keys need a lookup.
   */
  const hasKnownKey = ({ headers: { apikey } }: FastifyRequest): boolean =>
    typeof apikey === 'string' && (app.authenticator.callerOf(apikey) ?? keys.find(apikey)) !== undefined;

  /**
   * Whether the caller has access to the instance, on any node. Only checked for a request that could not be forwarded,
   * because the owner checks the access for a forwarded request.
   */
  async function hasAccess(request: FastifyRequest, selector: InstanceSelector): Promise<boolean> {
    const { apikey } = request.headers;
    // A selector by id or key comes from the key of the request, which has access to this instance. The global key
    // (reach `service`) has access to all instances.
    if (!('name' in selector) || app.authenticator.callerOf(apikey)?.reach === 'service') return true;
    const location = await cluster.locate(selector);
    if (!location) return false;
    if (app.authenticator.hasValidLink(request, location.instanceId)) return true;
    if (typeof apikey !== 'string') return false;
    const key = keys.find(apikey) ?? (await cluster.locate({ key: apikey }, { acceptRecentMiss: true }));
    return key?.instanceId === location.instanceId;
  }

  /**
   * The node that owns the instance; `here` if this node handles the request; undefined while no node can handle it.
   * `source` is where the owner is read from. With `acceptRecentMiss`, a lookup of the last second that found no
   * instance is not repeated.
   */
  const findOwner = async (
    selector: InstanceSelector,
    { source, acceptRecentMiss }: { source: OwnerSource; acceptRecentMiss: boolean },
  ): Promise<Node | 'here' | undefined> => {
    const location = await cluster.locate(selector, { fresh: source === 'database', acceptRecentMiss });
    // A request for an unknown instance is refused by this node after authentication.
    if (!location || isHere(selector)) return 'here';
    const { owner } = location;
    if (!owner?.isLive) return (await cluster.claim(location.instanceId)) ? 'here' : undefined;
    if (owner.id !== cluster.node.id) return owner;
    // Before all instances are loaded, this node replies with STARTING.
    if (!manager.ready) return 'here';
    return (await waitUntilLoaded(location.instanceId, selector)) ? 'here' : undefined;
  };

  /** Waits until an instance that this node owns is loaded. Resolves with false if it has moved away. */
  async function waitUntilLoaded(instanceId: string, selector: InstanceSelector): Promise<boolean> {
    // A claim of an instance that this node already owns resolves when the instance is loaded.
    await cluster.claim(instanceId);
    return isHere(selector);
  }

  /** Whether this node owns the instance of a request that another node forwarded. */
  async function isOwnedHere(selector: InstanceSelector): Promise<boolean> {
    const location = await cluster.locate(selector, { fresh: true });
    return location?.owner?.id === cluster.node.id && waitUntilLoaded(location.instanceId, selector);
  }

  /**
   * Forwards the request. Resolves with undefined if this node handles it. Rejects with INSTANCE_MOVING, PEER_LOST,
   * RATE_LIMITED, the reason of the aborted signal, or the error of the body's stream.
   */
  async function forward(forwarded: ForwardedRequest, selector: InstanceSelector): Promise<PeerResponse | undefined> {
    const isKeyKnown = hasKnownKey(forwarded.request);
    // Too many failed requests from the client's address block lookups for unknown keys. An instance that this node has
    // located before stays reachable, so that a broken client does not lock out a correct client with the same address.
    if (!isKeyKnown && !cluster.hasLocated(selector))
      await app.authenticator.assertBelowFailureLimit(forwarded.request);
    // There are two attempts. The second attempt reads the owner from the database, because the cache can be outdated.
    for (const source of ['cache', 'database'] as const) {
      const owner = await findOwner(selector, { source, acceptRecentMiss: !isKeyKnown });
      if (owner === 'here' && !forwarded.body?.isStarted) return undefined;
      if (!owner) continue;
      // This node can become the owner after the first attempt has sent a part of the body. The rest of the body is
      // then not enough to handle the request here, so this node sends the request with the buffered body to itself.
      const outcome = await sendToNode(deps, owner === 'here' ? cluster.node : owner, forwarded);
      if ('response' in outcome) return outcome.response;
      const canRepeat = source === 'cache' && isRepeatable(forwarded.request);
      if (outcome.failure === 'lost' && !canRepeat) throw peerLostError(outcome.cause);
    }
    throw movingError();
  }

  /** Number of bytes that are reserved for the bodies that are being buffered. */
  let replayBytes = 0;

  app.decorateRequest('forwardedTo', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    if (!cluster.isJoined && !isAnsweredBeforeJoin(request)) return done(startingError());
    const selector = request.is404 ? undefined : selectorOf(request);
    if (!selector || isHere(selector)) return done();
    const fail = (error: Error) => {
      deps.metrics?.recordForward(error instanceof GatewayError ? error.code : 'INTERNAL');
      done(error);
    };
    if (request.peerId !== undefined) {
      isOwnedHere(selector).then((isOwned) => (isOwned ? done() : fail(misdirectedError())), fail);
      return;
    }
    const needed = replayLimitOf(request);
    // With the limit 0, the body is forwarded, but cannot be sent a second time.
    const limit = replayBytes + needed > MAX_REPLAY_TOTAL_BYTES ? 0 : needed;
    replayBytes += limit;
    whenClosed(reply, () => {
      replayBytes -= limit;
    });
    const body = needed > 0 ? new RereadableStream(request.raw, limit) : undefined;
    const forwarded = { request, body, signal: abortOnClose(reply) };
    forward(forwarded, selector).then(
      (response) => {
        if (!response) return done();
        deps.metrics?.recordForward('answered');
        if (app.isStopping()) reply.header('connection', 'close');
        reply.code(response.status).headers(toForwardedReplyHeaders(response.headers)).send(response.body);
        void forwarded.body?.drain();
      },
      async (error: Error) => {
        // A caller without access must not learn that the instance exists (D-012). done() continues with the
        // authentication, which refuses the caller.
        if (!showsInstance(error)) fail(error);
        else await hasAccess(request, selector).then((isAllowed) => (isAllowed ? fail(error) : done()), fail);
        // An unread rest of the body would block the next request on the connection.
        void forwarded.body?.drain();
      },
    );
  });
}

/**
 * Whether a node that has not joined the cluster answers the request. Such a node has no instances, and no lease
 * protects its writes.
 */
const isAnsweredBeforeJoin = (request: FastifyRequest): boolean =>
  isProbe(request) || request.routeOptions.url === '/peer/self';

/** Whether the error shows that the instance exists. */
const showsInstance = (error: Error): boolean =>
  error instanceof GatewayError && (error.code === 'INSTANCE_MOVING' || error.code === 'PEER_LOST');

/** A request to forward. */
interface ForwardedRequest {
  request: FastifyRequest;
  body: RereadableStream | undefined;
  /** Aborts when the caller hangs up. */
  signal: AbortSignal;
}

/** Whether the node is known to send no heartbeats any more. Rejects when the database does not respond. */
async function isLost(cluster: ClusterView, { id }: Node): Promise<boolean> {
  if (id === cluster.node.id || (await cluster.otherReachableNodes()).some((node) => node.id === id)) return false;
  // otherReachableNodes() returns what the lease keeper last read. A node that has joined since then is only in the
  // database.
  const node = (await cluster.nodes()).find((each) => each.id === id);
  return !node || nodeStateOf(node, cluster.ttl) === 'silent';
}

/**
 * Sends the request to one node. Rejects with INSTANCE_MOVING if the body can no longer be read from its beginning,
 * with the reason of the aborted signal, or with the error of the body's stream. The body of the response fails with
 * PEER_LOST when the node is lost.
 */
async function sendToNode(
  { cluster, peers }: Deps,
  owner: Node,
  { request, body, signal }: ForwardedRequest,
): Promise<Outcome> {
  if (body && !body.isRereadable) throw movingError();
  const nodeLost = new AbortController();
  // A frozen or disconnected process can accept a request and never respond, or not end its response, so the request is
  // aborted when the node's heartbeats stop. There is no timeout, because a response can take long.
  const checkLiveness = async () => {
    if (await isLost(cluster, owner)) nodeLost.abort(peerLostError('The node sends no heartbeats.'));
  };
  const timer = setInterval(() => void checkLiveness().catch(() => undefined), LIVENESS_CHECK_MS);
  try {
    const response = await peers.send(owner, {
      method: request.method,
      path: request.url,
      headers: toForwardedRequestHeaders(request, body !== undefined),
      body: body?.read() ?? null,
      signal: AbortSignal.any([signal, nodeLost.signal]),
    });
    finished(response.body, () => clearInterval(timer));
    if (response.status === ERRORS.MISDIRECTED.status) {
      // peers.send() reports MISDIRECTED also for a node that refused the signature of this node and did nothing.
      const isRefused = response.headers[PEER_HEADER] === REFUSED_MARK;
      if (isRefused) request.log.warn({ node: owner.url }, 'peer.signature.refused');
      response.body.resume();
      return { failure: 'misdirected' };
    }
    request.forwardedTo = owner.url;
    return { response };
  } catch (cause) {
    clearInterval(timer);
    signal.throwIfAborted();
    if (body?.failure) throw body.failure;
    if (!isUnsent(cause)) return { failure: 'lost', cause };
    request.log.warn({ err: cause, node: owner.url }, 'peer.request.failed');
    return { failure: 'unsent' };
  }
}

/** The number of bytes of the body to buffer for a second attempt. 0 for a request without a body. */
function replayLimitOf({ method, headers }: FastifyRequest): number {
  if (method === 'GET' || method === 'HEAD') return 0;
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked ? MAX_REPLAY_BYTES : Math.min(Number(headers['content-length'] ?? 0), MAX_REPLAY_BYTES);
}

/**
 * Whether the request can be repeated without harm. Some GET operations have side effects, so the scope of the
 * operation must also be `read`.
 */
const isRepeatable = ({ method, routeOptions }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && routeOptions.schema?.scope === 'read';
