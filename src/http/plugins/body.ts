// Prepares request bodies for validation (parsing, checks of characters, conversion of dialects) and converts results to the dialect of the
// caller.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import type { Media } from '../../whatsapp/media/media.ts';
import { REQUEST_REWRITES } from '../dialects/request.ts';
import { RESPONSE_CONVERSIONS } from '../dialects/response.ts';
import { type Dialect, isObject, type RewrittenBody, withoutNulls } from '../dialects/rewrite.ts';
import { MAX_DEPTH, registerParsers } from './body-parsers.ts';
import { registerMultipart } from './multipart.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The converted body, with the dialect of the reply; undefined on routes with one dialect. */
    rewritten: RewrittenBody | undefined;
  }
}

/** Characters of a field name that an error text repeats. */
const MAX_FIELD_NAME_LENGTH = 100;

/** Throws INVALID_REQUEST for values that a database may reject: NUL characters, lone surrogates and deep nesting. */
function assertStorable(value: unknown, field = 'instance', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) invalid(`${field} contains a NUL character`);
    // JSON can contain a lone surrogate; UTF-8 cannot.
    if (!value.isWellFormed()) invalid(`${field} contains half of a character`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) invalid(`${field} is nested deeper than ${MAX_DEPTH} levels`);
  for (const [name, member] of Object.entries(value)) {
    if (name.includes('\0')) invalid(`${field} has a name with a NUL character`);
    assertStorable(member, Array.isArray(value) ? field : name.slice(0, MAX_FIELD_NAME_LENGTH), depth + 1);
  }
}

function invalid(problem: string): never {
  throw new GatewayError('INVALID_REQUEST', [[problem]]);
}

/** Registers the body parsers and the conversion of dialects on every route that has several. */
export async function registerBody(
  app: FastifyInstance,
  {
    config,
    media,
  }: {
    config: Pick<Config, 'responseDialect' | 'bodyLimit' | 'jsonLimit' | 'mediaLimit'>;
    media: Pick<Media, 'uploads'>;
  },
): Promise<void> {
  const { responseDialect } = config;
  registerParsers(app, config);
  const readForm = await registerMultipart(app, config, media.uploads);
  const fallback: Dialect = responseDialect === 'v2' ? 'v2' : 'v1';
  const dialectOf = ({ dialect }: RewrittenBody): Dialect => (responseDialect === 'auto' ? dialect : responseDialect);
  const operation = (request: FastifyRequest) => request.routeOptions.schema?.operationId ?? '';

  app.decorateRequest('rewritten', undefined);
  app.addHook('preValidation', async (request, reply) => {
    if (request.routeOptions.schema?.querystring) assertStorable(request.query, 'query');
    const form = await readForm(request, reply);
    if (!request.routeOptions.schema?.body) return;
    request.body = form?.body ?? request.body ?? {};
    assertStorable(request.body);
    if (!isObject(request.body)) return;
    // Multipart forms are flat, so they belong to v2.
    const rewritten = REQUEST_REWRITES[operation(request)]?.(request.body, form ? 'v2' : fallback);
    if (rewritten) request.rewritten = { ...rewritten, dialect: dialectOf(rewritten) };
    request.body = rewritten?.body ?? withoutNulls(request.body);
    if (isObject(request.body)) form?.addFile(request.body);
  });
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (!request.rewritten || reply.statusCode >= 300) return payload;
    const answer = RESPONSE_CONVERSIONS[operation(request)]?.[request.rewritten.dialect];
    if (!answer) return payload;
    reply.serializer(reply.compileSerializationSchema(answer.schema, String(reply.statusCode)));
    const { id: instanceId = '', name: instanceName = '' } = request.instance ?? {};
    return answer.convert(payload, { instanceId, instanceName });
  });
}
