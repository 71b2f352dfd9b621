// Authentication and authorization, before the body is read: maps the apikey header to a caller, and checks whether the
// caller's key gives access to the instance in the path and has the scope that the operation requires (`x-scope` in the
// OpenAPI document). Decisions D-011, D-012 and D-135.
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import type { AccessKeyRow, AccessScope } from '../../storage/access-stores.ts';
import type { AppDeps, AppInstance } from '../deps.ts';

/** The instances that a key gives access to: `service` for all instances, otherwise a single instance. */
export type KeyReach = 'service' | AppInstance;

export interface Caller {
  reach: KeyReach;
  /** Undefined for the global key and instance keys, which have all scopes. */
  key: AccessKeyRow | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Checks keys for code that does not rely on the hook of registerAuth(), such as public routes. */
    authenticator: {
      /** The caller with this key; undefined for an invalid key. */
      callerOf(key: unknown): Caller | undefined;
      /**
       * Counts a failed request for the client's address. Throws `failure`, or RATE_LIMITED after too many failed
       * requests.
       */
      refuse(request: FastifyRequest, failure: GatewayError): Promise<never>;
      /**
       * Rejects with RATE_LIMITED after too many failed requests from the client's address. Call it before work for a
       * request whose key is not known yet. It counts nothing.
       */
      assertBelowFailureLimit(request: FastifyRequest): Promise<void>;
      /**
       * Whether the request has a valid signed link to a file of the instance `instanceId`. The instance can be on
       * another node.
       */
      hasValidLink(request: FastifyRequest, instanceId: string): boolean;
    };
  }
  interface FastifyContextConfig {
    /**
     * What a request needs. public: no key. service: a key for all instances. anyKey: any valid key. link: a key of the
     * path's instance, or a signed link to the file. Default: a key of the path's instance. Every route also accepts a
     * key for all instances.
     */
    access?: 'public' | 'service' | 'anyKey' | 'link';
  }
  interface FastifySchema {
    /** The scope that a key needs; `any` for no particular scope. Default: admin. */
    scope?: AccessScope | 'any';
  }
  interface FastifyRequest {
    /** What the caller's key gives access to. Undefined on public routes and for signed links. */
    reach: KeyReach | undefined;
    /** The caller's access key. Undefined for the global key, instance keys, public routes and signed links. */
    key: AccessKeyRow | undefined;
  }
}

/**
 * The error of a request that the caller's key, its scopes or its limits do not allow. Such a request changed nothing.
 */
export class AccessRefusedError extends GatewayError {}

/** `response.message` by error code. */
const REFUSAL_MESSAGES = {
  UNAUTHORIZED: 'Unauthorized',
  LINK_INVALID: ['The link is not valid. Request a new link.'],
  LINK_EXPIRED: ['The link has expired. Request a new link.'],
} as const;

/** AUTH_FAILURE_LIMIT and RATE_LIMIT are numbers of requests per minute. */
const MINUTE_MS = 60_000;

const ALL_SCOPES: readonly AccessScope[] = ['read', 'send', 'admin'];

/** Whether the key has the scope. The global key and instance keys (undefined) have all scopes. */
const hasScope = (key: AccessKeyRow | undefined, scope: AccessScope | 'any'): boolean =>
  !key || scope === 'any' || key.scopes.includes(scope);

/** The scopes of the key, all of them for the global key and instance keys. */
export const scopesOf = (key: AccessKeyRow | undefined): AccessScope[] =>
  ALL_SCOPES.filter((scope) => hasScope(key, scope));

/** Whether the key has the scope admin, which reading webhook URLs requires because the URLs can contain secrets. */
export const isAdmin = (key: AccessKeyRow | undefined): boolean => hasScope(key, 'admin');

/** Whether the key has all scopes, like the key of an instance. */
export const hasAllScopes = (key: AccessKeyRow | undefined): boolean => scopesOf(key).length === ALL_SCOPES.length;

/** Throws SCOPE_MISSING when the key lacks the scope. */
export function requireScope(key: AccessKeyRow | undefined, scope: AccessScope | 'any'): void {
  if (!hasScope(key, scope))
    throw new AccessRefusedError('SCOPE_MISSING', [`This operation needs a key with the scope "${scope}".`]);
}

/**
 * Throws SCOPE_MISSING when the key lacks a scope. Used for operations through which the caller can get or choose the
 * key of an instance: that key has all scopes, so it allows more than the caller's key. `operation`: the start of the
 * error text.
 */
export function requireAllScopes(key: AccessKeyRow | undefined, operation: string): void {
  if (!hasAllScopes(key))
    throw new AccessRefusedError(
      'SCOPE_MISSING',
      [`${operation} needs a key with the scopes "${ALL_SCOPES.join('", "')}".`],
      {
        certain: true,
      },
    );
}

/** The id by which a caller's requests are counted. All keys of an instance have one id: a new key resets no count. */
export const callerIdOf = ({ reach, key }: Pick<FastifyRequest, 'reach' | 'key'>): string =>
  typeof reach === 'object' ? reach.id : (key?.id ?? 'service');

const digest = (key: string) => hash('sha256', key, 'buffer');

/**
 * Requires a key on every route that is not public, and limits requests per key and failed requests per address.
 * Register @fastify/rate-limit first.
 */
export function registerAuth(
  app: FastifyInstance,
  { config, manager, files, keys }: Pick<AppDeps, 'config' | 'manager' | 'files' | 'keys'>,
): void {
  const serviceKey = digest(config.apiKey);
  // Only failed requests are counted and refused, so that a broken client does not lock out a correct client with the
  // same address. Keys are too long to guess; the limit only protects logs and CPU time.
  const failureLimit = app.createRateLimit({ max: config.authFailureLimit, timeWindow: MINUTE_MS });

  const requestLimit = app.createRateLimit({
    max: config.rateLimit,
    timeWindow: MINUTE_MS,
    keyGenerator: callerIdOf,
  });
  // `limit.isAllowed`: the request is on an allow list. The gateway has no such list; the check only narrows the type.
  const limitRequests = async (request: FastifyRequest): Promise<void> => {
    if (config.rateLimit === 0) return;
    const limit = await requestLimit(request);
    if (limit.isAllowed || !limit.isExceeded) return;
    throw new AccessRefusedError('RATE_LIMITED', ['There are too many requests with this key. Retry later.'], {
      retryAfter: limit.ttlInSeconds,
    });
  };

  const checkFailureLimit = async (request: FastifyRequest, options?: { increment: boolean }): Promise<void> => {
    if (config.authFailureLimit === 0) return;
    const limit = await failureLimit(request, options);
    if (limit.isAllowed || !limit.isExceeded) return;
    throw new AccessRefusedError('RATE_LIMITED', ['There are too many requests without a valid key. Retry later.'], {
      retryAfter: limit.ttlInSeconds,
    });
  };
  const refuse = async (request: FastifyRequest, failure: GatewayError): Promise<never> => {
    await checkFailureLimit(request);
    throw failure;
  };

  const reachOf = ({ instanceId }: AccessKeyRow): KeyReach | undefined =>
    instanceId === null ? 'service' : manager.byId(instanceId);
  const callerOf = (text: unknown): Caller | undefined => {
    if (typeof text !== 'string' || text === '') return undefined;
    if (timingSafeEqual(digest(text), serviceKey)) return { reach: 'service', key: undefined };
    const key = keys.find(text);
    const reach = key ? reachOf(key) : manager.byKey(text);
    return reach && { reach, key };
  };

  app.decorate('authenticator', {
    callerOf,
    refuse,
    assertBelowFailureLimit: (request) => checkFailureLimit(request, { increment: false }),
    hasValidLink: (request, instanceId) =>
      request.routeOptions.config.access === 'link' && problemWithLink(request, instanceId) === undefined,
  });
  app.decorateRequest('reach', undefined);
  app.decorateRequest('key', undefined);
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config;
    if (access === 'public') return;
    const caller = callerOf(request.headers.apikey);
    request.reach = caller?.reach;
    request.key = caller?.key;
    // Unknown routes are refused here, because the not-found handler runs after Fastify has parsed the body.
    if (request.is404) return refuseUnknown(request);
    if (caller && (caller.reach === 'service' || isAllowed(request, caller.reach))) {
      await limitRequests(request);
      const scope = request.routeOptions.schema?.scope ?? 'admin';
      // A key that lacks the scope does not prevent a download with a valid link in the same request.
      const usesLink = access === 'link' && !hasScope(caller.key, scope) && !problemWithLink(request);
      if (!usesLink) return requireScope(caller.key, scope);
    } else {
      // While the instances are not loaded, an unknown key can be the key of one of them.
      if (!manager.ready) throw new GatewayError('STARTING', 'Service Unavailable', { retryAfter: 1 });
      const problem = access === 'link' ? problemWithLink(request) : 'UNAUTHORIZED';
      if (problem) await refuse(request, new AccessRefusedError(problem, REFUSAL_MESSAGES[problem]));
    }
    // Only a request with a valid link gets here. The link replaces the key, so the key has no effect.
    request.reach = undefined;
    request.key = undefined;
  });

  // Unknown routes reply with 404 even without a key, as other WhatsApp gateways do.
  async function refuseUnknown(request: FastifyRequest): Promise<never> {
    const failure = new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${request.method} ${request.url}`]);
    if (request.reach) throw failure;
    return refuse(request, failure);
  }
  // Wildcard routes call this handler for files that do not exist.
  app.setNotFoundHandler(refuseUnknown);

  /** Whether the route accepts a key of `keyInstance`. */
  function isAllowed(request: FastifyRequest, keyInstance: AppInstance): boolean {
    const { access } = request.routeOptions.config;
    if (access !== undefined && access !== 'link') return access === 'anyKey';
    const { instance } = request.params as { instance?: string };
    return instance !== undefined && manager.get(instance)?.id === keyInstance.id;
  }

  /**
   * Why the signed link is refused; undefined for a valid link. Default of `instanceId`: the id of the instance in the
   * path, if this node has the instance. An unknown instance is reported like a wrong signature.
   */
  function problemWithLink(
    { headers, params, query }: FastifyRequest,
    instanceId?: string,
  ): keyof typeof REFUSAL_MESSAGES | undefined {
    const { instance = '', messageId: id = '' } = params as { instance?: string; messageId?: string };
    const { expires, signature } = query as { expires?: unknown; signature?: unknown };
    if (typeof expires !== 'string' || typeof signature !== 'string') return 'UNAUTHORIZED';
    const result = files.verify({ instanceId: instanceId ?? manager.get(instance)?.id ?? '', id, expires, signature });
    if (result === 'good') return undefined;
    // A caller that also sent a key gets the error for the key.
    if (headers.apikey !== undefined) return 'UNAUTHORIZED';
    return result === 'expired' ? 'LINK_EXPIRED' : 'LINK_INVALID';
  }
}
