// Converts every thrown value to the error response of the API and logs it: 4xx at info, expected 5xx at warn, other
// 5xx at error. Decisions D-013 and D-014.
import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import type { AppDeps } from '../deps.ts';
import type { ErrorBody } from '../schemas/common.ts';
import { toMessage, toNamedProblem, toProblems } from './validation-errors.ts';

/** Empty, for requests whose body was not converted to the form of the schemas. */
const NO_CALLER_PATHS: ReadonlyMap<string, string> = new Map();

/** The field paths that the caller used, by the field paths in the schema. `rewritten` is the converted body. */
const callerPathsOf = ({ rewritten }: FastifyRequest) => rewritten?.callerPaths ?? NO_CALLER_PATHS;

/** The area of the route, such as `message`; undefined for routes that are not in the OpenAPI document. */
const areaOf = ({ routeOptions }: FastifyRequest) => routeOptions.schema?.tags?.[0];

/**
 * Codes of 5xx errors that are not failures: the gateway is starting, stopping or overloaded, it lacks the feature, or
 * the instance is moving to another node.
 */
const EXPECTED_ERRORS = new Set(['NOT_IMPLEMENTED', 'STARTING', 'SHUTTING_DOWN', 'OVERLOADED', 'INSTANCE_MOVING']);

/** The GatewayError for an error of Fastify; undefined if the text of the error must not reach callers. */
function fromFramework(error: FastifyError, request: FastifyRequest): GatewayError | undefined {
  if (error.validation) {
    const problems = toProblems(error.validation, callerPathsOf(request));
    const formType = formTypeOf(request);
    if (formType && error.validationContext === 'body')
      problems.push({ path: [], message: `The body was read as a form, because its Content-Type is "${formType}".` });
    return new GatewayError('INVALID_REQUEST', toMessage(problems, areaOf(request)));
  }
  switch (error.code) {
    case 'FST_ERR_CTP_EMPTY_TYPE':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new GatewayError('UNSUPPORTED_MEDIA_TYPE', [
        `Content-Type must be application/json or application/x-www-form-urlencoded, ${describeReceivedType(request)}.`,
      ]);
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new GatewayError('INVALID_REQUEST', ['The path is not a valid URL path.']);
  }
  // The connection ended before the request was complete, so no caller receives the response.
  if (error.code === 'ECONNRESET' && !request.raw.complete) return incompleteError();
  const isCallerError = error.code?.startsWith('FST_') && error.statusCode !== undefined && error.statusCode < 500;
  return isCallerError ? new GatewayError('INVALID_REQUEST', [error.message]) : undefined;
}

/** Maximum number of characters of a request header in an error text. */
const MAX_HEADER_LENGTH = 100;

const describeReceivedType = ({ headers }: FastifyRequest): string => {
  const type = headers['content-type'];
  return type ? `not ${JSON.stringify(type.slice(0, MAX_HEADER_LENGTH))}` : 'and the request has none';
};

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The content type of a URL-encoded form, which some clients send by default; undefined for other types. */
const formTypeOf = ({ headers }: FastifyRequest): string | undefined =>
  headers['content-type']?.trimStart().toLowerCase().startsWith(FORM_TYPE) ? FORM_TYPE : undefined;

/**
 * Converts an INVALID_REQUEST error of an operation to the form of validation errors: it names the fields as the caller
 * did, and on routes of groups its message is a list of objects. Returns other errors unchanged.
 */
function toValidationForm(error: GatewayError, request: FastifyRequest): GatewayError {
  const { code, responseMessage, certain, messageId } = error;
  // Validation errors have an array in the array: `[['number must be …']]`.
  const [texts] = typeof responseMessage === 'string' ? [] : responseMessage;
  if (code !== 'INVALID_REQUEST' || !Array.isArray(texts)) return error;
  const fields = { ...Object(request.query), ...Object(request.body) };
  const problems = texts.map((text) => toNamedProblem(String(text), fields, callerPathsOf(request)));
  return new GatewayError(code, toMessage(problems, areaOf(request)), { certain, messageId, cause: error });
}

/** The GatewayError for any thrown value. Unknown errors become INTERNAL with a constant text. */
export function toGatewayError(error: FastifyError, request: FastifyRequest): GatewayError {
  if (error instanceof GatewayError) return toValidationForm(error, request);
  return fromFramework(error, request) ?? new GatewayError('INTERNAL', 'Internal Server Error', { cause: error });
}

/**
 * The response body of an error. `certain` is true when nothing was sent to WhatsApp, and false when that is unknown.
 * `defaultCertain`: the value of `certain` if the error does not set it.
 */
export function toErrorBody(
  { status, title, responseMessage, code, certain, messageId }: GatewayError,
  requestId: string,
  defaultCertain?: true,
): ErrorBody {
  return {
    status,
    error: title,
    response: { message: responseMessage },
    code,
    requestId,
    certain: certain ?? defaultCertain,
    messageId,
  };
}

/**
 * The error handler for Fastify. This function serializes the response body itself, so that the response schemas of the
 * route do not apply to errors.
 */
export function handleError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toGatewayError(thrown, request);
  // Error texts can repeat content of the request, so only the code of a 4xx is logged.
  const fields = { code: error.code, status: error.status, method: request.method, route: request.routeOptions.url };
  if (error.status < 500) request.log.info(fields, 'request.refused');
  else if (EXPECTED_ERRORS.has(error.code)) request.log.warn(fields, 'request.refused');
  else
    request.log.error({ ...fields, err: error.code === 'INTERNAL' ? (error.cause ?? error) : error }, 'request.failed');
  // An error that occurs after a message was passed to WhatsApp sets `certain` itself. All other errors of a send occur
  // before that, except INTERNAL, which can occur at any time.
  const isSend = request.method !== 'GET' && areaOf(request) === 'message';
  const isRefusedSend = isSend && error.code !== 'INTERNAL';
  if (error.retryAfter !== undefined) reply.header('retry-after', Math.ceil(error.retryAfter));
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(error, request.id, isRefusedSend ? true : undefined)));
}

/** Calls `report`, if it is defined, for every thrown error: with the response body and the instance in the path. */
export function registerErrorReports(app: FastifyInstance, report: AppDeps['reportFailure']): void {
  if (!report) return;
  app.addHook('onError', async (request, _reply, thrown) => {
    const { instance } = (request.params ?? {}) as { instance?: string };
    report({ ...toErrorBody(toGatewayError(thrown, request), request.id), instance });
  });
}

/** A connection. Node.js sets `_httpMessage` while a response is pending. */
type Connection = FastifyRequest['socket'] & { _httpMessage?: FastifyReply['raw'] | null };

/**
 * Responds on the raw connection to a request that Node could not parse or did not receive in time, and closes the
 * connection. Sends no error when the response to a complete request is pending or a response has started, because the
 * caller would take the error for that response.
 */
export function respondToUnreadable(error: Error & { code?: string }, socket: Connection): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const pending = socket._httpMessage;
  if (pending && (pending.req.complete || pending.headersSent)) {
    socket.destroy();
    return;
  }
  const failure = toUnreadableError(error.code);
  const { status, title } = failure;
  const id = randomUUID();
  const body = JSON.stringify(toErrorBody(failure, id));
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
        `x-request-id: ${id}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}

/** The error for a request that did not arrive completely. */
export const incompleteError = () => new GatewayError('REQUEST_INCOMPLETE', ['The request did not arrive in time.']);

function toUnreadableError(code: string | undefined): GatewayError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return incompleteError();
  if (code === 'HPE_HEADER_OVERFLOW')
    return new GatewayError('HEADERS_TOO_LARGE', ['The headers and the URL are too long.']);
  return new GatewayError('INVALID_REQUEST', ['This is not an HTTP request.']);
}
