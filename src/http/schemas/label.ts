// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, Recipient } from './common.ts';

/** Labels of an account. */
export const Labels = Type.Array(Type.Object({
  id: Type.String(),
  name: Type.String(),
  color: Type.Integer(),
  predefinedId: Type.Optional(Type.String()),
}));
export type Labels = Static<typeof Labels>;

/** The chat, the label, and whether to add or to remove it. */
export const HandleLabelBody = Type.Object({
  number: Recipient,
  labelId: Type.String({ minLength: 1, maxLength: 100 }),
  action: Type.Unsafe<'add' | 'remove'>({ type: 'string', enum: ['add', 'remove'] }),
});
export type HandleLabelBody = Static<typeof HandleLabelBody>;

/** The label that was added or removed. */
export const LabelResult = Type.Object({
  numberJid: Type.String(),
  labelId: Type.String(),
  add: Type.Optional(Type.Boolean()),
  remove: Type.Optional(Type.Boolean()),
});
export type LabelResult = Static<typeof LabelResult>;

/** GET /label/findLabels/{instance}: List labels. */
export const findLabelsRoute = {
  operationId: 'findLabels',
  summary: 'List labels',
  method: 'GET',
  url: '/label/findLabels/:instance',
  tags: ['label'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
