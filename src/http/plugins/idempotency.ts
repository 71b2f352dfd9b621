// Requests that come twice: with the same Idempotency-Key they take effect once and are answered alike. Operations take the header when
// the contract says so. Everything that tells whether a request took effect is in its answer (`certain`).
import { createHash, createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import type { Media } from '../../whatsapp/media/media.ts';
import { runWithIdentity } from '../../whatsapp/outbound/message-id.ts';
import type { AppDeps } from '../deps.ts';
import { isObject } from '../dialects/rewrite.ts';
import { operationIdOf } from '../operation-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request has claimed, until it is answered. */
    claim: Claimed | undefined;
  }
}

interface Claimed {
  instance: string;
  id: string;
  messageId: string;
  isRepeat: boolean;
}

const header = 'idempotency-key';
const day = 24 * 3_600_000;
/** Query parameters that say how an operation is answered, not what it does. */
const manners = ['wait', 'timeout'];

interface Deps {
  config: Pick<Config, 'dedupeWindow'>;
  store: Pick<AppDeps['store'], 'requests' | 'keysFor'>;
  media: { uploads: Pick<Media['uploads'], 'digestOf'> };
}

export function registerIdempotency(app: FastifyInstance, deps: Deps): void {
  const { store, config } = deps;
  const [idKey = Buffer.alloc(0)] = store.keysFor('message-ids');
  /** Claims of requests that this process works on. */
  const running = new Set<string>();

  app.decorateRequest('claim', undefined);
  app.addHook('preHandler', (request, reply, done) => {
    const wish = wishOf(request, config.dedupeWindow);
    if (!wish) return done();
    begin(request, reply, wish).then((claim) => claim && runWithIdentity(claim, done), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const { claim } = request;
    if (!claim) return done(null, payload);
    request.claim = undefined;
    // The answer goes out in any case; a request that stays open sends its message again under the same id when it comes again.
    settle(claim, reply.statusCode, payload)
      .catch((err: unknown) => request.log.error({ err }, 'request.answer.unstored'))
      .finally(() => {
        running.delete(nameOf(claim));
        done(null, claim.isRepeat && reply.statusCode >= 300 ? doubted(payload, claim.messageId) : payload);
      });
  });

  /** Undefined when the request was answered as an earlier one. */
  async function begin(request: FastifyRequest, reply: FastifyReply, wish: Wish): Promise<Claimed | undefined> {
    const now = Date.now();
    const digest = digestOf(request, (address) => deps.media.uploads.digestOf(address));
    const operation = operationIdOf(request) ?? '';
    const instance = request.instance.id;
    const id = hashOf([operation, wish.key ?? '', wish.key === undefined ? digest : '']);
    const name = nameOf({ instance, id });
    if (running.has(name)) {
      const sentence = 'An earlier request with this key is still being worked on';
      throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', [sentence], { retryAfter: 1, certain: false });
    }
    running.add(name);
    try {
      const messageId = toMessageId(idKey, [instance, id, String(now)]);
      const earlier = await store.requests.claim(instance, id, { digest, messageId, now, expiresAt: now + wish.ms });
      if (earlier && earlier.digest !== digest)
        throw new GatewayError('IDEMPOTENCY_MISMATCH', ['This key was used with another body']);
      if (earlier?.answer) {
        running.delete(name);
        const { status, body } = earlier.answer;
        reply.code(status).header('idempotency-replayed', 'true').type('application/json; charset=utf-8').send(body);
        return undefined;
      }
      if (earlier && !isMessage(operation, request))
        throw new GatewayError('PLATFORM_TIMEOUT', 'an earlier request with this key was interrupted', {
          certain: false,
        });
      request.claim = { instance, id, messageId: earlier?.messageId ?? messageId, isRepeat: earlier !== null };
      return request.claim;
    } catch (error) {
      running.delete(name);
      throw error;
    }
  }

  /**
   * What certainly took no effect may be tried again under the same key; of the rest the answer is kept. A repetition knows of itself
   * alone: the attempt before it, which was never answered, may have sent, so that its id stays.
   */
  async function settle({ instance, id, isRepeat }: Claimed, status: number, payload: unknown): Promise<void> {
    if (typeof payload !== 'string') return;
    const certain = status < 300 ? undefined : certainty(payload);
    if (status < 300 || certain === false) await store.requests.answer(instance, id, { status, body: payload });
    else if (!isRepeat && (certain || status < 500)) await store.requests.forget(instance, id);
  }
}

interface Wish {
  /** Absent: a request like any other, known by its content alone. */
  key?: string;
  /** How long it is remembered. */
  ms: number;
}

function wishOf(request: FastifyRequest, window: number): Wish | undefined {
  const headers: unknown = request.routeOptions.schema?.headers;
  if (!isObject(headers) || !isObject(headers.properties) || !(header in headers.properties)) return undefined;
  const key = request.headers[header];
  if (typeof key === 'string') return { key, ms: day };
  return window > 0 ? { ms: window } : undefined;
}

const nameOf = ({ instance, id }: Pick<Claimed, 'instance' | 'id'>) => `${instance} ${id}`;

/** Whether the operation sends one message, which can go out twice without being shown twice. */
const isMessage = (operation: string, request: FastifyRequest) =>
  request.routeOptions.schema?.tags?.[0] === 'message' || operation.startsWith('updateMessage');

const hashOf = (parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** In the form in which the platform's web clients make them. */
const toMessageId = (key: Buffer, parts: readonly string[]) =>
  `3EB0${createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex').slice(0, 18).toUpperCase()}`;

/** Of what the request asks for, in whatever order it says it; files count by their content. */
function digestOf({ body, query }: FastifyRequest, fileDigest: (address: string) => string | undefined): string {
  const told = Object.entries(isObject(query) ? query : {}).filter(([name]) => !manners.includes(name));
  const asked = { body, query: Object.fromEntries(told) };
  const inOrder = (_: string, value: unknown) => {
    if (typeof value === 'string') return value.startsWith('upload:') ? (fileDigest(value) ?? value) : value;
    return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  };
  return hashOf([JSON.stringify(asked, inOrder)]);
}

/** The answer of a repetition that did nothing, which says nothing of the attempt before it. */
function doubted(payload: unknown, messageId: string): unknown {
  if (typeof payload !== 'string' || certainty(payload) !== true) return payload;
  return JSON.stringify({ ...JSON.parse(payload), certain: false, messageId });
}

function certainty(payload: string): boolean | undefined {
  const envelope: unknown = JSON.parse(payload);
  return isObject(envelope) && typeof envelope.certain === 'boolean' ? envelope.certain : undefined;
}
