// Parses JSON bodies and URL-encoded forms. Limits of size, nesting and number of values prevent a body from blocking
// the event loop.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { collect } from '../../lib/collect-stream.ts';
import { isObject } from '../../lib/json-object.ts';
import { JsonShape, type ShapeLimits } from '../../lib/json-shape.ts';
import type { Body } from '../dialects/rewrite.ts';
import type { BodyBudget } from './body-budget.ts';
import { incompleteError } from './error-handler.ts';
import { PROTOTYPE_NAMES, toBody } from './form-fields.ts';

export interface SizeLimit {
  bytes: number;
  /** The setting that defines the limit. */
  setting: 'BODY_LIMIT' | 'JSON_LIMIT' | 'SESSION_BUNDLE_LIMIT';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum size of JSON bodies on this route. */
    jsonLimit?: SizeLimit;
    /**
     * True when the handler itself reads JSON bodies and forms with files. For a JSON body, `request.body` is then a
     * stream.
     */
    readsBody?: boolean;
  }
}

type ParserLimits = Pick<Config, 'bodyLimit' | 'jsonLimit'>;

/**
 * Maximum nesting depth of a body. It also bounds the recursion of functions that walk the parsed body. Message content
 * is never nested this deep.
 */
export const MAX_DEPTH = 64;
/**
 * Limits of the number of values, the nesting depth and the number of escapes of a JSON text. The contract's body with
 * the most values, a list message with 50 sections of 100 rows, has 20,000 values. 24 MiB of base64 with escaped
 * slashes have 370,000 escapes.
 */
const SHAPE_LIMITS: ShapeLimits = { values: 25_000, depth: MAX_DEPTH, escapes: 1_000_000 };
const SHAPE_MESSAGES: Readonly<Record<keyof ShapeLimits, string>> = {
  values: `The body has more than ${SHAPE_LIMITS.values} values.`,
  depth: `The body is nested deeper than ${SHAPE_LIMITS.depth} levels.`,
  escapes: `The body has more than ${SHAPE_LIMITS.escapes} escaped characters. Send the text without escapes.`,
};
/** Maximum number of form fields. A list with the maximum number of group participants has fewer. */
const MAX_FORM_FIELDS = 2_000;
/** Strings with a greater `maxLength` in the contract can contain a file as base64. Other strings cannot. */
const MAX_TEXT_LENGTH = 2 ** 20;

/**
 * Registers the parsers and sets the JSON limit of every route. Must be called before routes are added. `budget` limits
 * the total size of all bodies in progress.
 */
export function registerParsers(app: FastifyInstance, limits: ParserLimits, budget: BodyBudget): void {
  const parseJson = createJsonParser(app);
  const textLimit = textBodyLimit(limits);
  app.addHook('onRoute', (route) => {
    const jsonLimit = acceptsLargeBody(route) ? fileBodyLimit(limits) : textLimit;
    route.config = { jsonLimit, ...route.config };
  });
  // Fastify has a parser for plain text, but no operation accepts such a body.
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    assertReadable(request);
    if (request.routeOptions.config.readsBody) return done(null, payload);
    const limit = request.routeOptions.config.jsonLimit ?? textLimit;
    const toLimitError = () => bodyTooLarge(limit);
    const refusal = isDeclaredLarger(request, limit) ? toLimitError() : budget.reserve(request);
    if (refusal) return done(refusal);
    const shape = isPeerRoute(request.routeOptions) ? undefined : new JsonShape(SHAPE_LIMITS);
    const check = (chunk: Buffer) => budget.count(request, chunk) ?? shapeError(shape?.add(chunk));
    collect(payload, { limit: limit.bytes, toLimitError, check }, (error, bytes) => {
      if (error) done(error);
      else parseJson(request, bytes.toString('utf8'), done);
    });
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) => {
    assertReadable(request);
    const toLimitError = () => bodyTooLarge(textLimit);
    const refusal = isDeclaredLarger(request, textLimit) ? toLimitError() : budget.reserve(request);
    if (refusal) return done(refusal);
    const check = (chunk: Buffer) => budget.count(request, chunk);
    collect(payload, { limit: textLimit.bytes, toLimitError, check }, (error, bytes) => {
      if (error) return done(error);
      const form = readFields(bytes.toString('utf8'));
      if (form instanceof GatewayError) done(form);
      else done(null, form);
    });
  });
}

/**
 * Throws REQUEST_INCOMPLETE if the caller hung up before its body was read. The stream of the body then emits no more
 * events, so that a reader would wait forever.
 */
export function assertReadable({ raw }: FastifyRequest): void {
  if (raw.destroyed) throw incompleteError();
}

/**
 * Parses the JSON in a form field. Ignores a byte order mark at its start, as the parser of JSON bodies does. Throws a
 * GatewayError with BODY_TOO_LARGE or INVALID_REQUEST, and a SyntaxError for text that is not JSON.
 */
export function parseJsonField(text: string, limits: ParserLimits): unknown {
  const limit = textBodyLimit(limits);
  const bytes = Buffer.from(text);
  if (bytes.length > limit.bytes) throw bodyTooLarge(limit);
  const problem = shapeError(new JsonShape(SHAPE_LIMITS).add(bytes));
  if (problem) throw problem;
  return JSON.parse(text.replace(/^\ufeff/, ''), (name, value: unknown) =>
    PROTOTYPE_NAMES.has(name) ? undefined : value,
  );
}

/** The error for a body, or a part of a body, that is larger than the limit. */
export const bodyTooLarge = ({ bytes, setting }: SizeLimit): GatewayError =>
  new GatewayError('BODY_TOO_LARGE', `The body is larger than ${bytes} bytes (setting ${setting}).`);

/** The limit of a body that can contain a file. */
const fileBodyLimit = ({ bodyLimit }: ParserLimits): SizeLimit => ({ bytes: bodyLimit, setting: 'BODY_LIMIT' });

/** The limit of a body without a file: the lower of BODY_LIMIT and JSON_LIMIT. */
const textBodyLimit = (limits: ParserLimits): SizeLimit =>
  limits.bodyLimit < limits.jsonLimit ? fileBodyLimit(limits) : { bytes: limits.jsonLimit, setting: 'JSON_LIMIT' };

const isDeclaredLarger = ({ headers }: FastifyRequest, { bytes }: SizeLimit): boolean =>
  Number(headers['content-length']) > bytes;

const shapeError = (exceededLimit: keyof ShapeLimits | undefined): GatewayError | undefined =>
  exceededLimit && new GatewayError('INVALID_REQUEST', [[SHAPE_MESSAGES[exceededLimit]]]);

/** Whether only nodes of the cluster call the route. Their bodies can list any number of instances. */
const isPeerRoute = ({ url = '' }: { url?: string | undefined }): boolean => url.startsWith('/peer/');

const acceptsLargeBody = (route: RouteOptions): boolean => isPeerRoute(route) || canContainFile(route.schema?.body);

/** Whether a value of this schema can contain a file as base64. */
function canContainFile(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(canContainFile);
  if (!isObject(schema)) return false;
  if (typeof schema.maxLength === 'number' && schema.maxLength > MAX_TEXT_LENGTH) return true;
  return Object.values(schema).some(canContainFile);
}

type ParseJson = (request: FastifyRequest, text: string, done: (error: Error | null, value?: unknown) => void) => void;

function createJsonParser(app: FastifyInstance): ParseJson {
  // Fastify's parser removes the keys __proto__ and constructor. They are unknown fields, which are ignored (D-003).
  // The parser is slower than JSON.parse. It therefore reads only texts that may contain such a key, and texts that
  // JSON.parse rejects: unlike JSON.parse, Fastify's parser ignores a byte order mark.
  const parse = app.getDefaultJsonParser('remove', 'remove');
  return (request, text, done) => {
    // Many clients send a JSON content type on requests without a body.
    if (text.trim() === '') return done(null, {});
    const value = mayHavePrototypeName(text) ? undefined : parseOrUndefined(text);
    if (value !== undefined) return done(null, value);
    parse(request, text, (error, value) => {
      if (error) done(new GatewayError('MALFORMED_JSON', toSyntaxMessage(text)));
      else done(null, value);
    });
  };
}

/** Whether a name that the parser of Fastify removes can be in the text. These searches are faster than that parser. */
const mayHavePrototypeName = (text: string): boolean =>
  text.includes('"__proto__"') || text.includes('"constructor"') || text.includes('\\u');

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message of the JSON parser about `text`. Other WhatsApp gateways also return it. */
function toSyntaxMessage(text: string): string {
  try {
    JSON.parse(text);
    return 'Invalid JSON';
  } catch (error) {
    return error instanceof Error ? error.message : 'Invalid JSON';
  }
}

function readFields(text: string): Body | GatewayError {
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
    return new GatewayError('INVALID_REQUEST', [[`The form has more than ${MAX_FORM_FIELDS} fields.`]]);
  return toBody(new URLSearchParams(text));
}
