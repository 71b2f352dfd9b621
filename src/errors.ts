// The errors of the API, each with a code, an HTTP status and a title. Clients should branch on the code and never on
// the text. http/plugins/error-handler.ts builds the response body. openapi/reference/error-help.ts says what each code
// means and what a caller can do; docs/reference/errors.md is generated from that file and this one.

/** Status and title by code. The comments describe codes whose names are similar. */
export const ERRORS = {
  UNAUTHORIZED: { status: 401, title: 'Unauthorized' },
  SCOPE_MISSING: { status: 403, title: 'Forbidden' },
  KEY_NOT_FOUND: { status: 404, title: 'Not Found' },
  INSTANCE_NOT_FOUND: { status: 404, title: 'Not Found' },
  INSTANCE_NAME_IN_USE: { status: 403, title: 'Forbidden' },
  /** The operation needs a connection, and the instance has none. */
  INSTANCE_NOT_OPEN: { status: 400, title: 'Bad Request' },
  INSTANCE_NOT_STOPPED: { status: 409, title: 'Conflict' },
  SESSION_IN_USE: { status: 409, title: 'Conflict' },
  SESSION_BUNDLE_INVALID: { status: 400, title: 'Bad Request' },
  /** The passphrase of an encrypted bundle is missing or wrong. */
  SESSION_BUNDLE_PASSPHRASE: { status: 400, title: 'Bad Request' },
  /** The instance is not linked to an account. */
  INSTANCE_NOT_CONNECTED: { status: 400, title: 'Bad Request' },
  INVALID_REQUEST: { status: 400, title: 'Bad Request' },
  MALFORMED_JSON: { status: 400, title: 'Bad Request' },
  BODY_TOO_LARGE: { status: 413, title: 'Payload Too Large' },
  REQUEST_INCOMPLETE: { status: 408, title: 'Request Timeout' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Request Header Fields Too Large' },
  MESSAGE_NOT_FOUND: { status: 404, title: 'Not Found' },
  MESSAGE_NOT_EDITABLE: { status: 400, title: 'Bad Request' },
  /** WhatsApp refused an operation that is not a send. */
  PLATFORM_REFUSED: { status: 400, title: 'Bad Request' },
  NUMBER_NOT_ON_PLATFORM: { status: 400, title: 'Bad Request' },
  USERNAME_NOT_FOUND: { status: 400, title: 'Bad Request' },
  NUMBER_HIDDEN: { status: 400, title: 'Bad Request' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported Media Type' },
  ROUTE_NOT_FOUND: { status: 404, title: 'Not Found' },
  IDEMPOTENCY_MISMATCH: { status: 422, title: 'Unprocessable Entity' },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, title: 'Conflict' },
  NEW_CHATS_RESTRICTED: { status: 429, title: 'Too Many Requests' },
  RATE_LIMITED: { status: 429, title: 'Too Many Requests' },
  GROUP_NOT_FOUND: { status: 404, title: 'Not Found' },
  GROUP_FORBIDDEN: { status: 403, title: 'Forbidden' },
  GROUP_REFUSED: { status: 400, title: 'Bad Request' },
  CHANNEL_NOT_FOUND: { status: 404, title: 'Not Found' },
  CHANNEL_FORBIDDEN: { status: 403, title: 'Forbidden' },
  CHANNEL_REFUSED: { status: 400, title: 'Bad Request' },
  LABEL_NOT_FOUND: { status: 404, title: 'Not Found' },
  PASSKEY_DISABLED: { status: 409, title: 'Conflict' },
  PASSKEY_WRONG_STAGE: { status: 409, title: 'Conflict' },
  PASSKEY_EXPIRED: { status: 410, title: 'Gone' },
  PASSKEY_WRONG_ORIGIN: { status: 400, title: 'Bad Request' },
  PASSKEY_REFUSED: { status: 400, title: 'Bad Request' },
  PROXY_UNUSABLE: { status: 400, title: 'Bad Request' },
  ADDRESS_FORBIDDEN: { status: 400, title: 'Bad Request' },
  MEDIA_UNREACHABLE: { status: 400, title: 'Bad Request' },
  /** A file to send is too large. */
  MEDIA_TOO_LARGE: { status: 400, title: 'Bad Request' },
  MEDIA_TOO_LONG: { status: 400, title: 'Bad Request' },
  MEDIA_INVALID: { status: 400, title: 'Bad Request' },
  MEDIA_UPLOAD_FAILED: { status: 502, title: 'Bad Gateway' },
  MESSAGE_WITHOUT_MEDIA: { status: 404, title: 'Not Found' },
  MEDIA_GONE: { status: 410, title: 'Gone' },
  /** A received file is too large to be downloaded. */
  MEDIA_OVER_LIMIT: { status: 413, title: 'Payload Too Large' },
  MEDIA_CORRUPT: { status: 502, title: 'Bad Gateway' },
  MEDIA_HOST_FAILED: { status: 502, title: 'Bad Gateway' },
  MEDIA_TIMEOUT: { status: 504, title: 'Gateway Timeout' },
  /** The signature of a link to a file is wrong. */
  LINK_INVALID: { status: 403, title: 'Forbidden' },
  LINK_EXPIRED: { status: 403, title: 'Forbidden' },
  CURSOR_EXPIRED: { status: 410, title: 'Gone' },
  WEBHOOK_NOT_FOUND: { status: 404, title: 'Not Found' },
  TOO_MANY_WEBHOOKS: { status: 400, title: 'Bad Request' },
  NOT_IMPLEMENTED: { status: 501, title: 'Not Implemented' },
  /** The message was not sent, because WhatsApp refused a query for it or the content cannot be encoded. */
  SEND_REFUSED: { status: 400, title: 'Bad Request' },
  SEND_TIMEOUT: { status: 504, title: 'Gateway Timeout' },
  SEND_INTERRUPTED: { status: 504, title: 'Gateway Timeout' },
  PLATFORM_TIMEOUT: { status: 504, title: 'Gateway Timeout' },
  CONNECT_FAILED: { status: 502, title: 'Bad Gateway' },
  STORAGE_UNAVAILABLE: { status: 503, title: 'Service Unavailable' },
  STORAGE_UNREADABLE: { status: 500, title: 'Internal Server Error' },
  OVERLOADED: { status: 503, title: 'Service Unavailable' },
  INSTANCE_MOVING: { status: 503, title: 'Service Unavailable' },
  PEER_LOST: { status: 504, title: 'Gateway Timeout' },
  LEASE_LOST: { status: 503, title: 'Service Unavailable' },
  MISDIRECTED: { status: 421, title: 'Misdirected Request' },
  PEER_REFUSED: { status: 403, title: 'Forbidden' },
  STARTING: { status: 503, title: 'Service Unavailable' },
  SHUTTING_DOWN: { status: 503, title: 'Service Unavailable' },
  INTERNAL: { status: 500, title: 'Internal Server Error' },
} as const satisfies Record<string, { status: number; title: string }>;

/** Titles of the HTTP statuses that ErrorDetail.status can set. */
const STATUS_TITLES = { 400: 'Bad Request', 404: 'Not Found' } as const;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/**
 * `response.message` of the response body: a string in most errors with status 401 or 5xx, an array in all others. For
 * a missing or invalid field, the array contains one array, as in `[['number must be …']]` (docs/guides/errors.md).
 */
export type ErrorMessage = string | readonly unknown[];

export interface ErrorDetail {
  /**
   * The field `certain` of the response body: whether the outcome of the request is certain. True: nothing was sent, so
   * a retry is safe. False: the message may have been sent.
   */
  certain?: boolean;
  /** The id of the message whose outcome is unknown. */
  messageId?: string;
  /** Seconds for the Retry-After header. */
  retryAfter?: number;
  /** HTTP status that replaces the usual status of the error code. Clients of some operations expect another status. */
  status?: keyof typeof STATUS_TITLES;
  cause?: unknown;
}

/**
 * An error that the API reports with its own code and text. Every other error is reported as INTERNAL. The comment of
 * ErrorMessage says when the text is in an array.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  /** `response.message` of the response body. */
  readonly responseMessage: ErrorMessage;
  readonly certain: boolean | undefined;
  readonly messageId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: ErrorMessage, detail: ErrorDetail = {}) {
    super(`${code}: ${typeof message === 'string' ? message : JSON.stringify(message)}`, { cause: detail.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.status = detail.status ?? ERRORS[code].status;
    this.title = detail.status ? STATUS_TITLES[detail.status] : ERRORS[code].title;
    this.responseMessage = message;
    this.certain = detail.certain;
    this.messageId = detail.messageId;
    this.retryAfter = detail.retryAfter;
  }
}

/**
 * The error for a request field that an operation refuses before it sends anything. `text` starts with the path of the
 * field in the schema. http/plugins/error-handler.ts replaces that path by the field name that the caller used.
 */
export const invalidRequestError = (text: string, cause?: unknown): GatewayError =>
  new GatewayError('INVALID_REQUEST', [[text]], { certain: true, cause });

/** Whether `error` is a GatewayError with this code. */
export const hasCode = (error: unknown, code: ErrorCode): error is GatewayError =>
  error instanceof GatewayError && error.code === code;
