// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema, Schema } from '../../lib/json-schema.ts';
import { ErrorBody, InstanceParams, Recipient } from './common.ts';

/** Labels of an account. */
export type Labels = { id: string; name: string; color: number; predefinedId?: string }[];
export const Labels: Schema<Labels> = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      color: { type: 'integer' },
      predefinedId: { type: 'string' },
    },
    required: ['id', 'name', 'color'],
  },
};

/** The chat, the label, and whether to add or to remove it. */
export type HandleLabelBody = { number: Recipient; labelId: string; action: 'add' | 'remove' };
export const HandleLabelBody: ObjectSchema<HandleLabelBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    labelId: { type: 'string', minLength: 1, maxLength: 100 },
    action: { type: 'string', enum: ['add', 'remove'] },
  },
  required: ['number', 'labelId', 'action'],
};

/** The label that was added or removed. */
export type LabelResult = { numberJid: string; labelId: string; add?: boolean; remove?: boolean };
export const LabelResult: ObjectSchema<LabelResult> = {
  type: 'object',
  properties: {
    numberJid: { type: 'string' },
    labelId: { type: 'string' },
    add: { type: 'boolean' },
    remove: { type: 'boolean' },
  },
  required: ['numberJid', 'labelId'],
};

/** GET /label/findLabels/{instance}: List labels. */
export const findLabelsRoute = {
  operationId: 'findLabels',
  summary: 'List labels',
  method: 'GET',
  url: '/label/findLabels/:instance',
  tags: ['label'],
  scope: 'read',
  params: InstanceParams,
  response: {
    200: Labels,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** PUT and POST /label/handleLabel/{instance}: Add or remove a label of a chat. */
export const handleLabelRoute = {
  operationId: 'handleLabel',
  postOperationId: 'handleLabelPost',
  summary: 'Add or remove a label of a chat',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/label/handleLabel/:instance',
  tags: ['label'],
  scope: 'send',
  params: InstanceParams,
  body: HandleLabelBody,
  response: {
    200: LabelResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;
