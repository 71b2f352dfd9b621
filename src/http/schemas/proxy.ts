// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, ProxyInput, ProxyRecord } from './common.ts';

/** Wrapped form: the proxy is in `proxy`. */
export const SetProxyBody = Type.Object({ enabled: Type.Boolean(), proxy: Type.Optional(ProxyInput) });
export type SetProxyBody = Static<typeof SetProxyBody>;

/** Flat form: the fields of `proxy` are at the top level. */
export const SetProxyFlatBody = Type.Object({
  enabled: Type.Boolean(),
  host: Type.Optional(Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9._:-]+$' })),
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
  protocol: Type.Optional(Type.Unsafe<'http' | 'https' | 'socks5' | 'socks' | 'socks5h'>({ type: 'string', enum: ['http', 'https', 'socks5', 'socks', 'socks5h'] })),
  username: Type.Optional(Type.String({ maxLength: 255 })),
  password: Type.Optional(Type.String({ maxLength: 255 })),
});
export type SetProxyFlatBody = Static<typeof SetProxyFlatBody>;

/** The proxy of an instance in the forms of older and newer clients. Without a proxy, `enabled` is false and the texts are empty. */
export const ProxyConfig = Type.Object({
  id: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  host: Type.String(),
  port: Type.String(),
  protocol: Type.String(),
  username: Type.String(),
  hasPassword: Type.Boolean(),
  instanceId: Type.Optional(Type.String()),
  updatedAt: Type.Optional(Type.String()),
  proxy: Type.Union([ProxyRecord, Type.Null()]),
});
export type ProxyConfig = Static<typeof ProxyConfig>;

/** The proxy of an instance. */
export const ProxyEcho = Type.Object({ proxy: Type.Object({ instanceName: Type.String(), proxy: ProxyConfig }) });
export type ProxyEcho = Static<typeof ProxyEcho>;

/** POST /proxy/set/{instance}: Set the proxy of an instance. */
export const setProxyRoute = {
  operationId: 'setProxy',
  summary: 'Set the proxy of an instance',
  method: 'POST',
  url: '/proxy/set/:instance',
  tags: ['proxy'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SetProxyBody,
  response: {
    201: ProxyEcho,
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

/** GET /proxy/find/{instance}: Get the proxy of an instance. */
export const findProxyRoute = {
  operationId: 'findProxy',
  summary: 'Get the proxy of an instance',
  method: 'GET',
  url: '/proxy/find/:instance',
  tags: ['proxy'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: ProxyConfig,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
