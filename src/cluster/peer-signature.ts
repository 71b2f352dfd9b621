// Signs and verifies requests between nodes (D-158). A signature covers method, path, headers, both nodes, time and a
// nonce. A tag over the whole body follows it, so that the body is authenticated while it streams.
import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The signature: `v2.<sender>.<epoch seconds>.<nonce>.<1 with a body, otherwise 0>.<HMAC>` */
export const PEER_HEADER = 'x-gateway-peer';
/** Names of the signed headers, separated by `;`. */
const SIGNED_HEADER = 'x-gateway-signed';
/** Content type of a body with a tag. A node of a release without tags refuses it with 415 instead of reading it. */
const TAGGED_TYPE = 'application/vnd.gateway.tagged';
/** Content type of the body without its tag. */
const TYPE_HEADER = 'x-gateway-content-type';
const VERSION = 'v2';
const TAG_SIZE = 32;
/** Maximum age of a signature in seconds, in both directions. All nodes use the clock of the database. */
const WINDOW_S = 60;
/** Maximum number of remembered nonces, more than a node gets requests in two windows. Further requests are refused. */
const MAX_NONCES = 200_000;

type HeaderValue = string | string[] | undefined;
type Headers = Record<string, HeaderValue>;

/** What a signature covers, apart from the body. */
interface SignedFields {
  method: string;
  /** With the query. */
  path: string;
  sender: string;
  receiver: string;
  /** Epoch seconds. */
  at: string;
  nonce: string;
  hasBody: boolean;
  headers: readonly (readonly [name: string, value: string])[];
}

const toText = (value: HeaderValue): string => (Array.isArray(value) ? value.join(', ') : (value ?? ''));

/** The length is not signed: the tag covers every byte of the body. */
const isSignedHeader = (name: string) => name !== 'content-length';

function computeMac(
  key: Buffer,
  { method, path, sender, receiver, at, nonce, hasBody, headers }: SignedFields,
): Buffer {
  const parts = [VERSION, method, path, sender, receiver, at, nonce, hasBody, headers];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}

/** Creates the tag of the body, bound to this request. */
const createTag = (key: Buffer, mac: Buffer): Hmac => createHmac('sha256', key).update('body').update(mac);

export interface UnsignedRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  hasBody: boolean;
}

export interface SignedRequest {
  headers: Record<string, string | string[]>;
  /** Receives the body while it is sent. Its digest must follow the body. */
  tag: Hmac;
}

/** Signs a request from `sender` to `receiver`. `now` is epoch ms. */
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
  const names = Object.keys(headers).filter(isSignedHeader).sort();
  const at = String(Math.floor(now / 1000));
  const nonce = randomBytes(16).toString('base64url');
  const covered = names.map((name) => [name, toText(headers[name])] as const);
  const mac = computeMac(key, { method, path, sender, receiver, at, nonce, hasBody, headers: covered });
  headers[SIGNED_HEADER] = names.join(';');
  headers[PEER_HEADER] = [VERSION, sender, at, nonce, hasBody ? 1 : 0, mac.toString('base64url')].join('.');
  return { headers, tag: createTag(key, mac) };
}

/** A received request. Verification restores the request that the sender signed. */
export interface ReceivedRequest {
  headers: Headers;
  method?: string | undefined;
  url?: string | undefined;
  push(chunk: unknown, encoding?: BufferEncoding): boolean;
  destroy(error?: Error): unknown;
}

export type Refusal = 'signature' | 'clock' | 'replayed' | 'too many';
/**
 * The sender, or the reason for a refusal. Null for a request that no node sent, or a node of a release with other
 * signatures.
 */
export type Verdict = { sender: string } | { refused: Refusal } | null;

export interface VerifierOptions {
  /** All of them are accepted. */
  keys: readonly Buffer[];
  /** Id of this node. */
  receiver: string;
  /** Epoch ms. */
  now(): number;
  /** Whether the header belongs to one connection and cannot be signed. */
  isConnectionHeader(name: string): boolean;
}

/** Creates the verification. Each signature is accepted once. */
export function createVerifier({
  keys,
  receiver,
  now,
  isConnectionHeader: isOfConnection,
}: VerifierOptions): (request: ReceivedRequest) => Verdict {
  /**
   * Nonce → epoch seconds after which its signature is too old anyway, the oldest first. Not an LRU cache: a nonce must
   * not be evicted early.
   */
  const nonces = new Map<string, number>();

  function isNew(nonce: string, at: number): boolean {
    const seconds = now() / 1000;
    for (const [used, until] of nonces) {
      if (until >= seconds) break;
      nonces.delete(used);
    }
    if (nonces.has(nonce)) return false;
    nonces.set(nonce, at + WINDOW_S);
    return true;
  }

  return (request) => {
    const { headers, method = '', url: path = '' } = request;
    const signature = headers[PEER_HEADER];
    const [version, sender = '', at = '', nonce = '', body, encodedMac = ''] = toText(signature).split('.', 6);
    if (version !== VERSION) return null;
    const names = toText(headers[SIGNED_HEADER]).split(';').filter(Boolean);
    const covered = names.map((name) => [name, toText(headers[name])] as const);
    const head = { method, path, sender, receiver, at, nonce, hasBody: body === '1', headers: covered };
    const mac = Buffer.from(encodedMac, 'base64url');
    const key = keys.find((each) => isSame(mac, computeMac(each, head)));
    if (!key || !/^\d{1,12}$/.test(at) || (!head.hasBody && hasBody(headers))) return { refused: 'signature' };
    if (Math.abs(now() / 1000 - Number(at)) > WINDOW_S) return { refused: 'clock' };
    if (nonces.size >= MAX_NONCES && !nonces.has(nonce)) return { refused: 'too many' };
    if (!isNew(nonce, Number(at))) return { refused: 'replayed' };
    restoreHeaders(headers, new Set(names), isOfConnection);
    if (head.hasBody) verifyBody(request, createTag(key, mac));
    return { sender };
  };
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);

const hasBody = (headers: Headers) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Removes unsigned headers and undoes the changes of `sign`. */
function restoreHeaders(
  headers: Headers,
  covered: ReadonlySet<string>,
  isOfConnection: (name: string) => boolean,
): void {
  const type = headers[TYPE_HEADER];
  for (const name of Object.keys(headers))
    if (isSignedHeader(name) && !covered.has(name) && !isOfConnection(name)) delete headers[name];
  delete headers[TYPE_HEADER];
  if (headers['content-type'] !== TAGGED_TYPE) return;
  if (type === undefined) delete headers['content-type'];
  else headers['content-type'] = type;
  const length = Number(headers['content-length']);
  if (Number.isSafeInteger(length)) headers['content-length'] = String(length - TAG_SIZE);
}

/**
 * Removes the tag from the body and verifies it. A wrong tag destroys the request, so that no reader reaches the end of
 * a changed body. It replaces `push` of the stream, because some readers use the request object directly.
 */
function verifyBody(request: ReceivedRequest, tag: Hmac): void {
  const push = request.push.bind(request);
  /** The last bytes so far, which may be the tag. */
  let tail: Buffer = Buffer.alloc(0);
  request.push = (chunk, encoding) => {
    // Node sets this field when it discards the rest of an unread body.
    if (Reflect.get(request, '_dumped') === true) return push(chunk, encoding);
    if (chunk instanceof Uint8Array) {
      const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
      const body = bytes.subarray(0, Math.max(0, bytes.length - TAG_SIZE));
      tail = Buffer.from(bytes.subarray(body.length));
      if (body.length === 0) return true;
      tag.update(body);
      return push(body);
    }
    if (isSame(tail, tag.digest())) return push(null);
    request.destroy(new Error('The body of a request from another node was changed or truncated in transit'));
    return false;
  };
}

/** Yields the body, then its tag. */
export async function* tagBody(body: AsyncIterable<Uint8Array>, tag: Hmac): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    tag.update(chunk);
    yield chunk;
  }
  yield tag.digest();
}
