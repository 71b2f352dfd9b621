// Signs and verifies requests between cluster nodes (D-158). The signature is a header. It covers the method, the path,
// the headers, the ids of both nodes, the time and a nonce. The body ends with a tag (an HMAC of the body), so that
// the receiver can verify the body without buffering it.
import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Header with the signature: `v2.<sender>.<epoch seconds>.<nonce>.<1 with a body, otherwise 0>.<HMAC>` */
export const PEER_HEADER = 'x-gateway-peer';
/** Header with the names of the signed headers, separated by `;`. */
const SIGNED_HEADER = 'x-gateway-signed';
/**
 * Content type of a body with a tag. A node of a release without tags answers with 415 and does not read the body.
 */
const TAGGED_TYPE = 'application/vnd.gateway.tagged';
/** Header with the content type of the body without its tag. */
const TYPE_HEADER = 'x-gateway-content-type';
const VERSION = 'v2';
/** Length of the tag, bytes. */
const TAG_SIZE = 32;
/** Maximum difference between the time of a signature and now. Both are times of the database. */
const WINDOW_S = 60;
/**
 * Maximum number of remembered nonces. While this many nonces are remembered, requests are refused. A node receives
 * fewer requests than this within two windows (2 × WINDOW_S), the longest time for which a nonce is remembered.
 */
const MAX_NONCES = 200_000;

type HeaderValue = string | string[] | undefined;
type Headers = Record<string, HeaderValue>;

/** What a signature covers. */
interface SignedFields {
  method: string;
  /** Path with the query. */
  path: string;
  /** Node id. */
  sender: string;
  /** Node id. */
  receiver: string;
  /** Epoch seconds. */
  sentAt: string;
  nonce: string;
  hasBody: boolean;
  headers: readonly (readonly [name: string, value: string])[];
}

const toText = (value: HeaderValue): string => (Array.isArray(value) ? value.join(', ') : (value ?? ''));

/** Whether the header must be signed. Content-Length is not signed, because the tag covers every byte of the body. */
const mustBeSigned = (name: string) => name !== 'content-length';

function computeMac(
  key: Buffer,
  { method, path, sender, receiver, sentAt, nonce, hasBody, headers }: SignedFields,
): Buffer {
  const parts = [VERSION, method, path, sender, receiver, sentAt, nonce, hasBody, headers];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}

/** Creates the HMAC for the body. It depends on `mac` of the request, so that the tag fits no other request. */
const createTag = (key: Buffer, mac: Buffer): Hmac => createHmac('sha256', key).update('body').update(mac);

export interface UnsignedRequest {
  method: string;
  /** Path with the query. */
  path: string;
  headers: Record<string, string | string[]>;
  hasBody: boolean;
}

export interface SignedRequest {
  headers: Record<string, string | string[]>;
  /** The caller updates it with every chunk of the body and sends its digest after the body. */
  tag: Hmac;
}

/** Signs a request from `sender` to `receiver`, which are node ids. `now` is epoch ms. */
export function sign(
  key: Buffer,
  { sender, receiver, now }: { sender: string; receiver: string; now: number },
  { method, path, headers: unsigned, hasBody }: UnsignedRequest,
): SignedRequest {
  const headers = { ...unsigned };
  if (hasBody) {
    if (headers['content-type'] !== undefined) headers[TYPE_HEADER] = headers['content-type'];
    headers['content-type'] = TAGGED_TYPE;
    const length = Number(headers['content-length']);
    if (Number.isSafeInteger(length)) headers['content-length'] = String(length + TAG_SIZE);
  }
  const names = Object.keys(headers).filter(mustBeSigned).sort();
  const sentAt = String(Math.floor(now / 1000));
  const nonce = randomBytes(16).toString('base64url');
  const signedHeaders = names.map((name) => [name, toText(headers[name])] as const);
  const mac = computeMac(key, { method, path, sender, receiver, sentAt, nonce, hasBody, headers: signedHeaders });
  headers[SIGNED_HEADER] = names.join(';');
  headers[PEER_HEADER] = [VERSION, sender, sentAt, nonce, hasBody ? 1 : 0, mac.toString('base64url')].join('.');
  return { headers, tag: createTag(key, mac) };
}

/** A received request. The verification restores its original headers and removes the tag from its body. */
export interface ReceivedRequest {
  headers: Headers;
  method?: string | undefined;
  url?: string | undefined;
  push(chunk: unknown, encoding?: BufferEncoding): boolean;
  destroy(error?: Error): unknown;
}

/**
 * - `signature`: the signature is malformed or wrong, or the request has a body that the signature does not announce.
 * - `clock`: the time of the signature differs too much from now.
 * - `replayed`: the signature was used before.
 * - `too many`: no further nonce can be remembered.
 */
export type SignatureRefusal = 'signature' | 'clock' | 'replayed' | 'too many';
/**
 * The id of the sending node, or the reason for a refusal. Null for a request without a signature of this version: its
 * sender is no node, or a node of another release.
 */
export type Verdict = { sender: string } | { refused: SignatureRefusal } | null;

export interface VerifierOptions {
  /** A signature with any of these keys is accepted. */
  keys: readonly Buffer[];
  /** Id of this node. */
  receiver: string;
  /** Epoch ms. */
  now(): number;
  /**
   * True for a header that nodes do not forward, for example `connection`. Such a header is not signed, and the
   * verification does not remove it.
   */
  isUnforwardedHeader(name: string): boolean;
  /** Maximum number of remembered nonces. */
  maxNonces?: number;
}

/** Creates a function that verifies requests. It accepts each signature once. */
export function createVerifier({
  keys,
  receiver,
  now,
  isUnforwardedHeader,
  maxNonces = MAX_NONCES,
}: VerifierOptions): (request: ReceivedRequest) => Verdict {
  /**
   * The used nonces, the oldest first. The value is the time (epoch seconds) at which the signature becomes too old.
   * Not an LRU cache, which would evict nonces before that time.
   */
  const nonces = new Map<string, number>();

  /**
   * Remembers the nonce of a request that was sent at `sentAt` (epoch seconds). Returns the reason for a refusal when
   * the nonce was used before or cannot be remembered, and undefined otherwise.
   */
  function registerNonce(nonce: string, sentAt: number): SignatureRefusal | undefined {
    const nowSeconds = now() / 1000;
    for (const [used, expiry] of nonces) {
      if (expiry >= nowSeconds) break;
      nonces.delete(used);
    }
    if (nonces.has(nonce)) return 'replayed';
    if (nonces.size >= maxNonces) return 'too many';
    nonces.set(nonce, sentAt + WINDOW_S);
    return undefined;
  }

  return (request) => {
    const { headers, method = '', url: path = '' } = request;
    const signature = headers[PEER_HEADER];
    const [version, sender = '', sentAt = '', nonce = '', bodyFlag, encodedMac = ''] = toText(signature).split('.', 6);
    if (version !== VERSION) return null;
    const names = toText(headers[SIGNED_HEADER]).split(';').filter(Boolean);
    const signedHeaders = names.map((name) => [name, toText(headers[name])] as const);
    const fields = { method, path, sender, receiver, sentAt, nonce, hasBody: bodyFlag === '1', headers: signedHeaders };
    const mac = Buffer.from(encodedMac, 'base64url');
    const key = keys.find((each) => isSame(mac, computeMac(each, fields)));
    if (!key || !/^\d{1,12}$/.test(sentAt) || (!fields.hasBody && sendsBody(headers))) return { refused: 'signature' };
    if (Math.abs(now() / 1000 - Number(sentAt)) > WINDOW_S) return { refused: 'clock' };
    const refused = registerNonce(nonce, Number(sentAt));
    if (refused) return { refused };
    restoreHeaders(headers, new Set(names), isUnforwardedHeader);
    if (fields.hasBody) verifyBodyTag(request, createTag(key, mac));
    return { sender };
  };
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);

const sendsBody = (headers: Headers) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Removes headers that must be signed and are not, and undoes the changes of `sign`. */
function restoreHeaders(
  headers: Headers,
  signed: ReadonlySet<string>,
  isUnforwardedHeader: (name: string) => boolean,
): void {
  const type = headers[TYPE_HEADER];
  for (const name of Object.keys(headers))
    if (mustBeSigned(name) && !signed.has(name) && !isUnforwardedHeader(name)) delete headers[name];
  delete headers[TYPE_HEADER];
  if (headers['content-type'] !== TAGGED_TYPE) return;
  if (type === undefined) delete headers['content-type'];
  else headers['content-type'] = type;
  const length = Number(headers['content-length']);
  if (Number.isSafeInteger(length)) headers['content-length'] = String(length - TAG_SIZE);
}

/**
 * Removes the tag from the end of the body and compares it with `tag`. When they differ, destroys the request, so that
 * no reader reaches the end of a changed body. Replaces `push` of the request, because some readers read the request
 * itself and not a stream that is derived from it.
 */
function verifyBodyTag(request: ReceivedRequest, tag: Hmac): void {
  const push = request.push.bind(request);
  /** The last TAG_SIZE bytes received so far. They are the tag if no more bytes follow. */
  let tail: Buffer = Buffer.alloc(0);
  request.push = (chunk, encoding) => {
    // Node.js sets this field when it discards the rest of an unread body.
    if (Reflect.get(request, '_dumped') === true) return push(chunk, encoding);
    if (chunk instanceof Uint8Array) {
      const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
      const body = bytes.subarray(0, Math.max(0, bytes.length - TAG_SIZE));
      tail = Buffer.from(bytes.subarray(body.length));
      if (body.length === 0) return true;
      tag.update(body);
      return push(body);
    }
    // The end of the body: `chunk` is null.
    if (isSame(tail, tag.digest())) return push(null);
    request.destroy(new Error('The body of a request from another node was changed or truncated in transit'));
    return false;
  };
}

/** Updates `tag` with each chunk of the body. Yields the chunks, and then the digest of `tag`. */
export async function* tagBody(body: AsyncIterable<Uint8Array>, tag: Hmac): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    tag.update(chunk);
    yield chunk;
  }
  yield tag.digest();
}
