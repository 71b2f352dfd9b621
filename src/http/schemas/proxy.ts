// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema } from '../../lib/json-schema.ts';
import { ErrorBody, InstanceParams, ProxyInput, ProxyRecord } from './common.ts';

/** Wrapped form: the proxy is in `proxy`. */
export type SetProxyBody = { enabled: boolean; proxy?: ProxyInput };
export const SetProxyBody: ObjectSchema<SetProxyBody> = {
  type: 'object',
  properties: { enabled: { type: 'boolean' }, proxy: ProxyInput },
  required: ['enabled'],
};

/** Flat form: the fields of `proxy` are at the top level. */
export type SetProxyFlatBody = {
  enabled: boolean;
  host?: string;
  port?: number;
  protocol?: 'http' | 'https' | 'socks5' | 'socks' | 'socks5h';
  username?: string;
  password?: string;
};
export const SetProxyFlatBody: ObjectSchema<SetProxyFlatBody> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    host: { type: 'string', minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9._:-]+$' },
    port: { type: 'integer', minimum: 1, maximum: 65535 },
    protocol: { type: 'string', enum: ['http', 'https', 'socks5', 'socks', 'socks5h'] },
    username: { type: 'string', maxLength: 255 },
    password: { type: 'string', maxLength: 255 },
  },
  required: ['enabled'],
};

/** The proxy of an instance in the forms of older and newer clients. Without a proxy, `enabled` is false and the texts are empty. */
export type ProxyConfig = {
  id?: string;
  enabled: boolean;
  host: string;
  port: string;
  protocol: string;
  username: string;
  hasPassword: boolean;
  instanceId?: string;
  updatedAt?: string;
  proxy: ProxyRecord | null;
};
export const ProxyConfig: ObjectSchema<ProxyConfig> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    enabled: { type: 'boolean' },
    host: { type: 'string' },
    port: { type: 'string' },
    protocol: { type: 'string' },
    username: { type: 'string' },
    hasPassword: { type: 'boolean' },
    instanceId: { type: 'string' },
    updatedAt: { type: 'string' },
    proxy: { anyOf: [ProxyRecord, { type: 'null' }] },
  },
  required: ['enabled', 'host', 'port', 'protocol', 'username', 'hasPassword', 'proxy'],
};

/** The proxy of an instance. */
export type ProxyEcho = { proxy: { instanceName: string; proxy: ProxyConfig } };
export const ProxyEcho: ObjectSchema<ProxyEcho> = {
  type: 'object',
  properties: {
    proxy: {
      type: 'object',
      properties: { instanceName: { type: 'string' }, proxy: ProxyConfig },
      required: ['instanceName', 'proxy'],
    },
  },
  required: ['proxy'],
};

/** POST /proxy/set/{instance}: Set the proxy of an instance. */
export const setProxyRoute = {
  operationId: 'setProxy',
  summary: 'Set the proxy of an instance',
  method: 'POST',
  url: '/proxy/set/:instance',
  tags: ['proxy'],
  scope: 'admin',
  params: InstanceParams,
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
  params: InstanceParams,
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
