// Client of the gateway's HTTP API: the API key, calls and errors. event-stream.js opens its stream with request().
import { t } from './current-language.js';

/** @typedef {import('./types.d.ts').KeyRights} KeyRights */

/** The gateway's base URL: the page is one path segment below it, at `manager/`. */
const BASE = new URL('../', document.baseURI);
const STORAGE_KEY = 'gateway.key';

let key = sessionStorage.getItem(STORAGE_KEY) ?? '';
let network = 'whatsapp';
/** @type {KeyRights} */
let rights = { scopes: [], instance: null };

/** An error response of the gateway. `status` is 0 when the gateway did not respond. The page shows `message`. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The HTTP status of an ApiError; undefined for other errors. @param {unknown} error */
export const statusOf = (error) => (error instanceof ApiError ? error.status : undefined);

export const hasKey = () => key !== '';

/** Whether the text can be sent as a key: keys of the gateway are printable ASCII. @param {string} text */
export const isKey = (text) => /^[ -~]+$/.test(text);

/** `whatsapp`, or the name of a test network; known after the first call. */
export const networkName = () => network;

/** Whether the key has the scope; known after `loadRights`. @param {string} scope `read`, `send` or `admin` */
export const hasScope = (scope) => rights.scopes.includes(scope);

/** Whether the key is for one instance only; known after `loadRights`. */
export const isInstanceKey = () => rights.instance !== null;

/** Loads the scopes of the key. Throws ApiError 401 for an invalid key. @param {AbortSignal} [signal] */
export async function loadRights(signal) {
  rights = await call('POST', 'verify-creds', {}, signal);
}

/** Stores `next` as the key until the tab is closed. An empty text removes the key. @param {string} next */
export function setKey(next) {
  key = next;
  rights = { scopes: [], instance: null };
  if (next) sessionStorage.setItem(STORAGE_KEY, next);
  else sessionStorage.removeItem(STORAGE_KEY);
}

/**
 * The message of an error response. The gateway puts it into `response.message` or into `error`. Either can be a list,
 * also a list of lists.
 * @param {{ response?: { message?: unknown }, error?: unknown } | undefined} body
 * @param {number} status
 */
function errorMessageOf(body, status) {
  const details = [body?.response?.message ?? body?.error ?? t('api.status', { status })].flat(3);
  return details.map(textOfDetail).join('. ');
}

/**
 * The text of one part of an error message. For a recipient without an account, the part is an object:
 * `{ exists: false, number }`.
 * @param {unknown} detail
 */
function textOfDetail(detail) {
  if (typeof detail === 'string') return detail;
  const { exists, number } = Object(detail);
  return exists === false && typeof number === 'string' ? t('api.noAccount', { number }) : JSON.stringify(detail);
}

/**
 * Throws an AbortError when the key is no longer `sentKey`, the key of a request. The response to the request, such as
 * 401, says nothing about the current key.
 * @param {string} sentKey
 */
function assertKeyIsCurrent(sentKey) {
  if (key !== sentKey) throw new DOMException('The key was changed.', 'AbortError');
}

/**
 * Sends a request with the key, and resolves with a successful response. Throws ApiError for an error response, and
 * when the gateway does not respond.
 * @param {string} path
 * @param {RequestInit & { headers: Record<string, string> }} init
 */
export async function request(path, init) {
  const sentKey = key;
  let response;
  try {
    response = await fetch(new URL(path, BASE), {
      ...init,
      headers: { ...init.headers, apikey: sentKey },
      cache: 'no-store',
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    assertKeyIsCurrent(sentKey);
    throw new ApiError(0, 'UNREACHABLE', t('api.unreachable'));
  }
  assertKeyIsCurrent(sentKey);
  network = response.headers.get('x-gateway-network') ?? 'whatsapp';
  if (response.ok) return response;
  const body = await response.json().catch(() => undefined);
  assertKeyIsCurrent(sentKey);
  throw new ApiError(response.status, body?.code ?? '', errorMessageOf(body, response.status));
}

/**
 * Calls an operation. Resolves with the JSON of the response (types.d.ts has the shapes); throws ApiError.
 * @param {string} method
 * @param {string} path
 * @param {object} [body] a FormData, or an object that is sent as JSON
 * @param {AbortSignal} [signal]
 */
export async function call(method, path, body, signal) {
  const isForm = body instanceof FormData;
  /** @type {Record<string, string>} */
  const headers = body === undefined || isForm ? {} : { 'content-type': 'application/json' };
  const payload = body === undefined || isForm ? body : JSON.stringify(body);
  const response = await request(path, { method, headers, body: payload, signal });
  return response.status === 204 ? undefined : response.json();
}

/**
 * Template tag that escapes the values of a path: pathOf`webhook/find/${name}`.
 * @param {TemplateStringsArray} parts
 * @param {string[]} values
 */
export const pathOf = (parts, ...values) => String.raw({ raw: parts }, ...values.map(encodeURIComponent));
