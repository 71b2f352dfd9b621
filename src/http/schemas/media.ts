// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { schema } from '../../lib/json-schema.ts';
import { ErrorBody } from './common.ts';

/** GET /media/{instance}/{messageId}: Download the file of a message. */
export const getMediaRoute = {
  operationId: 'getMedia',
  summary: 'Download the file of a message',
  method: 'GET',
  url: '/media/:instance/:messageId',
  tags: ['media'],
  scope: 'read',
  params: schema<{ instance: string; messageId: string }>({
    type: 'object',
    properties: {
      instance: { type: 'string', minLength: 1, maxLength: 100 },
      messageId: { type: 'string', minLength: 1, maxLength: 300 },
    },
    required: ['instance', 'messageId'],
  }),
  querystring: schema<{ remoteJid?: string; expires?: string; signature?: string }>({
    type: 'object',
    properties: {
      remoteJid: { type: 'string', minLength: 1, maxLength: 200 },
      expires: { type: 'string', minLength: 1, maxLength: 20 },
      signature: { type: 'string', minLength: 1, maxLength: 100 },
    },
  }),
  response: {
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    410: ErrorBody,
    413: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;
