// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type ObjectSchema, schema } from '../../lib/json-schema.ts';
import { ErrorBody, KeyIdParams, KeyScope } from './common.ts';

/** Properties of a key, without the key itself. */
export type Key = {
  id: string;
  name: string;
  hint: string;
  scopes: KeyScope[];
  instance: string | null;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  replacedBy: string | null;
};
export const Key: ObjectSchema<Key> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    hint: { type: 'string' },
    scopes: { type: 'array', items: KeyScope },
    instance: { type: ['string', 'null'] },
    createdAt: { type: 'string', format: 'date-time' },
    expiresAt: { type: ['string', 'null'], format: 'date-time' },
    lastUsedAt: { type: ['string', 'null'], format: 'date-time' },
    replacedBy: { type: ['string', 'null'] },
  },
  required: [
    'id',
    'name',
    'hint',
    'scopes',
    'instance',
    'createdAt',
    'expiresAt',
    'lastUsedAt',
    'replacedBy',
  ],
};

/** All keys, oldest first. */
export type KeyList = { keys: Key[] };
export const KeyList: ObjectSchema<KeyList> = {
  type: 'object',
  properties: { keys: { type: 'array', items: Key } },
  required: ['keys'],
};

/** Properties of the new key. */
export type CreateKeyBody = { name: string; scopes: KeyScope[]; instance?: string; expiresAt?: string };
export const CreateKeyBody: ObjectSchema<CreateKeyBody> = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    scopes: { type: 'array', items: KeyScope, minItems: 1, maxItems: 3 },
    instance: { type: 'string', minLength: 1, maxLength: 100 },
    expiresAt: { type: 'string', minLength: 1, maxLength: 40 },
  },
  required: ['name', 'scopes'],
};

/** The new key and its properties. */
export type CreatedKey = {
  key: string;
  id: string;
  name: string;
  hint: string;
  scopes: KeyScope[];
  instance: string | null;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  replacedBy: string | null;
};
export const CreatedKey: ObjectSchema<CreatedKey> = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    id: { type: 'string' },
    name: { type: 'string' },
    hint: { type: 'string' },
    scopes: { type: 'array', items: KeyScope },
    instance: { type: ['string', 'null'] },
    createdAt: { type: 'string', format: 'date-time' },
    expiresAt: { type: ['string', 'null'], format: 'date-time' },
    lastUsedAt: { type: ['string', 'null'], format: 'date-time' },
    replacedBy: { type: ['string', 'null'] },
  },
  required: [
    'key',
    'id',
    'name',
    'hint',
    'scopes',
    'instance',
    'createdAt',
    'expiresAt',
    'lastUsedAt',
    'replacedBy',
  ],
};

/** How long the old key stays valid. */
export type RotateKeyBody = { overlap?: number };
export const RotateKeyBody: ObjectSchema<RotateKeyBody> = {
  type: 'object',
  properties: { overlap: { type: 'integer', minimum: 0, maximum: 2592000 } },
};

/** The key that replaces another one. */
export type RotatedKey = {
  key: string;
  replaces: { id: string; expiresAt: string };
  id: string;
  name: string;
  hint: string;
  scopes: KeyScope[];
  instance: string | null;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  replacedBy: string | null;
};
export const RotatedKey: ObjectSchema<RotatedKey> = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    replaces: {
      type: 'object',
      properties: { id: { type: 'string' }, expiresAt: { type: 'string', format: 'date-time' } },
      required: ['id', 'expiresAt'],
    },
    id: { type: 'string' },
    name: { type: 'string' },
    hint: { type: 'string' },
    scopes: { type: 'array', items: KeyScope },
    instance: { type: ['string', 'null'] },
    createdAt: { type: 'string', format: 'date-time' },
    expiresAt: { type: ['string', 'null'], format: 'date-time' },
    lastUsedAt: { type: ['string', 'null'], format: 'date-time' },
    replacedBy: { type: ['string', 'null'] },
  },
  required: [
    'key',
    'replaces',
    'id',
    'name',
    'hint',
    'scopes',
    'instance',
    'createdAt',
    'expiresAt',
    'lastUsedAt',
    'replacedBy',
  ],
};

/** The key that was revoked. */
export type RevokedKey = { id: string };
export const RevokedKey: ObjectSchema<RevokedKey> = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

/** One answered request. */
export type AuditEntry = {
  at: string;
  key: string;
  operation: string;
  instance: string | null;
  subject: string | null;
  status: number;
  requestId: string;
  address: string;
};
export const AuditEntry: ObjectSchema<AuditEntry> = {
  type: 'object',
  properties: {
    at: { type: 'string', format: 'date-time' },
    key: { type: 'string' },
    operation: { type: 'string' },
    instance: { type: ['string', 'null'] },
    subject: { type: ['string', 'null'] },
    status: { type: 'integer' },
    requestId: { type: 'string' },
    address: { type: 'string' },
  },
  required: ['at', 'key', 'operation', 'instance', 'subject', 'status', 'requestId', 'address'],
};

/** Audit entries, oldest first. */
export type AuditPage = { entries: AuditEntry[]; next: string };
export const AuditPage: ObjectSchema<AuditPage> = {
  type: 'object',
  properties: { entries: { type: 'array', items: AuditEntry }, next: { type: 'string' } },
  required: ['entries', 'next'],
};

/** GET /keys: List keys. */
export const listKeysRoute = {
  operationId: 'listKeys',
  summary: 'List keys',
  method: 'GET',
  url: '/keys',
  tags: ['key'],
  scope: 'admin',
  response: {
    200: KeyList,
    401: ErrorBody,
    403: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /keys: Create a key. */
export const createKeyRoute = {
  operationId: 'createKey',
  summary: 'Create a key',
  method: 'POST',
  url: '/keys',
  tags: ['key'],
  scope: 'admin',
  body: CreateKeyBody,
  response: {
    201: CreatedKey,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** DELETE /keys/{id}: Revoke a key. */
export const revokeKeyRoute = {
  operationId: 'revokeKey',
  summary: 'Revoke a key',
  method: 'DELETE',
  url: '/keys/:id',
  tags: ['key'],
  scope: 'admin',
  params: KeyIdParams,
  response: {
    200: RevokedKey,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /keys/{id}/rotate: Rotate a key. */
export const rotateKeyRoute = {
  operationId: 'rotateKey',
  summary: 'Rotate a key',
  method: 'POST',
  url: '/keys/:id/rotate',
  tags: ['key'],
  scope: 'admin',
  params: KeyIdParams,
  body: RotateKeyBody,
  response: {
    201: RotatedKey,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /audit: List audit entries. */
export const readAuditRoute = {
  operationId: 'readAudit',
  summary: 'List audit entries',
  method: 'GET',
  url: '/audit',
  tags: ['key'],
  scope: 'admin',
  querystring: schema<{ after?: string; limit?: number }>({
    type: 'object',
    properties: {
      after: { type: 'string', maxLength: 16, pattern: '^[0-9]+$' },
      limit: { type: 'integer', minimum: 1, maximum: 1000 },
    },
  }),
  response: {
    200: AuditPage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
