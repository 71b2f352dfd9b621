// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody } from './common.ts';

/** The process is alive. */
export const Liveness = Type.Object({ status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'] }) });
export type Liveness = Static<typeof Liveness>;

/** Result of the readiness checks. */
export const Readiness = Type.Object({
  status: Type.Unsafe<'ok' | 'unavailable'>({ type: 'string', enum: ['ok', 'unavailable'] }),
  checks: Type.Object({ storage: Type.Boolean(), instances: Type.Boolean(), load: Type.Boolean() }),
  reasons: Type.Optional(Type.Array(Type.String())),
});
export type Readiness = Static<typeof Readiness>;

/** One process, as of its last sign of life. */
export const ClusterNodeRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  version: Type.String(),
  startedAt: Type.String({ format: 'date-time' }),
  state: Type.Unsafe<'live' | 'draining' | 'silent'>({ type: 'string', enum: ['live', 'draining', 'silent'] }),
  silentFor: Type.Integer(),
  instances: Type.Integer(),
  capacity: Type.Integer(),
});
export type ClusterNodeRecord = Static<typeof ClusterNodeRecord>;

/** The processes that share a database, and how the instances are spread over them. */
export const ClusterRecord = Type.Object({
  enabled: Type.Boolean(),
  node: Type.Union([Type.Object({ id: Type.String(), name: Type.String(), url: Type.String() }), Type.Null()]),
  nodes: Type.Array(ClusterNodeRecord),
  instances: Type.Integer(),
  orphans: Type.Integer(),
  leaseTtl: Type.Integer(),
});
export type ClusterRecord = Static<typeof ClusterRecord>;

/** How much is logged; each level has the graver ones in it. */
export const LogLevel = Type.Object({
  level: Type.Unsafe<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'>({ type: 'string', enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] }),
});
export type LogLevel = Static<typeof LogLevel>;

/** GET /livez: Check that the process is alive. */
export const livezRoute = {
  operationId: 'livez',
  summary: 'Check that the process is alive',
  method: 'GET',
  url: '/livez',
  tags: ['health'],
  response: { 200: Liveness, 500: ErrorBody },
} as const;

/** GET /readyz: Check that the process can take traffic. */
export const readyzRoute = {
  operationId: 'readyz',
  summary: 'Check that the process can take traffic',
  method: 'GET',
  url: '/readyz',
  tags: ['health'],
  response: { 200: Readiness, 500: ErrorBody, 503: Readiness },
} as const;

/** GET /metrics: Read the metrics. */
export const metricsRoute = {
  operationId: 'metrics',
  summary: 'Read the metrics',
  method: 'GET',
  url: '/metrics',
  tags: ['health'],
  scope: 'read',
  response: { 401: ErrorBody, 403: ErrorBody, 429: ErrorBody, 500: ErrorBody, 503: ErrorBody },
} as const;

/** GET /log/level: Get the log level. */
export const findLogLevelRoute = {
  operationId: 'findLogLevel',
  summary: 'Get the log level',
  method: 'GET',
  url: '/log/level',
  tags: ['health'],
  scope: 'admin',
  response: {
    200: LogLevel,
    401: ErrorBody,
    403: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /log/level: Set the log level. */
export const setLogLevelRoute = {
  operationId: 'setLogLevel',
  summary: 'Set the log level',
  method: 'POST',
  url: '/log/level',
  tags: ['health'],
  scope: 'admin',
  body: LogLevel,
  response: {
    200: LogLevel,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /cluster: List the nodes of the cluster. */
export const findClusterRoute = {
  operationId: 'findCluster',
  summary: 'List the nodes of the cluster',
  method: 'GET',
  url: '/cluster',
  tags: ['health'],
  scope: 'read',
  response: {
    200: ClusterRecord,
    401: ErrorBody,
    403: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
