// Anything thrown → the one envelope. The only place that builds it; 4xx are logged at info, 5xx at error.
import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import type { AppDeps } from '../deps.ts';
import type { ErrorBody } from '../schemas/common.ts';
import { toMessage, toProblems } from './validation-errors.ts';

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Expected while starting, stopping or overloaded, or simply not built: no reason to wake anybody. */
const quiet = new Set(['NOT_IMPLEMENTED', 'STARTING', 'SHUTTING_DOWN', 'OVERLOADED', 'INSTANCE_MOVING']);

/** Errors of the framework, in our words; undefined for those whose text is not for callers. */
function fromFramework(error: FastifyError, request: FastifyRequest): GatewayError | undefined {
  if (error.validation) {
    const problems = toProblems(error.validation, request.rewritten?.names ?? NO_NAMES);
    const form = formOf(request);
    if (form && error.validationContext === 'body')
      problems.push({ path: [], message: `The body was read as a form, because its Content-Type is "${form}"` });
    return new GatewayError('INVALID_REQUEST', toMessage(problems, request.routeOptions.schema?.tags?.[0]));
  }
  switch (error.code) {
    case 'FST_ERR_CTP_EMPTY_TYPE':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new GatewayError('UNSUPPORTED_MEDIA_TYPE', [
        `Content-Type must be application/json or application/x-www-form-urlencoded, ${received(request)}`,
      ]);
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new GatewayError('INVALID_REQUEST', ['The path is not a valid URL path']);
  }
  // Hung up, or cut because it took too long: whoever it was does not hear the answer.
  if (error.code === 'ECONNRESET' && !request.raw.complete) return incomplete();
  const isCallers = error.code?.startsWith('FST_') && error.statusCode !== undefined && error.statusCode < 500;
  return isCallers ? new GatewayError('INVALID_REQUEST', [error.message]) : undefined;
}

/** Characters of a caller's header that a message repeats. */
const MAX_SHOWN = 100;

const received = ({ headers }: FastifyRequest): string => {
  const type = headers['content-type'];
  return type ? `not ${JSON.stringify(type.slice(0, MAX_SHOWN))}` : 'and the request has none';
};

const FORM = 'application/x-www-form-urlencoded';

/** The media type of a body that was read as a form without files, which some programs send by default; undefined for others. */
const formOf = ({ headers }: FastifyRequest): string | undefined =>
  headers['content-type']?.trimStart().toLowerCase().startsWith(FORM) ? FORM : undefined;

/** Any thrown value → an error of the catalogue; what we do not know becomes INTERNAL with a constant text. */
export function toGatewayError(error: FastifyError, request: FastifyRequest): GatewayError {
  if (error instanceof GatewayError) return error;
  return fromFramework(error, request) ?? new GatewayError('INTERNAL', 'Internal Server Error', { cause: error });
}

/** The envelope of the interface (§7.1) with our added fields; `certain` where the error itself does not say. */
export function toEnvelope(
  { status, title, body, code, certain, messageId }: GatewayError,
  requestId: string,
  otherwise?: true,
): ErrorBody {
  return {
    status,
    error: title,
    response: { message: body },
    code,
    requestId,
    certain: certain ?? otherwise,
    messageId,
  };
}

/** Fastify's error handler. Serialises by itself: an error must reach its caller whatever the route's schemas say. */
export function handleError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toGatewayError(thrown, request);
  // Texts of refusals may repeat what the caller sent, so a refusal is logged by its code alone.
  const facts = { code: error.code, status: error.status, method: request.method, route: request.routeOptions.url };
  if (error.status < 500) request.log.info(facts, 'request.refused');
  else if (quiet.has(error.code)) request.log.warn(facts, 'request.refused');
  else
    request.log.error({ ...facts, err: error.code === 'INTERNAL' ? (error.cause ?? error) : error }, 'request.failed');
  // What happens to a send that has begun says for itself whether it is certain; everything else we know of happens before it.
  const isSend = request.method !== 'GET' && request.routeOptions.schema?.tags?.[0] === 'message';
  const isRefusedSend = isSend && error.code !== 'INTERNAL';
  if (error.retryAfter !== undefined) reply.header('retry-after', Math.ceil(error.retryAfter));
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toEnvelope(error, request.id, isRefusedSend || undefined)));
}

/** Every answer that is an error, as its caller gets it, and the instance in its path. */
export function registerReports(app: FastifyInstance, report: AppDeps['reportFailure']): void {
  if (!report) return;
  app.addHook('onError', async (request, _reply, thrown) => {
    const { instance } = { instance: undefined, ...Object(request.params) };
    report({ ...toEnvelope(toGatewayError(thrown, request), request.id), instance });
  });
}

/** What Node could not read as a request, or did not get in time: answered on the bare connection, which ends. */
export function answerUnreadable(error: Error & { code?: string }, socket: FastifyRequest['socket']): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const failure = unreadable(error.code);
  const { status, title } = failure;
  const id = randomUUID();
  const body = JSON.stringify(toEnvelope(failure, id));
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
        `x-request-id: ${id}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}

const incomplete = () => new GatewayError('REQUEST_INCOMPLETE', ['The request did not arrive in time']);

function unreadable(code: string | undefined): GatewayError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return incomplete();
  if (code === 'HPE_HEADER_OVERFLOW')
    return new GatewayError('HEADERS_TOO_LARGE', ['The headers and the URL are too long']);
  return new GatewayError('INVALID_REQUEST', ['This is not an HTTP request']);
}
