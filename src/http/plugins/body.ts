// From bytes to a body that the schema may see, and from a result to the caller's words: parsing, hygiene, dialects.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import type { Media } from '../../whatsapp/media/media.ts';
import { rewrites } from '../dialects/request.ts';
import { answers } from '../dialects/response.ts';
import { type Dialect, isObject, type Rewritten, withoutNulls } from '../dialects/rewrite.ts';
import { MAX_DEPTH, registerParsers } from './body-parsers.ts';
import { registerMultipart } from './multipart.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the dialects made of the body, with the dialect of the answer; undefined on routes with one dialect. */
    rewritten: Rewritten | undefined;
  }
}

/** Characters of a caller's name for a field that a message repeats. */
const MAX_SHOWN = 100;

/** Refuses what no operation can mean and a database may choke on: NUL characters, halves of characters and bottomless nesting. */
function refuseHostile(value: unknown, field = 'instance', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) invalid(`${field} contains a NUL character`);
    // JSON can write half of a surrogate pair; UTF-8, which everything ends in, cannot.
    if (!value.isWellFormed()) invalid(`${field} contains half of a character`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) invalid(`${field} is nested deeper than ${MAX_DEPTH} levels`);
  for (const [name, member] of Object.entries(value)) {
    if (name.includes('\0')) invalid(`${field} has a name with a NUL character`);
    refuseHostile(member, Array.isArray(value) ? field : name.slice(0, MAX_SHOWN), depth + 1);
  }
}

function invalid(problem: string): never {
  throw new GatewayError('INVALID_REQUEST', [[problem]]);
}

/** Parses JSON and forms with and without files, and translates between the caller's dialect and the interface's on every route that has several. */
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
  const dialectOf = ({ dialect }: Rewritten): Dialect => (responseDialect === 'auto' ? dialect : responseDialect);
  const operation = (request: FastifyRequest) => request.routeOptions.schema?.operationId ?? '';

  app.decorateRequest('rewritten', undefined);
  app.addHook('preValidation', async (request, reply) => {
    if (request.routeOptions.schema?.querystring) refuseHostile(request.query, 'query');
    const form = await readForm(request, reply);
    if (!request.routeOptions.schema?.body) return;
    request.body = form?.body ?? request.body ?? {};
    refuseHostile(request.body);
    if (!isObject(request.body)) return;
    // Forms with files belong to the flat dialect: the other one has only JSON.
    const rewritten = rewrites[operation(request)]?.(request.body, form ? 'v2' : fallback);
    if (rewritten) request.rewritten = { ...rewritten, dialect: dialectOf(rewritten) };
    request.body = rewritten?.body ?? withoutNulls(request.body);
    if (isObject(request.body)) form?.addFile(request.body);
  });
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (!request.rewritten || reply.statusCode >= 300) return payload;
    const answer = answers[operation(request)]?.[request.rewritten.dialect];
    if (!answer) return payload;
    reply.serializer(reply.compileSerializationSchema(answer.schema, String(reply.statusCode)));
    const { id: instanceId = '', name: instanceName = '' } = request.instance ?? {};
    return answer.convert(payload, { instanceId, instanceName });
  });
}
