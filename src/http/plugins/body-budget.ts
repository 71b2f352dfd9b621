// Limits the total size of the request bodies and uploaded files in progress, for the process and for each client. One
// client could otherwise fill the memory or the folder for temporary files, for example with sends that wait for a slow
// file server. Decision D-190.
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { ByteBudget } from '../../lib/byte-budget.ts';
import { onRequestEnd } from '../request-end.ts';
import { callerIdOf } from './auth.ts';
import { memoryLimit } from './protection.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes that the body takes from the budget; undefined for a body that is not counted. */
    bodyUsage: BodyUsage | undefined;
  }
}

interface BodyUsage {
  /** The instance of the path, otherwise the node or the caller that sent the request. */
  client: string;
  /** Number of bytes that have arrived. Only used for a body without a declared length. */
  received: number;
  /** Number of bytes taken from the budget. */
  counted: number;
}

export interface BodyBudget {
  /**
   * Takes the declared length of the body from the budget until the request ends. Returns OVERLOADED when the budget
   * has no room for the body.
   */
  reserve(request: FastifyRequest): GatewayError | undefined;
  /**
   * Takes a chunk of a body without a declared length from the budget until the request ends. Returns OVERLOADED when
   * the budget has no room for the chunk.
   */
  count(request: FastifyRequest, chunk: Buffer): GatewayError | undefined;
}

const MIB = 2 ** 20;
/**
 * Default of OVERLOAD_BODIES as a fraction of the memory of the process. A body takes up to three times its size in
 * memory.
 */
const MEMORY_SHARE = 0.25;
/** Maximum of this default. */
const MAX_DEFAULT_BYTES = 512 * MIB;
/** Bodies up to this size are neither counted nor refused, because MAX_CONNECTIONS limits their number. */
const MAX_UNCOUNTED_BYTES = 2 ** 14;
/** Seconds of the Retry-After header. */
const RETRY_AFTER_S = 5;

const overloadedError = () =>
  new GatewayError(
    'OVERLOADED',
    'The bodies of the requests in progress are too large together (setting OVERLOAD_BODIES). Send fewer at once.',
    { retryAfter: RETRY_AFTER_S },
  );

type BudgetLimits = Pick<Config, 'bodyLimit' | 'mediaLimit' | 'overloadBodies' | 'overloadMemory'>;

/**
 * The size of the budget in bytes. A client can take at most half of the budget, so the size is at least twice the size
 * of the largest form (`bodyLimit` + `mediaLimit`). `heapLimit`: the maximum heap size of the process in bytes.
 */
export function bodyBudgetSize(
  { bodyLimit, mediaLimit, overloadBodies, overloadMemory }: BudgetLimits,
  heapLimit = getHeapStatistics().heap_size_limit,
): number {
  const memory = Math.min(heapLimit, memoryLimit(overloadMemory) || Number.POSITIVE_INFINITY);
  const size = overloadBodies > 0 ? overloadBodies * MIB : Math.min(MAX_DEFAULT_BYTES, memory * MEMORY_SHARE);
  return Math.max(size, 2 * (bodyLimit + mediaLimit));
}

/** Creates the budget, and releases what a request has taken when the request ends. */
export function createBodyBudget(app: FastifyInstance, limits: BudgetLimits): BodyBudget {
  const budget = new ByteBudget(bodyBudgetSize(limits));
  app.decorateRequest('bodyUsage', undefined);
  onRequestEnd(app, ({ bodyUsage }) => {
    if (bodyUsage) budget.release(bodyUsage.client, bodyUsage.counted);
  });

  const usageOf = (request: FastifyRequest): BodyUsage => {
    request.bodyUsage ??= { client: clientOf(request), received: 0, counted: 0 };
    return request.bodyUsage;
  };
  const take = (usage: BodyUsage, bytes: number): GatewayError | undefined => {
    if (!budget.take(usage.client, bytes)) return overloadedError();
    usage.counted += bytes;
    return undefined;
  };
  return {
    reserve(request) {
      const length = Number(request.headers['content-length'] ?? 0);
      return length > MAX_UNCOUNTED_BYTES ? take(usageOf(request), length) : undefined;
    },
    count(request, { length }) {
      if (request.headers['content-length'] !== undefined) return undefined;
      const usage = usageOf(request);
      usage.received += length;
      return usage.received > MAX_UNCOUNTED_BYTES ? take(usage, usage.received - usage.counted) : undefined;
    },
  };
}

const clientOf = (
  request: Pick<FastifyRequest, 'peerId' | 'reach' | 'key'> & Partial<Pick<FastifyRequest, 'instance'>>,
): string => request.instance?.id ?? request.peerId ?? callerIdOf(request);
