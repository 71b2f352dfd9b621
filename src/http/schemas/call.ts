// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, Recipient } from './common.ts';

/** The call to place. */
export const OfferCallBody = Type.Object({
  number: Recipient,
  isVideo: Type.Optional(Type.Boolean()),
  callDuration: Type.Optional(Type.Integer({ minimum: 1, maximum: 15 })),
});
export type OfferCallBody = Static<typeof OfferCallBody>;

/** POST /call/offer/{instance}: Place a call (not available). */
export const offerCallRoute = {
  operationId: 'offerCall',
  summary: 'Place a call (not available)',
  method: 'POST',
  url: '/call/offer/:instance',
  tags: ['call'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
