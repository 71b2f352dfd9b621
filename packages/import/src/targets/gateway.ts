// Sends sessions to a gateway: POST /instance/import creates an instance. The instance stays closed until a client
// calls GET /instance/connect/{instance}.
import { isObject } from '../../../../src/lib/json-object.ts';
import { trimEnd } from '../../../../src/lib/trim.ts';
import type { Dropped, SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import type { Target, TargetOptions, WriteReport } from '../session/target.ts';

/** How often a request is repeated when the gateway is busy. */
const MAX_RETRIES = 10;
/** The wait before a retry, in seconds, when the gateway names none. */
const DEFAULT_RETRY_S = 1;
const MAX_RETRY_S = 60;
/** Maximum time of one request. */
const TIMEOUT_MS = 300_000;
/** Matches an API key of visible ASCII characters, which the header of a request can contain. */
const VALID_KEY = /^[\x21-\x7e]+$/;
/** An error shows at most this many characters of an answer that is no JSON. */
const SHOWN_LENGTH = 200;
/** Statuses of a busy gateway. */
const BUSY = [429, 503];
const REFUSED = 'The gateway refuses the session';
/** The gateway's error text for an instance key that another instance has, and a hint for the operator. */
const KEY_TAKEN = 'Token already exists';
const KEY_TAKEN_HINT =
  'Another instance has this key. Write the session with --out, and send the file to POST /instance/import with another token.';
const NOT_FOUND = 404;

interface Answer {
  status: number;
  body: unknown;
}

type Request = (method: string, path: string, body?: unknown) => Promise<Answer>;

/**
 * Opens the gateway at the URL `location`. Rejects with an ArgumentError when the URL is no HTTP URL, when sessions
 * would cross the network without TLS and `allowHttp` is false, and when the key has characters that no header can
 * have. Rejects with an Error when the server does not answer, refuses the key or is no gateway.
 *
 * Bundles are sent unencrypted (D-177). The passphrase would be in the same request as the bundle, so encryption would
 * not protect the bundle from a reader of the connection. TLS protects the request. On loopback, the request does not
 * leave the machine.
 */
export async function openGateway({ location, key = '', allowHttp }: TargetOptions): Promise<Target> {
  const url = parseUrl(location, allowHttp);
  if (!VALID_KEY.test(key)) {
    throw new ArgumentError('The key of the gateway must be one line of visible ASCII characters.');
  }
  const request = createRequest(url, key);
  // `offset` is the size of a page. With `page`, the answer is an object instead of a list.
  const answer = await request('GET', '/instance/fetchInstances?page=1&offset=1');
  expectOk(answer, 'The gateway refuses the key');
  // Some servers answer every request with status 200 and an HTML page. Do not send a session to them.
  if (!isObject(answer.body) || !isObject(answer.body.instances)) {
    throw new Error(`${url} is no gateway: it has no list of instances.`);
  }
  return {
    title: `gateway ${url}`,
    nextStep: 'Written instances stay closed until GET /instance/connect/{instance}.',
    has: (session) => hasAccount(request, session),
    write: (bundle) => writeSession(request, bundle),
    // No connection stays open between requests.
    async close() {},
  };
}

function parseUrl(location: string, allowHttp: boolean): string {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new ArgumentError(`--to: ${location} is no HTTP URL.`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ArgumentError('--to: the URL must have no user, password, query or fragment. The key is in --key-file.');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowHttp) {
    throw new ArgumentError(
      `--to: sessions and the key would cross the network to ${url.host} without TLS. Use https, run this program on the machine of the gateway, or add --allow-http in a network that you trust.`,
    );
  }
  return trimEnd(url.href, '/');
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);

/** Returns a function that sends a request, and repeats it while the gateway is busy. */
function createRequest(baseUrl: string, key: string): Request {
  const send = async (method: string, path: string, body: string | undefined) => {
    const headers = { apikey: key, ...(body !== undefined && { 'content-type': 'application/json' }) };
    try {
      // A redirect could lead the key and the session to another server.
      const init = { method, headers, body, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
      const response = await fetch(`${baseUrl}${path}`, init);
      return { response, text: await response.text() };
    } catch (cause) {
      throw new Error(`The gateway ${baseUrl} does not answer: ${reasonOf(cause)}.`, { cause });
    }
  };
  return async (method, path, value) => {
    const body = value === undefined ? undefined : JSON.stringify(value);
    for (let retries = 0; ; retries += 1) {
      const { response, text } = await send(method, path, body);
      if (!BUSY.includes(response.status) || retries === MAX_RETRIES) {
        return { status: response.status, body: parseBody(text) };
      }
      await wait(retryDelaySeconds(response));
    }
  };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return 'unknown error';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** How long to wait before the next attempt, in seconds: the header Retry-After within limits. */
function retryDelaySeconds(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? DEFAULT_RETRY_S);
  return Math.min(Number.isFinite(seconds) && seconds >= 0 ? seconds : DEFAULT_RETRY_S, MAX_RETRY_S);
}

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, SHOWN_LENGTH);
  }
}

/** Throws unless the request succeeded. The text of the Error is `what` and the message of the gateway. */
function expectOk({ status, body }: Answer, what: string): void {
  if (status >= 200 && status < 300) return;
  throw new Error(`${what}: ${status} ${describeError(body)}`.trimEnd());
}

/**
 * The texts in the error body of the gateway: `{ response: { message } }` or `{ message }`. The message is a text, or a
 * list of texts, which can be nested.
 */
function describeError(body: unknown): string {
  if (!isObject(body)) return typeof body === 'string' ? body : '';
  const message = isObject(body.response) ? body.response.message : body.message;
  return [message]
    .flat(3)
    .filter((part) => typeof part === 'string')
    .join(' ');
}

/**
 * Whether the gateway has an instance with this name and account. If the name exists, rejects when the account of its
 * instance is another one or unknown, and when `account` is null.
 */
async function hasAccount(
  request: Request,
  { name, account }: { name: string; account: string | null },
): Promise<boolean> {
  const answer = await request('GET', `/instance/fetchInstances?instanceName=${encodeURIComponent(name)}`);
  if (answer.status === NOT_FOUND) return false;
  expectOk(answer, `The gateway does not say whether it has an instance ${name}`);
  const record = Array.isArray(answer.body) ? answer.body.find(isObject) : undefined;
  if (!record) return false;
  if (typeof record.ownerJid === 'string' && account !== null && userOf(record.ownerJid) === userOf(account))
    return true;
  throw new Error(
    'The gateway has an instance with this name, without this account. Use --name, or delete that instance: when it is ' +
      'connected, this unlinks its account.',
  );
}

/** The phone number in a JID: the text before the device or the server. */
const userOf = (jid: string): string => jid.split(/[:@]/, 1)[0] ?? '';

async function writeSession(request: Request, bundle: SessionBundle): Promise<WriteReport> {
  const answer = await request('POST', '/instance/import', { bundle, allowUnencrypted: true });
  if (describeError(answer.body) === KEY_TAKEN) throw new Error(`${REFUSED}: ${KEY_TAKEN}. ${KEY_TAKEN_HINT}`);
  expectOk(answer, REFUSED);
  const { body } = answer;
  if (!isObject(body) || !isObject(body.instance)) {
    throw new Error('The gateway does not confirm the import. Check whether it has the instance.');
  }
  return {
    location: `instance ${bundle.instance.name}`,
    written: readCounts(body.taken),
    dropped: readList(body.dropped, isDropped),
    warnings: readList(body.warnings, (one) => typeof one === 'string'),
  };
}

const readCounts = (value: unknown): Record<string, number> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
      )
    : {};

const readList = <T>(value: unknown, isItem: (one: unknown) => one is T): T[] =>
  Array.isArray(value) ? value.filter(isItem) : [];

const isDropped = (value: unknown): value is Dropped =>
  isObject(value) &&
  typeof value.type === 'string' &&
  typeof value.count === 'number' &&
  typeof value.reason === 'string';
