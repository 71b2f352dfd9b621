// How nodes sign their requests to each other. A proof covers method, path, headers, both nodes, time and a nonce; a body is followed by a
// tag over all of it, so that it is authenticated while it streams. Knows nothing of connections.
import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The proof: `v2.<sender>.<epoch seconds>.<nonce>.<1 with a body, otherwise 0>.<HMAC>` */
export const PEER_HEADER = 'x-gateway-peer';
/** Names of the headers that the proof covers, separated by `;`. */
const SIGNED_HEADER = 'x-gateway-signed';
/** The type of a body with a tag. A node of a release without tags refuses it with 415 instead of reading it. */
const TAGGED_TYPE = 'application/vnd.gateway.tagged';
/** The type that the body has without its tag. */
const TYPE_HEADER = 'x-gateway-content-type';
const VERSION = 'v2';
const TAG_SIZE = 32;
/** Seconds by which the clocks of two nodes may differ, the way included. Both follow the clock of the database. */
const WINDOW = 60;
/** Nonces that are remembered, more than any node gets requests in two windows; further ones are refused. */
const MAX_NONCES = 200_000;

type HeaderValue = string | string[] | undefined;
type Headers = Record<string, HeaderValue>;

/** What a proof covers, apart from the body. */
interface Head {
  method: string;
  /** With its query. */
  path: string;
  sender: string;
  receiver: string;
  /** Epoch seconds. */
  at: string;
  nonce: string;
  hasBody: boolean;
  headers: readonly (readonly [name: string, value: string])[];
}

const textOf = (value: HeaderValue): string => (Array.isArray(value) ? value.join(', ') : (value ?? ''));

/** Length goes with the tag, which covers every byte. */
const isCovered = (name: string) => name !== 'content-length';

function macOf(key: Buffer, { method, path, sender, receiver, at, nonce, hasBody, headers }: Head): Buffer {
  const parts = [VERSION, method, path, sender, receiver, at, nonce, hasBody, headers];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}

/** Of the body, bound to this very request. */
const tagOf = (key: Buffer, proof: Buffer): Hmac => createHmac('sha256', key).update('body').update(proof);

export interface Unsigned {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  hasBody: boolean;
}

export interface Signed {
  headers: Record<string, string | string[]>;
  /** Takes the body as it is sent; its digest is to follow it. */
  tag: Hmac;
}

/** The headers with which `sender` sends the request to `receiver`; `now` in epoch ms. */
export function sign(
  key: Buffer,
  { sender, receiver, now }: { sender: string; receiver: string; now: number },
  { method, path, headers: given, hasBody }: Unsigned,
): Signed {
  const headers = { ...given };
  if (hasBody) {
    if (headers['content-type'] !== undefined) headers[TYPE_HEADER] = headers['content-type'];
    headers['content-type'] = TAGGED_TYPE;
    const length = Number(headers['content-length']);
    if (Number.isSafeInteger(length)) headers['content-length'] = String(length + TAG_SIZE);
  }
  const names = Object.keys(headers).filter(isCovered).sort();
  const at = String(Math.floor(now / 1000));
  const nonce = randomBytes(16).toString('base64url');
  const covered = names.map((name) => [name, textOf(headers[name])] as const);
  const mac = macOf(key, { method, path, sender, receiver, at, nonce, hasBody, headers: covered });
  headers[SIGNED_HEADER] = names.join(';');
  headers[PEER_HEADER] = [VERSION, sender, at, nonce, hasBody ? 1 : 0, mac.toString('base64url')].join('.');
  return { headers, tag: tagOf(key, mac) };
}

/** A request as it came in. Verification changes it into what the sender was given. */
export interface Received {
  headers: Headers;
  method?: string | undefined;
  url?: string | undefined;
  push(chunk: unknown, encoding?: BufferEncoding): boolean;
  destroy(error?: Error): unknown;
}

export type Refusal = 'signature' | 'clock' | 'replayed' | 'too many';
/** Who sent it, or why it is refused; null for a request that no node sent, or one of a release with other signatures. */
export type Verdict = { sender: string } | { refused: Refusal } | null;

export interface VerifierOptions {
  /** All of them verify. */
  keys: readonly Buffer[];
  /** This node's id. */
  receiver: string;
  /** Epoch ms. */
  now(): number;
  /** Headers of one connection, which cannot be covered. */
  isOfConnection(name: string): boolean;
}

/** Verifies requests, each once. */
export function createVerifier({
  keys,
  receiver,
  now,
  isOfConnection,
}: VerifierOptions): (request: Received) => Verdict {
  /** Nonce → epoch seconds after which its proof is too old anyway, the oldest first. */
  const nonces = new Map<string, number>();

  function isNew(nonce: string, at: number): boolean {
    const seconds = now() / 1000;
    for (const [known, until] of nonces) {
      if (until >= seconds) break;
      nonces.delete(known);
    }
    if (nonces.has(nonce)) return false;
    nonces.set(nonce, at + WINDOW);
    return true;
  }

  return (request) => {
    const { headers, method = '', url: path = '' } = request;
    const proof = headers[PEER_HEADER];
    const [version, sender = '', at = '', nonce = '', body, given = ''] = textOf(proof).split('.', 6);
    if (version !== VERSION) return null;
    const names = textOf(headers[SIGNED_HEADER]).split(';').filter(Boolean);
    const covered = names.map((name) => [name, textOf(headers[name])] as const);
    const head = { method, path, sender, receiver, at, nonce, hasBody: body === '1', headers: covered };
    const mac = Buffer.from(given, 'base64url');
    const key = keys.find((each) => isSame(mac, macOf(each, head)));
    if (!key || !/^\d{1,12}$/.test(at) || (!head.hasBody && carriesBody(headers))) return { refused: 'signature' };
    if (Math.abs(now() / 1000 - Number(at)) > WINDOW) return { refused: 'clock' };
    if (nonces.size >= MAX_NONCES && !nonces.has(nonce)) return { refused: 'too many' };
    if (!isNew(nonce, Number(at))) return { refused: 'replayed' };
    restore(headers, new Set(names), isOfConnection);
    if (head.hasBody) checkBody(request, tagOf(key, mac));
    return { sender };
  };
}

const isSame = (given: Buffer, right: Buffer) => given.length === right.length && timingSafeEqual(given, right);

const carriesBody = (headers: Headers) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Removes what the proof does not cover, and undoes what `sign` changed. */
function restore(headers: Headers, covered: ReadonlySet<string>, isOfConnection: (name: string) => boolean): void {
  const type = headers[TYPE_HEADER];
  for (const name of Object.keys(headers))
    if (isCovered(name) && !covered.has(name) && !isOfConnection(name)) delete headers[name];
  delete headers[TYPE_HEADER];
  if (headers['content-type'] !== TAGGED_TYPE) return;
  if (type === undefined) delete headers['content-type'];
  else headers['content-type'] = type;
  const length = Number(headers['content-length']);
  if (Number.isSafeInteger(length)) headers['content-length'] = String(length - TAG_SIZE);
}

/**
 * Takes the tag off the body, and breaks the request off when it is wrong: no reader meets the end of a body that was changed. At the source
 * of the stream, because some readers take the request itself.
 */
function checkBody(request: Received, tag: Hmac): void {
  const push = request.push.bind(request);
  /** The last bytes, which may be the tag. */
  let held: Buffer = Buffer.alloc(0);
  request.push = (chunk, encoding) => {
    // Node throws the rest of a body away that nobody reads, and says so with this field.
    if (Reflect.get(request, '_dumped') === true) return push(chunk, encoding);
    if (chunk instanceof Uint8Array) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const body = bytes.subarray(0, Math.max(0, bytes.length - TAG_SIZE));
      held = Buffer.from(bytes.subarray(body.length));
      if (body.length === 0) return true;
      tag.update(body);
      return push(body);
    }
    if (isSame(held, tag.digest())) return push(null);
    request.destroy(new Error('The body of a request of another node was changed or cut off on its way'));
    return false;
  };
}

/** The body, followed by its tag. */
export async function* tagBody(body: AsyncIterable<Uint8Array>, tag: Hmac): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    tag.update(chunk);
    yield chunk;
  }
  yield tag.digest();
}
