// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema } from '../../lib/json-schema.ts';
import { ErrorBody } from './common.ts';

/** The process is alive. */
export type Liveness = { status: 'ok' };
export const Liveness: ObjectSchema<Liveness> = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['ok'] } },
  required: ['status'],
};

/** Result of the readiness checks. */
export type Readiness = {
  status: 'ok' | 'unavailable';
  checks: { storage: boolean; instances: boolean; load: boolean };
  reasons?: string[];
};
export const Readiness: ObjectSchema<Readiness> = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    checks: {
      type: 'object',
      properties: {
        storage: { type: 'boolean' },
        instances: { type: 'boolean' },
        load: { type: 'boolean' },
      },
      required: ['storage', 'instances', 'load'],
    },
    reasons: { type: 'array', items: { type: 'string' } },
  },
  required: ['status', 'checks'],
};

/** One process, as of its last sign of life. */
export type ClusterNodeRecord = {
  id: string;
  name: string;
  url: string;
  version: string;
  startedAt: string;
  state: 'live' | 'draining' | 'silent';
  silentFor: number;
  instances: number;
  capacity: number;
};
export const ClusterNodeRecord: ObjectSchema<ClusterNodeRecord> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    url: { type: 'string' },
    version: { type: 'string' },
    startedAt: { type: 'string', format: 'date-time' },
    state: { type: 'string', enum: ['live', 'draining', 'silent'] },
    silentFor: { type: 'integer' },
    instances: { type: 'integer' },
    capacity: { type: 'integer' },
  },
  required: [
    'id',
    'name',
    'url',
    'version',
    'startedAt',
    'state',
    'silentFor',
    'instances',
    'capacity',
  ],
};

/** The processes that share a database, and how the instances are spread over them. */
export type ClusterRecord = {
  enabled: boolean;
  node: { id: string; name: string; url: string } | null;
  nodes: ClusterNodeRecord[];
  instances: number;
  orphans: number;
  leaseTtl: number;
};
export const ClusterRecord: ObjectSchema<ClusterRecord> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    node: {
      anyOf: [
        {
          type: 'object',
          properties: { id: { type: 'string' }, name: { type: 'string' }, url: { type: 'string' } },
          required: ['id', 'name', 'url'],
        },
        { type: 'null' },
      ],
    },
    nodes: { type: 'array', items: ClusterNodeRecord },
    instances: { type: 'integer' },
    orphans: { type: 'integer' },
    leaseTtl: { type: 'integer' },
  },
  required: ['enabled', 'node', 'nodes', 'instances', 'orphans', 'leaseTtl'],
};

/** How much is logged; each level has the graver ones in it. */
export type LogLevel = { level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' };
export const LogLevel: ObjectSchema<LogLevel> = {
  type: 'object',
  properties: {
    level: { type: 'string', enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] },
  },
  required: ['level'],
};

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
