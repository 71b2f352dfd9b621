// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, KeyScope } from './common.ts';

/** Properties of a key, without the key itself. */
export const Key = Type.Object({
  id: Type.String(),
  name: Type.String(),
  hint: Type.String(),
  scopes: Type.Array(KeyScope),
  instance: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  lastUsedAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  replacedBy: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type Key = Static<typeof Key>;

/** All keys, oldest first. */
export const KeyList = Type.Object({ keys: Type.Array(Key) });
export type KeyList = Static<typeof KeyList>;

/** Properties of the new key. */
export const CreateKeyBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  scopes: Type.Array(KeyScope, { minItems: 1, maxItems: 3 }),
  instance: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  expiresAt: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
});
export type CreateKeyBody = Static<typeof CreateKeyBody>;

/** The new key and its properties. */
export const CreatedKey = Type.Object({
  key: Type.String(),
  id: Type.String(),
  name: Type.String(),
  hint: Type.String(),
  scopes: Type.Array(KeyScope),
  instance: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  lastUsedAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  replacedBy: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type CreatedKey = Static<typeof CreatedKey>;

/** How long the old key stays valid. */
export const RotateKeyBody = Type.Object({ overlap: Type.Optional(Type.Integer({ minimum: 0, maximum: 2592000 })) });
export type RotateKeyBody = Static<typeof RotateKeyBody>;

/** The key that replaces another one. */
export const RotatedKey = Type.Object({
  key: Type.String(),
  replaces: Type.Object({ id: Type.String(), expiresAt: Type.String({ format: 'date-time' }) }),
  id: Type.String(),
  name: Type.String(),
  hint: Type.String(),
  scopes: Type.Array(KeyScope),
  instance: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  lastUsedAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  replacedBy: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type RotatedKey = Static<typeof RotatedKey>;

/** The key that was revoked. */
export const RevokedKey = Type.Object({ id: Type.String() });
export type RevokedKey = Static<typeof RevokedKey>;

/** One answered request. */
export const AuditEntry = Type.Object({
  at: Type.String({ format: 'date-time' }),
  key: Type.String(),
  operation: Type.String(),
  instance: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  subject: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  status: Type.Integer(),
  requestId: Type.String(),
  address: Type.String(),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** Audit entries, oldest first. */
export const AuditPage = Type.Object({ entries: Type.Array(AuditEntry), next: Type.String() });
export type AuditPage = Static<typeof AuditPage>;

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
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
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
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
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
  querystring: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 16, pattern: '^[0-9]+$' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
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
