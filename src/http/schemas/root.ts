// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, KeyScope } from './common.ts';

/** Properties of the key. */
export const ValidCredentials = Type.Object({
  status: Type.Integer(),
  message: Type.String(),
  scopes: Type.Array(KeyScope),
  instance: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type ValidCredentials = Static<typeof ValidCredentials>;

/** Service information. Addresses that are switched off are left out. */
export const ServiceInfo = Type.Object({
  status: Type.Integer(),
  message: Type.String(),
  version: Type.String(),
  swagger: Type.Optional(Type.String()),
  manager: Type.Optional(Type.String()),
  documentation: Type.String(),
  clientName: Type.Optional(Type.String()),
  gatewayVersion: Type.Optional(Type.String()),
});
export type ServiceInfo = Static<typeof ServiceInfo>;

/** The contract as JSON. */
export const OpenApiDocument = Type.Record(Type.String(), Type.Unknown());
export type OpenApiDocument = Static<typeof OpenApiDocument>;

/** GET /: Get service information. */
export const getRootRoute = {
  operationId: 'getRoot',
  summary: 'Get service information',
  method: 'GET',
  url: '/',
  tags: ['root'],
  response: { 200: ServiceInfo, 500: ErrorBody },
} as const;

/** POST /verify-creds: Check a key. */
export const verifyCredsRoute = {
  operationId: 'verifyCreds',
  summary: 'Check a key',
  method: 'POST',
  url: '/verify-creds',
  tags: ['root'],
  scope: 'any',
  response: {
    200: ValidCredentials,
    400: ErrorBody,
    401: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /openapi.yaml: Download this document as YAML. */
export const openapiYamlRoute = {
  operationId: 'openapiYaml',
  summary: 'Download this document as YAML',
  method: 'GET',
  url: '/openapi.yaml',
  tags: ['root'],
  response: { 500: ErrorBody },
} as const;

/** GET /openapi.json: Download this document as JSON. */
export const openapiJsonRoute = {
  operationId: 'openapiJson',
  summary: 'Download this document as JSON',
  method: 'GET',
  url: '/openapi.json',
  tags: ['root'],
  response: { 200: OpenApiDocument, 500: ErrorBody },
} as const;
