// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody } from './common.ts';

/** The process answers. */
export const Liveness = Type.Object({ status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'] }) });
export type Liveness = Static<typeof Liveness>;

/** What is needed to take traffic, and whether it is there. */
export const Readiness = Type.Object({
  status: Type.Unsafe<'ok' | 'unavailable'>({ type: 'string', enum: ['ok', 'unavailable'] }),
  checks: Type.Object({ storage: Type.Boolean(), instances: Type.Boolean(), load: Type.Boolean() }),
});
export type Readiness = Static<typeof Readiness>;

/** GET /livez: Is the process alive?. */
export const livezRoute = {
  operationId: 'livez',
  summary: 'Is the process alive?',
  tags: ['health'],
  method: 'GET',
  url: '/livez',
  response: { 200: Liveness, 500: ErrorBody },
} as const;

/** GET /readyz: Can it take traffic?. */
export const readyzRoute = {
  operationId: 'readyz',
  summary: 'Can it take traffic?',
  tags: ['health'],
  method: 'GET',
  url: '/readyz',
  response: { 200: Readiness, 500: ErrorBody, 503: Readiness },
} as const;
