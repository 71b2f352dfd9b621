// Parses JSON bodies and URL-encoded forms within limits of size and shape, so that no body blocks the event loop for long.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { collect } from '../../lib/collect-stream.ts';
import { JsonShape, type ShapeLimits } from '../../lib/json-shape.ts';
import { type Body, isObject } from '../dialects/rewrite.ts';
import { toBody } from './form-fields.ts';

interface SizeLimit {
  bytes: number;
  /** The setting that defines the limit. */
  setting: 'BODY_LIMIT' | 'JSON_LIMIT';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Limit of JSON bodies. */
    jsonLimit?: SizeLimit;
  }
}

type Limits = Pick<Config, 'bodyLimit' | 'jsonLimit'>;

/** Maximum nesting, deeper than any message content. It bounds the recursion of later steps. */
export const MAX_DEPTH = 64;
/**
 * Limits of one body. The largest body of the contract, a list with 50 sections of 100 rows, has 20,000 values. Base64 with escaped slashes
 * has 370,000 escapes in 24 MiB.
 */
const JSON_SHAPE: ShapeLimits = { values: 25_000, depth: MAX_DEPTH, escapes: 1_000_000 };
const SHAPE_PROBLEMS: Readonly<Record<keyof ShapeLimits, string>> = {
  values: `The body has more than ${JSON_SHAPE.values} values`,
  depth: `The body is nested deeper than ${JSON_SHAPE.depth} levels`,
  escapes: `The body has more than ${JSON_SHAPE.escapes} escaped characters`,
};
/** Maximum number of form fields, more than the longest list of participants. */
const MAX_FIELDS = 2_000;
/** Names that could change object prototypes; no field of the contract has them. */
const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
/** Strings of the contract that may be longer contain files as base64. */
const MAX_TEXT_LENGTH = 2 ** 20;

/** Registers the parsers and sets the body limit of every route. Call it before the routes are added. */
export function registerParsers(app: FastifyInstance, limits: Limits): void {
  const parseJson = createJsonParser(app);
  const formLimit = limitFor(false, limits);
  app.addHook('onRoute', (route) => {
    route.config = { jsonLimit: limitFor(takesLargeBody(route), limits), ...route.config };
  });
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const limit = request.routeOptions.config.jsonLimit ?? formLimit;
    const tooLong = () => tooLarge(limit);
    if (isDeclaredLarger(request, limit)) return done(tooLong());
    const shape = new JsonShape(JSON_SHAPE);
    const check = isBetweenNodes(request.routeOptions) ? undefined : (piece: Buffer) => problemOf(shape.add(piece));
    collect(payload, { limit: limit.bytes, toLimitError: tooLong, check }, (error, bytes) => {
      if (error) done(error);
      else parseJson(request, bytes.toString('utf8'), done);
    });
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) => {
    const tooLong = () => tooLarge(formLimit);
    if (isDeclaredLarger(request, formLimit)) return done(tooLong());
    collect(payload, { limit: formLimit.bytes, toLimitError: tooLong }, (error, bytes) => {
      if (error) return done(error);
      const form = readFields(bytes.toString('utf8'));
      if (form instanceof GatewayError) done(form);
      else done(null, form);
    });
  });
}

/** Parses the JSON in a form field. Throws GatewayError BODY_TOO_LARGE or INVALID_REQUEST, and SyntaxError for text that is not JSON. */
export function parseField(text: string, limits: Limits): unknown {
  const limit = limitFor(false, limits);
  const bytes = Buffer.from(text);
  if (bytes.length > limit.bytes) throw tooLarge(limit);
  const problem = problemOf(new JsonShape(JSON_SHAPE).add(bytes));
  if (problem) throw problem;
  return JSON.parse(text, (name, value: unknown) => (PROTOTYPE_NAMES.has(name) ? undefined : value));
}

/** The error for a body or a part of it above the limit. */
export const tooLarge = ({ bytes, setting }: SizeLimit): GatewayError =>
  new GatewayError('BODY_TOO_LARGE', `The body is larger than ${bytes} bytes (${setting})`);

function limitFor(isLarge: boolean, { bodyLimit, jsonLimit }: Limits): SizeLimit {
  return isLarge || bodyLimit < jsonLimit
    ? { bytes: bodyLimit, setting: 'BODY_LIMIT' }
    : { bytes: jsonLimit, setting: 'JSON_LIMIT' };
}

const isDeclaredLarger = ({ headers }: FastifyRequest, { bytes }: SizeLimit): boolean =>
  Number(headers['content-length']) > bytes;

const problemOf = (exceeded: keyof ShapeLimits | undefined): GatewayError | undefined =>
  exceeded && new GatewayError('INVALID_REQUEST', [[SHAPE_PROBLEMS[exceeded]]]);

/** Whether the route is for requests between nodes, whose bodies may list any number of instances. */
const isBetweenNodes = ({ url = '' }: { url?: string | undefined }): boolean => url.startsWith('/peer/');

const takesLargeBody = (route: RouteOptions): boolean => isBetweenNodes(route) || hasFile(route.schema?.body);

/** Whether a value of this schema may contain a file as base64. */
function hasFile(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasFile);
  if (!isObject(schema)) return false;
  if (typeof schema.maxLength === 'number' && schema.maxLength > MAX_TEXT_LENGTH) return true;
  return Object.values(schema).some(hasFile);
}

type ParseJson = (request: FastifyRequest, text: string, done: (error: Error | null, value?: unknown) => void) => void;

function createJsonParser(app: FastifyInstance): ParseJson {
  // `remove`: __proto__ and constructor keys are unknown fields, and unknown fields are ignored (D-003).
  const parse = app.getDefaultJsonParser('remove', 'remove');
  return (request, text, done) => {
    // Many clients send the content type on requests without a body.
    if (text.trim() === '') return done(null, {});
    parse(request, text, (error, value) => {
      if (error) done(new GatewayError('MALFORMED_JSON', toSyntaxMessage(text)));
      else done(null, value);
    });
  };
}

/** The message of the JSON parser about `text`, which other gateways return too. */
function toSyntaxMessage(text: string): string {
  try {
    JSON.parse(text);
    return 'Invalid JSON';
  } catch (error) {
    return error instanceof Error ? error.message : 'Invalid JSON';
  }
}

function readFields(text: string): Body | GatewayError {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    return new GatewayError('INVALID_REQUEST', [[`The form has more than ${MAX_FIELDS} fields`]]);
  return toBody(new URLSearchParams(text));
}
