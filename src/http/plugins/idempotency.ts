// Idempotency: repeated requests with the same Idempotency-Key take effect once and get the same response. An operation
// accepts the header if its schema lists it. Decision D-074.
import { createHash, createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { isObject } from '../../lib/json-object.ts';
import type { Media } from '../../whatsapp/media/media.ts';
import { runWithIdentity, WEB_ID_PREFIX } from '../../whatsapp/outbound/message-id.ts';
import type { AppDeps } from '../deps.ts';
import { operationIdOf } from '../operation-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The claim of a deduplicated request; undefined for other requests, and once the response is being sent. */
    idempotencyClaim: RequestClaim | undefined;
  }
}

/** A claim: the record that is stored for a request before it runs. A repetition of the request finds the claim. */
interface RequestClaim {
  instanceId: string;
  /** Hash of the operation and the idempotency key, or of the operation and the content if there is no key. */
  id: string;
  /** The id of the message to send, the same for all attempts. */
  messageId: string;
  /** Whether the claim was stored by an earlier attempt of the same request. */
  isRepeat: boolean;
}

const KEY_HEADER = 'idempotency-key';
/** How long a response is stored under an Idempotency-Key. */
const KEY_TTL_MS = 24 * 3_600_000;
/** Query parameters that change the response, but not the effect of the operation. */
const RESPONSE_PARAMETERS = ['wait', 'timeout'];

interface Deps {
  config: Pick<Config, 'dedupeWindow'>;
  store: Pick<AppDeps['store'], 'requests' | 'deriveKeys'>;
  media: { requestFiles: Pick<Media['requestFiles'], 'digestOf'> };
}

/** Deduplicates requests for the operations that accept an Idempotency-Key. */
export function registerIdempotency(app: FastifyInstance, deps: Deps): void {
  const { store, config } = deps;
  // deriveKeys() always returns a key. The default only satisfies the type.
  const [messageIdKey = Buffer.alloc(0)] = store.deriveKeys('message-ids');
  /** Names (see claimNameOf) of the claims of requests that run in this process. */
  const running = new Set<string>();

  app.decorateRequest('idempotencyClaim', undefined);
  app.addHook('preHandler', (request, reply, done) => {
    const deduplication = deduplicationOf(request, config.dedupeWindow);
    if (!deduplication) return done();
    claimRequest(request, reply, deduplication).then((claim) => {
      // Without a claim, claimRequest() has sent the stored response. With a claim, the handler runs, and the message
      // that it sends gets the id of the claim.
      if (claim) runWithIdentity(claim, done);
    }, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const { idempotencyClaim: claim } = request;
    if (!claim) return done(null, payload);
    request.idempotencyClaim = undefined;
    // The response is sent even if storing it fails. A repetition of the request then sends the message again with the
    // same id.
    settleClaim(claim, reply.statusCode, payload)
      .catch((err: unknown) => request.log.error({ err }, 'request.response.failed'))
      .finally(() => {
        running.delete(claimNameOf(claim));
        done(null, claim.isRepeat && reply.statusCode >= 300 ? withUnknownOutcome(payload, claim.messageId) : payload);
      });
  });

  /**
   * Claims the request. If an earlier attempt has a stored response, replies with that response and resolves with
   * undefined. Rejects when an earlier request with the same key (or, without a key, with the same content) is still
   * running, and when an earlier request with the same key had other content. Also rejects when an earlier attempt was
   * interrupted and a repetition is not harmless (sendsMessage).
   */
  async function claimRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    deduplication: Deduplication,
  ): Promise<RequestClaim | undefined> {
    const now = Date.now();
    const digest = digestOf(request, (address) => deps.media.requestFiles.digestOf(address));
    const operation = operationIdOf(request) ?? '';
    const instanceId = request.instance.id;
    const id = hashOf([operation, deduplication.key ?? '', deduplication.key === undefined ? digest : '']);
    const name = claimNameOf({ instanceId, id });
    if (running.has(name)) throw inFlightError(deduplication);
    running.add(name);
    try {
      const messageId = toMessageId(messageIdKey, [instanceId, id, String(now)]);
      const earlier = await store.requests.claim(instanceId, id, {
        digest,
        messageId,
        now,
        expiresAt: now + deduplication.ttlMs,
      });
      if (earlier && earlier.digest !== digest)
        throw new GatewayError('IDEMPOTENCY_MISMATCH', [
          'The Idempotency-Key was used with another body. Use a new key for each request.',
        ]);
      if (earlier?.response) {
        running.delete(name);
        const { status, body } = earlier.response;
        reply.code(status).header('idempotency-replayed', 'true').type('application/json; charset=utf-8').send(body);
        return undefined;
      }
      if (earlier && !sendsMessage(operation, request))
        throw new GatewayError(
          'PLATFORM_TIMEOUT',
          'An earlier request with this key was interrupted. Check its effect before you use a new key.',
          { certain: false },
        );
      request.idempotencyClaim = {
        instanceId,
        id,
        messageId: earlier?.messageId ?? messageId,
        isRepeat: earlier !== null,
      };
      return request.idempotencyClaim;
    } catch (error) {
      running.delete(name);
      throw error;
    }
  }

  /**
   * Stores the response of a request that had an effect, or that reports an unknown outcome (`certain` is false).
   * Deletes the claim of a request that had no effect, so that its key can be used again. Keeps the claim of a
   * repetition without effect, because the first attempt can have sent the message. Also keeps the claim of a response
   * that does not show whether the request had an effect: a status from 500 on without `certain`.
   */
  async function settleClaim(
    { instanceId, id, isRepeat }: RequestClaim,
    status: number,
    payload: unknown,
  ): Promise<void> {
    if (typeof payload !== 'string') return;
    /** Whether the outcome is known, according to an error response. */
    const certain = status < 300 ? undefined : certaintyOf(payload);
    const mayHaveHadEffect = status < 300 || certain === false;
    const hadNoEffect = certain === true || status < 500;
    if (mayHaveHadEffect) await store.requests.storeResponse(instanceId, id, { status, body: payload });
    else if (hadNoEffect && !isRepeat) await store.requests.delete(instanceId, id);
  }
}

/** How a request is deduplicated. */
interface Deduplication {
  /** The Idempotency-Key; undefined if requests are deduplicated by content (DEDUPE_WINDOW, D-075). */
  key?: string;
  /** How long the response is stored, in ms. */
  ttlMs: number;
}

/** How the request is deduplicated; undefined if it is not. `windowMs`: the setting DEDUPE_WINDOW, 0 for off. */
function deduplicationOf(request: FastifyRequest, windowMs: number): Deduplication | undefined {
  const headers: unknown = request.routeOptions.schema?.headers;
  if (!isObject(headers) || !isObject(headers.properties) || !(KEY_HEADER in headers.properties)) return undefined;
  const key = request.headers[KEY_HEADER];
  if (typeof key === 'string') return { key, ttlMs: KEY_TTL_MS };
  return windowMs > 0 ? { ttlMs: windowMs } : undefined;
}

function inFlightError({ key }: Deduplication): GatewayError {
  const subject = key === undefined ? 'with the same content' : 'with this Idempotency-Key';
  const message = `An earlier request ${subject} is still running. Retry later.`;
  return new GatewayError('IDEMPOTENCY_IN_FLIGHT', [message], { retryAfter: 1, certain: false });
}

const claimNameOf = ({ instanceId, id }: Pick<RequestClaim, 'instanceId' | 'id'>) => `${instanceId} ${id}`;

/**
 * Whether the operation sends a message. Editing a message (updateMessage) sends one, too. A repetition of such an
 * operation is harmless, because receivers show messages with the same id only once.
 */
const sendsMessage = (operation: string, request: FastifyRequest) =>
  request.routeOptions.schema?.tags?.[0] === 'message' || operation.startsWith('updateMessage');

const hashOf = (parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** A message id in the format of WhatsApp's web clients: a prefix and 18 hexadecimal digits. */
function toMessageId(hmacKey: Buffer, parts: readonly string[]): string {
  const digest = createHmac('sha256', hmacKey).update(JSON.stringify(parts)).digest('hex');
  return WEB_ID_PREFIX + digest.slice(0, 18).toUpperCase();
}

/**
 * Digest of the content of the request, independent of the order of fields. An uploaded file is in the request as an
 * address, "upload:…". The digest of the file replaces this address, which differs at each upload.
 */
function digestOf({ body, query }: FastifyRequest, fileDigest: (address: string) => string | undefined): string {
  const parameters = Object.entries(isObject(query) ? query : {}).filter(
    ([name]) => !RESPONSE_PARAMETERS.includes(name),
  );
  const content = { body, query: Object.fromEntries(parameters) };
  const normalize = (_: string, value: unknown) => {
    if (typeof value === 'string') return value.startsWith('upload:') ? (fileDigest(value) ?? value) : value;
    return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  };
  return hashOf([JSON.stringify(content, normalize)]);
}

/**
 * The error response of a repetition: `certain` becomes false if it was true, because the earlier attempt can have sent
 * the message.
 */
function withUnknownOutcome(payload: unknown, messageId: string): unknown {
  if (typeof payload !== 'string' || certaintyOf(payload) !== true) return payload;
  return JSON.stringify({ ...JSON.parse(payload), certain: false, messageId });
}

/** `certain` in an error response; undefined if the response has none. */
function certaintyOf(payload: string): boolean | undefined {
  const body: unknown = JSON.parse(payload);
  return isObject(body) && typeof body.certain === 'boolean' ? body.certain : undefined;
}
