// The one catalogue of errors a caller can meet: code → status, title, certainty. Clients branch on `code`, never on text.
// The wire envelope is built in plugins/error-handler.ts.

const catalogue = {
  UNAUTHORIZED: { status: 401, title: 'Unauthorized' },
  // Keys that operators give out: one may not do this; there is no such key.
  SCOPE_MISSING: { status: 403, title: 'Forbidden' },
  KEY_NOT_FOUND: { status: 404, title: 'Not Found' },
  INSTANCE_NOT_FOUND: { status: 404, title: 'Not Found' },
  INSTANCE_NAME_IN_USE: { status: 403, title: 'Forbidden' },
  INSTANCE_NOT_OPEN: { status: 400, title: 'Bad Request' },
  INSTANCE_NOT_CONNECTED: { status: 400, title: 'Bad Request' },
  INVALID_REQUEST: { status: 400, title: 'Bad Request' },
  MALFORMED_JSON: { status: 400, title: 'Bad Request' },
  BODY_TOO_LARGE: { status: 413, title: 'Payload Too Large' },
  // Of callers that are too slow or hang up, or send too much before the body.
  REQUEST_INCOMPLETE: { status: 408, title: 'Request Timeout' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Request Header Fields Too Large' },
  // Of edits: the store has no such message; it may not or can no longer be changed.
  MESSAGE_NOT_FOUND: { status: 404, title: 'Not Found' },
  MESSAGE_NOT_EDITABLE: { status: 400, title: 'Bad Request' },
  // The platform said no to a change of the profile or of privacy.
  PLATFORM_REFUSED: { status: 400, title: 'Bad Request' },
  NUMBER_NOT_ON_PLATFORM: { status: 400, title: 'Bad Request' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported Media Type' },
  ROUTE_NOT_FOUND: { status: 404, title: 'Not Found' },
  // Requests with an idempotency key: it came with another body; the first one is still being worked on.
  IDEMPOTENCY_MISMATCH: { status: 422, title: 'Unprocessable Entity' },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, title: 'Conflict' },
  // The platform does not let the account write to people it has no chat with.
  NEW_CHATS_RESTRICTED: { status: 429, title: 'Too Many Requests' },
  RATE_LIMITED: { status: 429, title: 'Too Many Requests' },
  // What the platform says about groups: unknown or left, not a member or not an admin, anything else.
  GROUP_NOT_FOUND: { status: 404, title: 'Not Found' },
  GROUP_FORBIDDEN: { status: 403, title: 'Forbidden' },
  GROUP_REFUSED: { status: 400, title: 'Bad Request' },
  // What the platform says about channels: there is none, only those who run it may, anything else.
  CHANNEL_NOT_FOUND: { status: 404, title: 'Not Found' },
  CHANNEL_FORBIDDEN: { status: 403, title: 'Forbidden' },
  CHANNEL_REFUSED: { status: 400, title: 'Bad Request' },
  // The phone has told of no such label.
  LABEL_NOT_FOUND: { status: 404, title: 'Not Found' },
  // A proxy that cannot be connected through.
  PROXY_UNUSABLE: { status: 400, title: 'Bad Request' },
  ADDRESS_FORBIDDEN: { status: 400, title: 'Bad Request' },
  // Files that callers name, and files on their way to the platform.
  MEDIA_UNREACHABLE: { status: 400, title: 'Bad Request' },
  MEDIA_TOO_LARGE: { status: 400, title: 'Bad Request' },
  MEDIA_TOO_LONG: { status: 400, title: 'Bad Request' },
  MEDIA_INVALID: { status: 400, title: 'Bad Request' },
  MEDIA_UPLOAD_FAILED: { status: 502, title: 'Bad Gateway' },
  // Files of messages, and the signed links to them.
  MESSAGE_WITHOUT_MEDIA: { status: 404, title: 'Not Found' },
  MEDIA_GONE: { status: 410, title: 'Gone' },
  MEDIA_OVER_LIMIT: { status: 413, title: 'Payload Too Large' },
  MEDIA_CORRUPT: { status: 502, title: 'Bad Gateway' },
  MEDIA_HOST_FAILED: { status: 502, title: 'Bad Gateway' },
  MEDIA_TIMEOUT: { status: 504, title: 'Gateway Timeout' },
  LINK_INVALID: { status: 403, title: 'Forbidden' },
  LINK_EXPIRED: { status: 403, title: 'Forbidden' },
  // Of the log of events: what follows is no longer kept.
  CURSOR_EXPIRED: { status: 410, title: 'Gone' },
  // Of webhooks: no such endpoint, or as many as an instance may have.
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
  // Of several processes on one database: an instance is moving between them, or its process is gone; a write came from one that no longer
  // has it; a request came to one that does not have it (they tell only one another).
  INSTANCE_MOVING: { status: 503, title: 'Service Unavailable' },
  PEER_LOST: { status: 504, title: 'Gateway Timeout' },
  LEASE_LOST: { status: 503, title: 'Service Unavailable' },
  MISDIRECTED: { status: 421, title: 'Misdirected Request' },
  PEER_REFUSED: { status: 403, title: 'Forbidden' },
  STARTING: { status: 503, title: 'Service Unavailable' },
  SHUTTING_DOWN: { status: 503, title: 'Service Unavailable' },
  INTERNAL: { status: 500, title: 'Internal Server Error' },
} as const satisfies Record<string, { status: number; title: string }>;

const otherTitles = { 400: 'Bad Request', 404: 'Not Found' } as const;

export type ErrorCode = keyof typeof catalogue;
export const errorCodes = Object.keys(catalogue) as ErrorCode[];

/** `response.message` of the envelope: a string for 401 and 5xx, an array otherwise. */
export type ErrorMessage = string | readonly unknown[];

export interface ErrorDetail {
  /** True when it is certain that nothing was sent (safe to retry); false when the outcome is unknown. */
  certain?: boolean;
  /** Id under which an uncertain send may still arrive. */
  messageId?: string;
  /** Seconds for the Retry-After header. */
  retryAfter?: number;
  /** Where the clients of an operation know another status than the code's own. */
  status?: keyof typeof otherTitles;
  cause?: unknown;
}

/** The only error type that reaches a caller with its own words; anything else becomes INTERNAL. */
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
    this.status = detail.status ?? catalogue[code].status;
    this.title = detail.status ? otherTitles[detail.status] : catalogue[code].title;
    this.body = body;
    this.certain = detail.certain;
    this.messageId = detail.messageId;
    this.retryAfter = detail.retryAfter;
  }
}
