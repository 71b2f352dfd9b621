// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema } from '../../lib/json-schema.ts';
import { ErrorBody, InstanceParams, Recipient } from './common.ts';

/** The call to place. */
export type OfferCallBody = { number: Recipient; isVideo?: boolean; callDuration?: number };
export const OfferCallBody: ObjectSchema<OfferCallBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    isVideo: { type: 'boolean' },
    callDuration: { type: 'integer', minimum: 1, maximum: 15 },
  },
  required: ['number'],
};

/** POST /call/offer/{instance}: Place a call (not available). */
export const offerCallRoute = {
  operationId: 'offerCall',
  summary: 'Place a call (not available)',
  method: 'POST',
  url: '/call/offer/:instance',
  tags: ['call'],
  scope: 'send',
  params: InstanceParams,
  body: OfferCallBody,
  response: {
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    501: ErrorBody,
    503: ErrorBody,
  },
} as const;
