// Requests about an instance that another node has: sent there once, before anything of them is read, and answered as it answers. Who asks
// is checked there. Without a cluster there is none of this.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClusterView } from '../../cluster/cluster-view.ts';
import { isUnsent, type PeerClient, type PeerResponse } from '../../cluster/peer-client.ts';
import { GatewayError } from '../../errors.ts';
import { RereadableStream } from '../../lib/rereadable-stream.ts';
import type { AppDeps } from '../deps.ts';
import { forwardedReplyHeaders, forwardedRequestHeaders } from './peer-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the node that answered it. */
    forwardedTo: string | undefined;
  }
}

type Wanted = Parameters<ClusterView['locate']>[0];
type Node = Pick<ClusterView['node'], 'id' | 'url'>;

/** Bytes of a body that are kept, in case the request has to go elsewhere. */
const KEPT = 2 ** 20;
/** ms between looks whether the node that does not answer yet is still there. */
const LOOK = 1_000;
/** Seconds after which an instance that moves has arrived. */
const MOVED = 2;

const moving = () =>
  new GatewayError('INSTANCE_MOVING', 'The instance is moving to another node of the gateway', {
    ...{ retryAfter: MOVED, certain: true },
  });
const misdirected = () =>
  // One hop only: two nodes that take each other for the owner would send it to and fro.
  new GatewayError('MISDIRECTED', ['The instance is not on this node'], { certain: true });
const lost = (cause: unknown) =>
  new GatewayError('PEER_LOST', 'The node of the gateway that has the instance was lost during the request', {
    ...{ certain: false, cause },
  });

/** `misdirected`: it does not have the instance, and did nothing. `unsent`: it was not reached. `lost`: it may have done everything. */
type Outcome = { answer: PeerResponse } | { missed: 'misdirected' | 'unsent' } | { missed: 'lost'; cause: unknown };

type Deps = Pick<AppDeps, 'manager' | 'keys' | 'metrics'> & { cluster: ClusterView; peers: PeerClient };

/** Needs plugins/peer.ts before it, and the keys of plugins/auth.ts when requests come. */
export function registerPeerForwarding(app: FastifyInstance, deps: Deps): void {
  const { cluster, manager, keys } = deps;

  /** The instance that the request is about, as far as that can be told; undefined for what any node answers. */
  function wantedOf({ params, headers: { apikey }, routeOptions }: FastifyRequest): Wanted | undefined {
    const { instance } = params as { instance?: string };
    const { access } = routeOptions.config;
    // Who has neither key nor link is refused here, and nobody has to look for anything.
    if (instance !== undefined) return apikey || access === 'link' ? { name: instance } : undefined;
    if (access !== 'record' || typeof apikey !== 'string' || app.keys.callerOf(apikey)) return undefined;
    const given = keys.find(apikey);
    return given?.instanceId ? { id: given.instanceId } : { key: apikey };
  }

  function isHere(wanted: Wanted): boolean {
    if ('name' in wanted) return manager.get(wanted.name) !== undefined;
    return ('id' in wanted ? manager.byId(wanted.id) : manager.byKey(wanted.key)) !== undefined;
  }

  /** Undefined: nobody has it at the moment, or it is just coming here. */
  const ownerOf = async (wanted: Wanted, fresh: boolean): Promise<Node | 'here' | undefined> => {
    const place = await cluster.locate(wanted, { fresh });
    // Nowhere: refused here, after the key was looked at.
    if (!place || isHere(wanted)) return 'here';
    const { owner } = place;
    if (!owner?.isLive) return (await cluster.claim(place.instanceId)) ? 'here' : undefined;
    if (owner.id !== cluster.node.id) return owner;
    return !manager.ready || (await hasCome(place.instanceId, wanted)) ? 'here' : undefined;
  };

  /** Of an instance that is this node's and not here: resolves when it has come, or has left. */
  async function hasCome(instanceId: string, wanted: Wanted): Promise<boolean> {
    await cluster.claim(instanceId);
    return isHere(wanted);
  }

  /** Whether what another node sent here is to be answered here after all. */
  async function isExpected(wanted: Wanted): Promise<boolean> {
    const place = await cluster.locate(wanted, { fresh: true });
    return place?.owner?.id === cluster.node.id && hasCome(place.instanceId, wanted);
  }

  /** Resolves with undefined for what is answered here. Rejects with INSTANCE_MOVING, PEER_LOST, or what became of the caller. */
  async function answerOf(trip: Trip, wanted: Wanted): Promise<PeerResponse | undefined> {
    // Twice: the second time by what the database says now.
    for (const fresh of [false, true]) {
      const owner = await ownerOf(wanted, fresh);
      if (owner === 'here' && !trip.body?.isTouched) return undefined;
      if (!owner) continue;
      // A part of the body is with somebody else: what is whole again comes to us as it would come to another node.
      const outcome = await exchange(deps, owner === 'here' ? cluster.node : owner, trip);
      if ('answer' in outcome) return outcome.answer;
      if ('cause' in outcome && (fresh || !isRepeatable(trip.request))) throw lost(outcome.cause);
    }
    throw moving();
  }

  app.decorateRequest('forwardedTo', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const wanted = request.is404 ? undefined : wantedOf(request);
    if (!wanted || isHere(wanted)) return done();
    const failed = (error: Error) => {
      deps.metrics?.recordForward(error instanceof GatewayError ? error.code : 'INTERNAL');
      done(error);
    };
    if (request.peer !== undefined) {
      isExpected(wanted).then((isRight) => (isRight ? done() : failed(misdirected())), failed);
      return;
    }
    const trip = { request, body: bodyOf(request), signal: hangup(reply) };
    answerOf(trip, wanted).then((answer) => {
      if (!answer) return done();
      deps.metrics?.recordForward('answered');
      if (app.isStopping()) reply.header('connection', 'close');
      reply.code(answer.status).headers(forwardedReplyHeaders(answer.headers)).send(answer.body);
      void trip.body?.drain();
    }, failed);
  });
}

/** A request on its way. */
interface Trip {
  request: FastifyRequest;
  body: RereadableStream | undefined;
  /** The caller hung up. */
  signal: AbortSignal;
}

/** Sends the request once. Rejects with INSTANCE_MOVING when too much of it went elsewhere, and with what became of the caller. */
async function exchange({ cluster, peers }: Deps, owner: Node, { request, body, signal }: Trip): Promise<Outcome> {
  if (body && !body.isWhole) throw moving();
  const gone = new AbortController();
  // A process that is stopped or cut off takes requests and answers none. As long as it gives signs of life, the answer may take its time.
  const look = async () => {
    const known = [cluster.node, ...(await cluster.peers())];
    if (!known.some(({ id }) => id === owner.id)) gone.abort();
  };
  const watch = setInterval(() => void look().catch(() => undefined), LOOK);
  try {
    const answer = await peers.send(owner, {
      ...{ method: request.method, path: request.url, headers: forwardedRequestHeaders(request, body !== undefined) },
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

/** Node's own signal ends with the body of the request. */
function hangup(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort(new GatewayError('INVALID_REQUEST', ['The caller hung up'])));
  return controller.signal;
}

function bodyOf({ method, headers, raw }: FastifyRequest): RereadableStream | undefined {
  const isSilent = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  return isSilent || method === 'GET' || method === 'HEAD' ? undefined : new RereadableStream(raw, KEPT);
}

/** Whether it does no harm to ask twice. Some of what is asked by GET does something. */
const isRepeatable = ({ method, routeOptions }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && routeOptions.schema?.scope === 'read';
