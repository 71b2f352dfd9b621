// Idempotency: repeated requests with the same Idempotency-Key take effect once and get the same response. The contract lists the header on
// operations that accept it. `certain` in an error response says whether the request may have taken effect.
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
    /** The claim of the request until its response is sent. */
    idempotencyClaim: RequestClaim | undefined;
  }
}

interface RequestClaim {
  instance: string;
  id: string;
  messageId: string;
  isRepeat: boolean;
}

const KEY_HEADER = 'idempotency-key';
const KEY_TTL_MS = 24 * 3_600_000;
/** Query parameters that change the response only and not the operation. */
const RESPONSE_PARAMETERS = ['wait', 'timeout'];

interface Deps {
  config: Pick<Config, 'dedupeWindow'>;
  store: Pick<AppDeps['store'], 'requests' | 'deriveKeys'>;
  media: { uploads: Pick<Media['uploads'], 'digestOf'> };
}

export function registerIdempotency(app: FastifyInstance, deps: Deps): void {
  const { store, config } = deps;
  const [idKey = Buffer.alloc(0)] = store.deriveKeys('message-ids');
  /** Claims of requests that run in this process. */
  const running = new Set<string>();

  app.decorateRequest('idempotencyClaim', undefined);
  app.addHook('preHandler', (request, reply, done) => {
    const deduplication = deduplicationKeyOf(request, config.dedupeWindow);
    if (!deduplication) return done();
    begin(request, reply, deduplication).then((claim) => claim && runWithIdentity(claim, done), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const { idempotencyClaim: claim } = request;
    if (!claim) return done(null, payload);
    request.idempotencyClaim = undefined;
    // The response is sent even when storing it fails. A repeated request then sends its message again under the same id.
    settle(claim, reply.statusCode, payload)
      .catch((err: unknown) => request.log.error({ err }, 'request.response.failed'))
      .finally(() => {
        running.delete(nameOf(claim));
        done(null, claim.isRepeat && reply.statusCode >= 300 ? withUnknownOutcome(payload, claim.messageId) : payload);
      });
  });

  /** Claims the request. Resolves with undefined after it replied with the stored response of an earlier request. */
  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    deduplication: DeduplicationKey,
  ): Promise<RequestClaim | undefined> {
    const now = Date.now();
    const digest = digestOf(request, (address) => deps.media.uploads.digestOf(address));
    const operation = operationIdOf(request) ?? '';
    const instance = request.instance.id;
    const id = hashOf([operation, deduplication.key ?? '', deduplication.key === undefined ? digest : '']);
    const name = nameOf({ instance, id });
    if (running.has(name)) {
      const sentence = 'An earlier request with this key is still running. Retry later.';
      throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', [sentence], { retryAfter: 1, certain: false });
    }
    running.add(name);
    try {
      const messageId = toMessageId(idKey, [instance, id, String(now)]);
      const earlier = await store.requests.claim(instance, id, {
        digest,
        messageId,
        now,
        expiresAt: now + deduplication.ms,
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
      if (earlier && !isMessage(operation, request))
        throw new GatewayError(
          'PLATFORM_TIMEOUT',
          'An earlier request with this key was interrupted. Check its effect before you use a new key.',
          {
            certain: false,
          },
        );
      request.idempotencyClaim = {
        instance,
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
   * Stores the response, or deletes the claim of a request that certainly had no effect, so that its key can be used again. The claim of a
   * repetition stays in that case: the first attempt, which has no stored response, may have sent the message.
   */
  async function settle({ instance, id, isRepeat }: RequestClaim, status: number, payload: unknown): Promise<void> {
    if (typeof payload !== 'string') return;
    const certain = status < 300 ? undefined : certaintyOf(payload);
    if (status < 300 || certain === false) await store.requests.storeResponse(instance, id, { status, body: payload });
    else if (!isRepeat && (certain || status < 500)) await store.requests.delete(instance, id);
  }
}

interface DeduplicationKey {
  /** The Idempotency-Key; absent when requests are deduplicated by content (DEDUPE_WINDOW). */
  key?: string;
  /** ms that the response is stored. */
  ms: number;
}

function deduplicationKeyOf(request: FastifyRequest, window: number): DeduplicationKey | undefined {
  const headers: unknown = request.routeOptions.schema?.headers;
  if (!isObject(headers) || !isObject(headers.properties) || !(KEY_HEADER in headers.properties)) return undefined;
  const key = request.headers[KEY_HEADER];
  if (typeof key === 'string') return { key, ms: KEY_TTL_MS };
  return window > 0 ? { ms: window } : undefined;
}

const nameOf = ({ instance, id }: Pick<RequestClaim, 'instance' | 'id'>) => `${instance} ${id}`;

/** Whether the operation sends one message. Receivers show a message that arrives twice under one id only once. */
const isMessage = (operation: string, request: FastifyRequest) =>
  request.routeOptions.schema?.tags?.[0] === 'message' || operation.startsWith('updateMessage');

const hashOf = (parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** A message id in the format of the platform's web clients. */
const toMessageId = (key: Buffer, parts: readonly string[]) =>
  `3EB0${createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex').slice(0, 18).toUpperCase()}`;

/** Digest of the content of the request, independent of the order of fields. Uploaded files count by their content. */
function digestOf({ body, query }: FastifyRequest, fileDigest: (address: string) => string | undefined): string {
  const parameters = Object.entries(isObject(query) ? query : {}).filter(
    ([name]) => !RESPONSE_PARAMETERS.includes(name),
  );
  const content = { body, query: Object.fromEntries(parameters) };
  const inOrder = (_: string, value: unknown) => {
    if (typeof value === 'string') return value.startsWith('upload:') ? (fileDigest(value) ?? value) : value;
    return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  };
  return hashOf([JSON.stringify(content, inOrder)]);
}

/** The error response of a repetition with `certain: false`, because the attempt before it may have taken effect. */
function withUnknownOutcome(payload: unknown, messageId: string): unknown {
  if (typeof payload !== 'string' || certaintyOf(payload) !== true) return payload;
  return JSON.stringify({ ...JSON.parse(payload), certain: false, messageId });
}

function certaintyOf(payload: string): boolean | undefined {
  const envelope: unknown = JSON.parse(payload);
  return isObject(envelope) && typeof envelope.certain === 'boolean' ? envelope.certain : undefined;
}
