// Forwards requests about an instance of another node to that node, before the body is read, and returns its response.
// The owning node authenticates the request. Only registered in a cluster.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClusterView } from '../../cluster/cluster-view.ts';
import { isUnsent, type PeerClient, type PeerResponse } from '../../cluster/peer-client.ts';
import { GatewayError } from '../../errors.ts';
import { RereadableStream } from '../../lib/rereadable-stream.ts';
import type { AppDeps } from '../deps.ts';
import { forwardedReplyHeaders, forwardedRequestHeaders } from './peer-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** URL of the node that the request was forwarded to. */
    forwardedTo: string | undefined;
  }
}

type InstanceSelector = Parameters<ClusterView['locate']>[0];
type Node = Pick<ClusterView['node'], 'id' | 'url'>;

/** Bytes of a body that are buffered, so that the request can be sent to another node. */
const MAX_REPLAY_BYTES = 2 ** 20;
/** ms between checks whether the node that has not responded yet is alive. */
const LIVENESS_CHECK_MS = 1_000;
/** Retry-After for an instance that is moving. */
const RETRY_AFTER_S = 2;

const moving = () =>
  new GatewayError('INSTANCE_MOVING', 'The instance is moving to another node of the gateway', {
    retryAfter: RETRY_AFTER_S,
    certain: true,
  });
const misdirected = () =>
  // A request is forwarded once only: two nodes that each believe the other is the owner would loop.
  new GatewayError('MISDIRECTED', ['The instance is not on this node'], { certain: true });
const lost = (cause: unknown) =>
  new GatewayError('PEER_LOST', 'The node of the gateway that has the instance was lost during the request', {
    certain: false,
    cause,
  });

/**
 * `misdirected`: the node does not own the instance and did nothing. `unsent`: it was not reached. `lost`: the outcome
 * is unknown.
 */
type Outcome = { answer: PeerResponse } | { missed: 'misdirected' | 'unsent' } | { missed: 'lost'; cause: unknown };

type Deps = Pick<AppDeps, 'manager' | 'keys' | 'metrics'> & { cluster: ClusterView; peers: PeerClient };

/** Registers the forwarding. Needs peer-headers.ts before it, and the decorator `keys` of auth.ts. */
export function registerPeerForwarding(app: FastifyInstance, deps: Deps): void {
  const { cluster, manager, keys } = deps;

  /** The instance of the request; undefined for a request that any node can answer. */
  function selectorOf({ params, headers: { apikey }, routeOptions }: FastifyRequest): InstanceSelector | undefined {
    const { instance } = params as { instance?: string };
    const { access } = routeOptions.config;
    // A request without key and link is refused here without a lookup.
    if (instance !== undefined) return apikey || access === 'link' ? { name: instance } : undefined;
    if (access !== 'anyKey' || typeof apikey !== 'string' || app.keys.callerOf(apikey)) return undefined;
    const given = keys.find(apikey);
    return given?.instanceId ? { id: given.instanceId } : { key: apikey };
  }

  function isHere(selector: InstanceSelector): boolean {
    if ('name' in selector) return manager.get(selector.name) !== undefined;
    return ('id' in selector ? manager.byId(selector.id) : manager.byKey(selector.key)) !== undefined;
  }

  /** The node that owns the instance; undefined when no node does, or when it is moving to this node. */
  const ownerOf = async (selector: InstanceSelector, fresh: boolean): Promise<Node | 'here' | undefined> => {
    const place = await cluster.locate(selector, { fresh });
    // An unknown instance is refused here after authentication.
    if (!place || isHere(selector)) return 'here';
    const { owner } = place;
    if (!owner?.isLive) return (await cluster.claim(place.instanceId)) ? 'here' : undefined;
    if (owner.id !== cluster.node.id) return owner;
    return !manager.ready || (await waitUntilSettled(place.instanceId, selector)) ? 'here' : undefined;
  };

  /** Waits until an instance that this node owns is loaded (true) or has moved away (false). */
  async function waitUntilSettled(instanceId: string, selector: InstanceSelector): Promise<boolean> {
    await cluster.claim(instanceId);
    return isHere(selector);
  }

  /** Whether a request that another node forwarded is answered here. */
  async function shouldAnswerLocally(selector: InstanceSelector): Promise<boolean> {
    const place = await cluster.locate(selector, { fresh: true });
    return place?.owner?.id === cluster.node.id && waitUntilSettled(place.instanceId, selector);
  }

  /**
   * Forwards the request; undefined when this node answers it. Rejects with INSTANCE_MOVING, PEER_LOST, or the reason
   * of the signal.
   */
  async function forward(forwarded: ForwardedRequest, selector: InstanceSelector): Promise<PeerResponse | undefined> {
    // Two attempts: the second one reads the owner from the database.
    for (const fresh of [false, true]) {
      const owner = await ownerOf(selector, fresh);
      if (owner === 'here' && !forwarded.body?.isStarted) return undefined;
      if (!owner) continue;
      // Part of the body was already sent. Forwarding to this node itself replays the whole body.
      const outcome = await exchange(deps, owner === 'here' ? cluster.node : owner, forwarded);
      if ('answer' in outcome) return outcome.answer;
      if ('cause' in outcome && (fresh || !isRepeatable(forwarded.request))) throw lost(outcome.cause);
    }
    throw moving();
  }

  app.decorateRequest('forwardedTo', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const selector = request.is404 ? undefined : selectorOf(request);
    if (!selector || isHere(selector)) return done();
    const failed = (error: Error) => {
      deps.metrics?.recordForward(error instanceof GatewayError ? error.code : 'INTERNAL');
      done(error);
    };
    if (request.peer !== undefined) {
      shouldAnswerLocally(selector).then((isRight) => (isRight ? done() : failed(misdirected())), failed);
      return;
    }
    const forwarded = { request, body: bodyOf(request), signal: abortOnClose(reply) };
    forward(forwarded, selector).then((answer) => {
      if (!answer) return done();
      deps.metrics?.recordForward('answered');
      if (app.isStopping()) reply.header('connection', 'close');
      reply.code(answer.status).headers(forwardedReplyHeaders(answer.headers)).send(answer.body);
      void forwarded.body?.drain();
    }, failed);
  });
}

/** A request to forward. */
interface ForwardedRequest {
  request: FastifyRequest;
  body: RereadableStream | undefined;
  /** The caller hung up. */
  signal: AbortSignal;
}

/**
 * Sends the request to one node. Rejects with INSTANCE_MOVING when the body can no longer be replayed, and with the
 * reason of the signal.
 */
async function exchange(
  { cluster, peers }: Deps,
  owner: Node,
  { request, body, signal }: ForwardedRequest,
): Promise<Outcome> {
  if (body && !body.isRereadable) throw moving();
  const gone = new AbortController();
  // A frozen or disconnected process accepts requests and never responds. While its heartbeats continue, the response
  // may take long.
  const look = async () => {
    const known = [cluster.node, ...(await cluster.otherLiveNodes())];
    if (!known.some(({ id }) => id === owner.id)) gone.abort();
  };
  const watch = setInterval(() => void look().catch(() => undefined), LIVENESS_CHECK_MS);
  try {
    const answer = await peers.send(owner, {
      method: request.method,
      path: request.url,
      headers: forwardedRequestHeaders(request, body !== undefined),
      body: body?.read() ?? null,
      signal: AbortSignal.any([signal, gone.signal]),
    });
    if (answer.status === 421) {
      answer.body.resume();
      return { missed: 'misdirected' };
    }
    request.forwardedTo = owner.url;
    return { answer };
  } catch (cause) {
    signal.throwIfAborted();
    if (body?.failure) throw body.failure;
    if (!isUnsent(cause)) return { missed: 'lost', cause };
    request.log.warn({ err: cause, node: owner.url }, 'peer.unreached');
    return { missed: 'unsent' };
  } finally {
    clearInterval(watch);
  }
}

/** A signal that aborts when the caller hangs up. Fastify's own signal ends with the body of the request. */
function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort(new GatewayError('INVALID_REQUEST', ['The caller hung up'])));
  return controller.signal;
}

function bodyOf({ method, headers, raw }: FastifyRequest): RereadableStream | undefined {
  const isSilent = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  return isSilent || method === 'GET' || method === 'HEAD' ? undefined : new RereadableStream(raw, MAX_REPLAY_BYTES);
}

/** Whether a repetition is harmless. Some GET operations have side effects, so the scope must be read too. */
const isRepeatable = ({ method, routeOptions }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && routeOptions.schema?.scope === 'read';
