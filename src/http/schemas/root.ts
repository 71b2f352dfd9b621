// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema, Schema } from '../../lib/json-schema.ts';
import { ErrorBody, KeyScope } from './common.ts';

/** Properties of the key. */
export type ValidCredentials = { status: number; message: string; scopes: KeyScope[]; instance: string | null };
export const ValidCredentials: ObjectSchema<ValidCredentials> = {
  type: 'object',
  properties: {
    status: { type: 'integer' },
    message: { type: 'string' },
    scopes: { type: 'array', items: KeyScope },
    instance: { type: ['string', 'null'] },
  },
  required: ['status', 'message', 'scopes', 'instance'],
};

/** Service information. Addresses that are switched off are left out. */
export type ServiceInfo = {
  status: number;
  message: string;
  version: string;
  swagger?: string;
  manager?: string;
  documentation: string;
  clientName?: string;
  gatewayVersion?: string;
};
export const ServiceInfo: ObjectSchema<ServiceInfo> = {
  type: 'object',
  properties: {
    status: { type: 'integer' },
    message: { type: 'string' },
    version: { type: 'string' },
    swagger: { type: 'string' },
    manager: { type: 'string' },
    documentation: { type: 'string' },
    clientName: { type: 'string' },
    gatewayVersion: { type: 'string' },
  },
  required: ['status', 'message', 'version', 'documentation'],
};

/** The contract as JSON. */
export type OpenApiDocument = Record<string, unknown>;
export const OpenApiDocument: Schema<OpenApiDocument> = { type: 'object', patternProperties: { '^(.*)$': {} } };

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
