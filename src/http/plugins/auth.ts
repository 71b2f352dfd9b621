// Authentication: maps the apikey header to a caller before the body is read, and checks its access. The instance comes from the path only.
// A route needs a key of its instance unless `config.access` says otherwise; with `link`, a signed link replaces the key.
// The contract names the required scope of each operation (`x-scope`).
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import type { AccessKeyRow, AccessScope } from '../../storage/access-stores.ts';
import type { AppDeps, AppInstance } from '../deps.ts';

/** The instances a key gives access to: `service` for all, otherwise the one that the key belongs or is bound to. */
export type KeyReach = 'service' | AppInstance;

export interface Caller {
  scope: KeyReach;
  /** The access key; undefined for the global key and instance keys, which have all scopes. */
  key: AccessKeyRow | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Checks keys that do not come in the apikey header. */
    keys: {
      callerOf(key: unknown): Caller | undefined;
      /** What the key may read; undefined for an invalid key or one without the scope read. */
      scopeOf(key: unknown): KeyReach | undefined;
      /** Counts a failed request of a client address. Resolves with `failure`, or with RATE_LIMITED after too many. */
      count(request: FastifyRequest, failure: GatewayError): Promise<GatewayError>;
    };
  }
  interface FastifyContextConfig {
    /**
     * public: no key. service: a key for all instances. record: any key, for the list of instances. link: a key of the path's instance, or
     * a signed link to this file. Default: a key of the path's instance.
     */
    access?: 'public' | 'service' | 'record' | 'link';
  }
  interface FastifySchema {
    /** The scope that a key needs; `any` for no particular one. Default: admin. */
    scope?: AccessScope | 'any';
  }
  interface FastifyRequest {
    scope: KeyReach | undefined;
    /** The access key; undefined for the global key, instance keys and public routes. */
    key: AccessKeyRow | undefined;
  }
}

const REFUSALS = {
  UNAUTHORIZED: 'Unauthorized',
  LINK_INVALID: ['The link is not valid'],
  LINK_EXPIRED: ['The link has expired'],
} as const;

const ALL_SCOPES: readonly AccessScope[] = ['read', 'send', 'admin'];

/** Whether the key has the scope. The global key and instance keys (undefined) have all scopes. */
const hasScope = (key: AccessKeyRow | undefined, scope: AccessScope | 'any'): boolean =>
  !key || scope === 'any' || key.scopes.includes(scope);

/** The scopes of the key. */
export const scopesOf = (key: AccessKeyRow | undefined): AccessScope[] =>
  ALL_SCOPES.filter((scope) => hasScope(key, scope));

/** Whether the key has the scope admin, which reading webhook URLs requires: they may contain secrets. */
export const isAdmin = (key: AccessKeyRow | undefined): boolean => hasScope(key, 'admin');

/** Whether the key has all scopes, like the key of an instance. */
export const isUnlimited = (key: AccessKeyRow | undefined): boolean => scopesOf(key).length === ALL_SCOPES.length;

/** Throws SCOPE_MISSING when the key lacks the scope. */
export function requireScope(key: AccessKeyRow | undefined, scope: AccessScope | 'any'): void {
  if (!hasScope(key, scope)) throw new GatewayError('SCOPE_MISSING', [`This needs a key with the scope "${scope}"`]);
}

const digest = (key: string) => hash('sha256', key, 'buffer');

/** Requires a key on every route that is not public, and limits failed requests per address. Needs @fastify/rate-limit. */
export function registerAuth(
  app: FastifyInstance,
  { config, manager, files, keys }: Pick<AppDeps, 'config' | 'manager' | 'files' | 'keys'>,
): void {
  const serviceKey = digest(config.apiKey);
  // Only failures count. Keys are too long to guess, so the limit saves logs and CPU; it must not lock out a correct client that shares
  // an address with a broken one.
  const countFailure = app.createRateLimit({ max: config.authFailureLimit, timeWindow: 60_000 });

  // Per instance and not per key, so that a new key does not reset the count.
  const countRequest = app.createRateLimit({
    max: config.rateLimit,
    timeWindow: 60_000,
    keyGenerator: ({ scope, key }) => (typeof scope === 'object' ? scope.id : (key?.id ?? 'service')),
  });
  const admit = async (request: FastifyRequest): Promise<void> => {
    if (config.rateLimit === 0) return;
    const limit = await countRequest(request);
    if (limit.isAllowed || !limit.isExceeded) return;
    throw new GatewayError('RATE_LIMITED', ['Too many requests with this key'], { retryAfter: limit.ttlInSeconds });
  };

  const count = async (request: FastifyRequest, failure: GatewayError): Promise<GatewayError> => {
    if (config.authFailureLimit === 0) return failure;
    const limit = await countFailure(request);
    if (limit.isAllowed || !limit.isExceeded) return failure;
    return new GatewayError('RATE_LIMITED', ['Too many requests without a valid key'], {
      retryAfter: limit.ttlInSeconds,
    });
  };
  const refuse = async (request: FastifyRequest, failure: GatewayError): Promise<never> => {
    throw await count(request, failure);
  };

  const callerOf = (text: unknown): Caller | undefined => {
    if (typeof text !== 'string' || text === '') return undefined;
    if (timingSafeEqual(digest(text), serviceKey)) return { scope: 'service', key: undefined };
    const key = keys.find(text);
    const scope = key ? (key.instanceId === null ? 'service' : manager.byId(key.instanceId)) : manager.byKey(text);
    return scope && { scope, key };
  };

  const scopeOf = (text: unknown): KeyReach | undefined => {
    const caller = callerOf(text);
    return caller && hasScope(caller.key, 'read') ? caller.scope : undefined;
  };

  app.decorate('keys', { callerOf, scopeOf, count });
  app.decorateRequest('scope', undefined);
  app.decorateRequest('key', undefined);
  app.addHook('onRequest', async (request) => {
    const { config, schema } = request.routeOptions;
    if (config.access === 'public') return;
    const caller = callerOf(request.headers.apikey);
    request.scope = caller?.scope;
    request.key = caller?.key;
    // Here and not in the not-found handler, which runs after Fastify has parsed the body.
    if (request.is404) return refuseUnknown(request);
    if (caller && (caller.scope === 'service' || isAllowed(request, caller.scope))) {
      await admit(request);
      const needed = schema?.scope ?? 'admin';
      const isLinked = config.access === 'link' && !hasScope(caller.key, needed) && !problemWithLink(request);
      if (!isLinked) return requireScope(caller.key, needed);
    } else {
      // Instance keys are not loaded yet, so an unknown key may be valid.
      if (!manager.ready) throw new GatewayError('STARTING', 'Service Unavailable', { retryAfter: 1 });
      const problem = config.access === 'link' ? problemWithLink(request) : 'UNAUTHORIZED';
      if (problem) await refuse(request, new GatewayError(problem, REFUSALS[problem]));
    }
    // A valid link replaces the key: a key in the same request has no effect.
    request.scope = undefined;
    request.key = undefined;
  });

  // Unknown routes answer 404 without a key, as other gateways do.
  async function refuseUnknown(request: FastifyRequest): Promise<never> {
    const failure = new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${request.method} ${request.url}`]);
    if (request.scope) throw failure;
    return refuse(request, failure);
  }
  // Routes with a wildcard call it for files that do not exist.
  app.setNotFoundHandler(refuseUnknown);

  function isAllowed(request: FastifyRequest, owner: AppInstance): boolean {
    const { access } = request.routeOptions.config;
    if (access !== undefined && access !== 'link') return access === 'record';
    const { instance } = request.params as { instance?: string };
    return instance !== undefined && manager.get(instance)?.id === owner.id;
  }

  /** Why the signed link is refused; undefined for a valid one. An unknown instance is reported like a wrong signature. */
  function problemWithLink({ headers, params, query }: FastifyRequest): keyof typeof REFUSALS | undefined {
    const { instance = '', messageId: id = '' } = params as { instance?: string; messageId?: string };
    const { expires, signature } = query as { expires?: unknown; signature?: unknown };
    if (typeof expires !== 'string' || typeof signature !== 'string') return 'UNAUTHORIZED';
    const result = files.verify({ instanceId: manager.get(instance)?.id ?? '', id, expires, signature });
    if (result === 'good') return undefined;
    if (headers.apikey !== undefined) return 'UNAUTHORIZED';
    return result === 'expired' ? 'LINK_EXPIRED' : 'LINK_INVALID';
  }
}
