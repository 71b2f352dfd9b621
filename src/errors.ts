// The catalog of API errors: code → HTTP status and title. Clients branch on `code`, never on the text.
// http/plugins/error-handler.ts builds the response body.

const CATALOG = {
  UNAUTHORIZED: { status: 401, title: 'Unauthorized' },
  // Access keys: the key lacks the scope; the key does not exist.
  SCOPE_MISSING: { status: 403, title: 'Forbidden' },
  KEY_NOT_FOUND: { status: 404, title: 'Not Found' },
  INSTANCE_NOT_FOUND: { status: 404, title: 'Not Found' },
  INSTANCE_NAME_IN_USE: { status: 403, title: 'Forbidden' },
  INSTANCE_NOT_OPEN: { status: 400, title: 'Bad Request' },
  INSTANCE_NOT_CONNECTED: { status: 400, title: 'Bad Request' },
  INVALID_REQUEST: { status: 400, title: 'Bad Request' },
  MALFORMED_JSON: { status: 400, title: 'Bad Request' },
  BODY_TOO_LARGE: { status: 413, title: 'Payload Too Large' },
  // The caller was too slow or hung up; the headers exceed the limit.
  REQUEST_INCOMPLETE: { status: 408, title: 'Request Timeout' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Request Header Fields Too Large' },
  // Edits: the message is not stored; it is not the caller's or too old to edit.
  MESSAGE_NOT_FOUND: { status: 404, title: 'Not Found' },
  MESSAGE_NOT_EDITABLE: { status: 400, title: 'Bad Request' },
  // The platform refused a change of the profile or of privacy settings.
  PLATFORM_REFUSED: { status: 400, title: 'Bad Request' },
  NUMBER_NOT_ON_PLATFORM: { status: 400, title: 'Bad Request' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported Media Type' },
  ROUTE_NOT_FOUND: { status: 404, title: 'Not Found' },
  // Idempotency keys: the key was used with another body; the first request is still running.
  IDEMPOTENCY_MISMATCH: { status: 422, title: 'Unprocessable Entity' },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, title: 'Conflict' },
  // The platform forbids the account to start new chats.
  NEW_CHATS_RESTRICTED: { status: 429, title: 'Too Many Requests' },
  RATE_LIMITED: { status: 429, title: 'Too Many Requests' },
  // Groups: unknown or left; not a member or not an admin; any other refusal.
  GROUP_NOT_FOUND: { status: 404, title: 'Not Found' },
  GROUP_FORBIDDEN: { status: 403, title: 'Forbidden' },
  GROUP_REFUSED: { status: 400, title: 'Bad Request' },
  // Channels: unknown; the account does not administer it; any other refusal.
  CHANNEL_NOT_FOUND: { status: 404, title: 'Not Found' },
  CHANNEL_FORBIDDEN: { status: 403, title: 'Forbidden' },
  CHANNEL_REFUSED: { status: 400, title: 'Bad Request' },
  // No label with this id was synchronized from the phone.
  LABEL_NOT_FOUND: { status: 404, title: 'Not Found' },
  // The gateway could not connect through the proxy.
  PROXY_UNUSABLE: { status: 400, title: 'Bad Request' },
  ADDRESS_FORBIDDEN: { status: 400, title: 'Bad Request' },
  // Files of a send: fetching, checking and uploading them.
  MEDIA_UNREACHABLE: { status: 400, title: 'Bad Request' },
  MEDIA_TOO_LARGE: { status: 400, title: 'Bad Request' },
  MEDIA_TOO_LONG: { status: 400, title: 'Bad Request' },
  MEDIA_INVALID: { status: 400, title: 'Bad Request' },
  MEDIA_UPLOAD_FAILED: { status: 502, title: 'Bad Gateway' },
  // Files of stored messages, and the signed links to them.
  MESSAGE_WITHOUT_MEDIA: { status: 404, title: 'Not Found' },
  MEDIA_GONE: { status: 410, title: 'Gone' },
  MEDIA_OVER_LIMIT: { status: 413, title: 'Payload Too Large' },
  MEDIA_CORRUPT: { status: 502, title: 'Bad Gateway' },
  MEDIA_HOST_FAILED: { status: 502, title: 'Bad Gateway' },
  MEDIA_TIMEOUT: { status: 504, title: 'Gateway Timeout' },
  LINK_INVALID: { status: 403, title: 'Forbidden' },
  LINK_EXPIRED: { status: 403, title: 'Forbidden' },
  // Event log: the events after the cursor were pruned.
  CURSOR_EXPIRED: { status: 410, title: 'Gone' },
  // Webhooks: the webhook does not exist; the instance has the maximum number.
  WEBHOOK_NOT_FOUND: { status: 404, title: 'Not Found' },
  TOO_MANY_WEBHOOKS: { status: 400, title: 'Bad Request' },
  NOT_IMPLEMENTED: { status: 501, title: 'Not Implemented' },
  SEND_REFUSED: { status: 400, title: 'Bad Request' },
  SEND_TIMEOUT: { status: 504, title: 'Gateway Timeout' },
  SEND_INTERRUPTED: { status: 504, title: 'Gateway Timeout' },
  PLATFORM_TIMEOUT: { status: 504, title: 'Gateway Timeout' },
  CONNECT_FAILED: { status: 502, title: 'Bad Gateway' },
  STORAGE_UNAVAILABLE: { status: 503, title: 'Service Unavailable' },
  STORAGE_UNREADABLE: { status: 500, title: 'Internal Server Error' },
  OVERLOADED: { status: 503, title: 'Service Unavailable' },
  // Cluster: the instance is moving; its node is gone; a write came from a node without the lease. The last two only occur between nodes.
  INSTANCE_MOVING: { status: 503, title: 'Service Unavailable' },
  PEER_LOST: { status: 504, title: 'Gateway Timeout' },
  LEASE_LOST: { status: 503, title: 'Service Unavailable' },
  MISDIRECTED: { status: 421, title: 'Misdirected Request' },
  PEER_REFUSED: { status: 403, title: 'Forbidden' },
  STARTING: { status: 503, title: 'Service Unavailable' },
  SHUTTING_DOWN: { status: 503, title: 'Service Unavailable' },
  INTERNAL: { status: 500, title: 'Internal Server Error' },
} as const satisfies Record<string, { status: number; title: string }>;

const STATUS_TITLES = { 400: 'Bad Request', 404: 'Not Found' } as const;

export type ErrorCode = keyof typeof CATALOG;
export const ERROR_CODES = Object.keys(CATALOG) as ErrorCode[];

/** `response.message` of the envelope: a string for 401 and 5xx, an array otherwise. */
export type ErrorMessage = string | readonly unknown[];

export interface ErrorDetail {
  /** True when nothing was sent, so that a retry is safe; false when the outcome is unknown. */
  certain?: boolean;
  /** Message id of a send whose outcome is unknown. */
  messageId?: string;
  /** Seconds for the Retry-After header. */
  retryAfter?: number;
  /** Overrides the status of the code where clients of an operation expect another one. */
  status?: keyof typeof STATUS_TITLES;
  cause?: unknown;
}

/** An error that the API reports with its own code and text. Every other error is reported as INTERNAL. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly body: ErrorMessage;
  readonly certain: boolean | undefined;
  readonly messageId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, body: ErrorMessage, detail: ErrorDetail = {}) {
    super(`${code}: ${typeof body === 'string' ? body : JSON.stringify(body)}`, { cause: detail.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.status = detail.status ?? CATALOG[code].status;
    this.title = detail.status ? STATUS_TITLES[detail.status] : CATALOG[code].title;
    this.body = body;
    this.certain = detail.certain;
    this.messageId = detail.messageId;
    this.retryAfter = detail.retryAfter;
  }
}
