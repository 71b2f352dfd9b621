// From the bytes of a body to a value: JSON and forms without files, within limits of size and shape. No body keeps the event loop busy for long.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { collect } from '../../lib/collect-stream.ts';
import { JsonShape, type ShapeLimits } from '../../lib/json-shape.ts';
import { type Body, isObject } from '../dialects/rewrite.ts';
import { toBody } from './form-fields.ts';

interface SizeLimit {
  bytes: number;
  /** The name of the setting that it comes from. */
  setting: 'BODY_LIMIT' | 'JSON_LIMIT';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The largest JSON body. */
    jsonLimit?: SizeLimit;
  }
}

type Limits = Pick<Config, 'bodyLimit' | 'jsonLimit'>;

/** Deeper than any message content; recursion in what comes after us stays shallow. */
export const MAX_DEPTH = 64;
/**
 * What one body may cost. The longest body that the contract allows, a list with 50 sections of 100 rows, has 20,000 values; base64 whose
 * slashes are escaped has 370,000 escapes in 24 MiB.
 */
const JSON_SHAPE: ShapeLimits = { values: 25_000, depth: MAX_DEPTH, escapes: 1_000_000 };
const SHAPE_PROBLEMS: Readonly<Record<keyof ShapeLimits, string>> = {
  values: `The body has more than ${JSON_SHAPE.values} values`,
  depth: `The body is nested deeper than ${JSON_SHAPE.depth} levels`,
  escapes: `The body has more than ${JSON_SHAPE.escapes} escaped characters`,
};
/** A caller that names more fields than the longest list of people has means no good. */
const MAX_FIELDS = 2_000;
/** Names that would reach what every object inherits; no field has them. */
const INHERITED = new Set(['__proto__', 'constructor', 'prototype']);
/** Strings of the contract that may be longer than this hold files as base64. */
const LONGEST_TEXT = 2 ** 20;

/** Registers the parsers, and gives every route the limit of its bodies. Needs to run before the routes are added. */
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

/** The JSON value of one field of a form. Throws GatewayError BODY_TOO_LARGE, INVALID_REQUEST; SyntaxError for a text that is not JSON. */
export function parseField(text: string, limits: Limits): unknown {
  const limit = limitFor(false, limits);
  const bytes = Buffer.from(text);
  if (bytes.length > limit.bytes) throw tooLarge(limit);
  const problem = problemOf(new JsonShape(JSON_SHAPE).add(bytes));
  if (problem) throw problem;
  return JSON.parse(text, (name, value: unknown) => (INHERITED.has(name) ? undefined : value));
}

/** The error for a body, or a part of one, that is larger than the setting allows. */
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

/** Bodies that another node of the gateway wrote: they name its instances, however many these are. */
const isBetweenNodes = ({ url = '' }: { url?: string | undefined }): boolean => url.startsWith('/peer/');

const takesLargeBody = (route: RouteOptions): boolean => isBetweenNodes(route) || hasFile(route.schema?.body);

/** Whether a value of this schema may hold a file as base64. */
function hasFile(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasFile);
  if (!isObject(schema)) return false;
  if (typeof schema.maxLength === 'number' && schema.maxLength > LONGEST_TEXT) return true;
  return Object.values(schema).some(hasFile);
}

type ParseJson = (request: FastifyRequest, text: string, done: (error: Error | null, value?: unknown) => void) => void;

function createJsonParser(app: FastifyInstance): ParseJson {
  // `remove`: __proto__ and constructor keys are unknown fields, and unknown fields are ignored (contract I10).
  const parse = app.getDefaultJsonParser('remove', 'remove');
  return (request, text, done) => {
    // Many clients send the header on requests without a body (contract I7).
    if (text.trim() === '') return done(null, {});
    parse(request, text, (error, value) => {
      if (error) done(new GatewayError('MALFORMED_JSON', explain(text)));
      else done(null, value);
    });
  };
}

/** The JSON parser's own words about `text`, as clients of other gateways know them. */
function explain(text: string): string {
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
