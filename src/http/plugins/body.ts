// Prepares requests for validation (parsing of bodies, checks of characters, conversion of bodies to the form of the
// schemas) and converts results to the dialect of the caller (the form of Evolution API 1 or 2).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { isObject } from '../../lib/json-object.ts';
import type { Media } from '../../whatsapp/media/media.ts';
import { REQUEST_REWRITES } from '../dialects/request.ts';
import { RESPONSE_CONVERSIONS } from '../dialects/response.ts';
import { type ApiDialect, type RewrittenBody, withoutNulls } from '../dialects/rewrite.ts';
import { createBodyBudget } from './body-budget.ts';
import { MAX_DEPTH, registerParsers } from './body-parsers.ts';
import { registerMultipart } from './multipart.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The converted body and the dialect of the reply; undefined on routes with a single dialect. */
    rewritten: RewrittenBody | undefined;
  }
}

/** Maximum number of characters of a field name in an error text. */
const MAX_FIELD_NAME_LENGTH = 100;

/**
 * Throws INVALID_REQUEST for values that a database can reject: NUL characters, lone surrogates (D-056) and deep
 * nesting. `field` is the name of the value in the error text. The default is `instance`, the name that validation
 * errors give to the whole body. The elements of an array have the name of the array.
 */
function assertStorable(value: unknown, field = 'instance', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throwInvalid(`${field} contains a NUL character. Remove it.`);
    // JSON escapes can express a lone surrogate, which UTF-8 cannot encode.
    if (!value.isWellFormed()) throwInvalid(`${field} contains a lone surrogate (half of a character). Remove it.`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) throwInvalid(`${field} is nested deeper than ${MAX_DEPTH} levels.`);
  for (const [name, member] of Object.entries(value)) {
    if (name.includes('\0'))
      throwInvalid(`${field} has a member with a NUL character in its name. Remove the character.`);
    assertStorable(member, Array.isArray(value) ? field : name.slice(0, MAX_FIELD_NAME_LENGTH), depth + 1);
  }
}

function throwInvalid(message: string): never {
  throw new GatewayError('INVALID_REQUEST', [[message]]);
}

/** Registers the body parsers and the conversion of bodies and results on routes with several dialects. */
export async function registerBody(
  app: FastifyInstance,
  {
    config,
    media,
  }: {
    config: Pick<
      Config,
      'responseDialect' | 'bodyLimit' | 'jsonLimit' | 'mediaLimit' | 'overloadBodies' | 'overloadMemory'
    >;
    media: Pick<Media, 'requestFiles'>;
  },
): Promise<void> {
  const { responseDialect } = config;
  const budget = createBodyBudget(app, config);
  registerParsers(app, config, budget);
  const readForm = await registerMultipart(app, { limits: config, uploads: media.requestFiles, budget });
  const defaultDialect: ApiDialect = responseDialect === 'v2' ? 'v2' : 'v1';
  const replyDialectOf = ({ dialect }: RewrittenBody): ApiDialect =>
    responseDialect === 'auto' ? dialect : responseDialect;
  // A route for PUT and POST has the operation id of PUT in its schema, so both methods share the conversions.
  const conversionIdOf = (request: FastifyRequest) => request.routeOptions.schema?.operationId ?? '';

  app.decorateRequest('rewritten', undefined);
  app.addHook('preValidation', async (request, reply) => {
    if (request.routeOptions.schema?.params) assertStorable(request.params, 'path');
    if (request.routeOptions.schema?.querystring) assertStorable(request.query, 'query');
    // With `readsBody`, the handler reads the body itself.
    if (request.routeOptions.config.readsBody) return;
    const form = await readForm(request, reply);
    if (!request.routeOptions.schema?.body) return;
    request.body = form?.body ?? request.body ?? {};
    assertStorable(request.body);
    if (!isObject(request.body)) return;
    // Multipart forms are flat, like v2 bodies.
    const rewritten = REQUEST_REWRITES[conversionIdOf(request)]?.(request.body, form ? 'v2' : defaultDialect);
    if (rewritten) request.rewritten = { ...rewritten, dialect: replyDialectOf(rewritten) };
    request.body = rewritten?.body ?? withoutNulls(request.body);
    if (isObject(request.body)) form?.addFile(request.body);
  });
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (!request.rewritten || reply.statusCode >= 300) return payload;
    const conversion = RESPONSE_CONVERSIONS[conversionIdOf(request)]?.[request.rewritten.dialect];
    if (!conversion) return payload;
    reply.serializer(reply.compileSerializationSchema(conversion.schema, String(reply.statusCode)));
    const { id: instanceId = '', name: instanceName = '' } = request.instance ?? {};
    return conversion.convert(payload, { instanceId, instanceName });
  });
}
