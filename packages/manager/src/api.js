// The gateway as the page sees it: calls with the key, refusals in sentences, the stream of events.

/** The page lies one step below the gateway, wherever that is. */
const base = new URL('../', document.baseURI);
const STORED_AS = 'gateway.key';
/** ms before a broken stream is opened again. */
const AGAIN = 2000;

let key = sessionStorage.getItem(STORED_AS) ?? '';
let network = 'whatsapp';
let rights = { scopes: [], instance: null };

/** A call that the gateway refused, or that did not reach it (`status` 0). `message` is for people. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const hasKey = () => key !== '';
/** `whatsapp` or the name of a network that only pretends, known after the first call. */
export const networkName = () => network;

/** Whether the key is for `read`, `send` or `admin`, and whether for one instance only; known after `learnRights`. */
export const may = (scope) => rights.scopes.includes(scope);
export const isBound = () => rights.instance !== null;

/** Asks what the key is for. Throws a Refusal for one that counts nowhere. */
export async function learnRights(signal) {
  rights = await call('POST', 'verify-creds', {}, signal);
}

/** Keeps the key until the tab is closed; an empty one forgets it. */
export function useKey(next) {
  key = next;
  rights = { scopes: [], instance: null };
  if (next) sessionStorage.setItem(STORED_AS, next);
  else sessionStorage.removeItem(STORED_AS);
}

function sentenceOf(answer, status) {
  const said = [answer?.response?.message ?? answer?.error ?? `The gateway answered ${status}`].flat(3);
  return said.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('. ');
}

async function ask(path, init) {
  let response;
  try {
    response = await fetch(new URL(path, base), {
      ...init,
      headers: { ...init.headers, apikey: key },
      cache: 'no-store',
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Refusal(0, 'UNREACHABLE', 'The gateway does not answer');
  }
  network = response.headers.get('x-gateway-network') ?? 'whatsapp';
  if (response.ok) return response;
  const answer = await response.json().catch(() => undefined);
  throw new Refusal(response.status, answer?.code ?? '', sentenceOf(answer, response.status));
}

/** One call; `body` is an object (sent as JSON) or a FormData. Resolves with the answer's JSON, throws a Refusal. */
export async function call(method, path, body, signal) {
  const isForm = body instanceof FormData;
  const headers = body === undefined || isForm ? {} : { 'content-type': 'application/json' };
  const text = body === undefined || isForm ? body : JSON.stringify(body);
  const response = await ask(path, { method, headers, body: text, signal });
  return response.status === 204 ? undefined : response.json();
}

/** A path with values in it, each escaped: at`webhook/find/${name}`. */
export const at = (parts, ...values) => String.raw({ raw: parts }, ...values.map(encodeURIComponent));

/**
 * Events of an instance from now on, until `signal`: `onEvent(event)` for each, `onLive(isLive)` as the connection comes and goes. A
 * broken stream goes on where it ended. Resolves when the instance is gone or the key does not count for it.
 */
export async function follow(name, { signal, onEvent, onLive }) {
  let after = 'latest';
  while (!signal.aborted) {
    try {
      const path = `${at`events/${name}`}?after=${encodeURIComponent(after)}`;
      const response = await ask(path, { headers: { accept: 'text/event-stream' }, signal });
      onLive(true);
      await readStream(response.body, ({ id, data }) => {
        if (id) after = id;
        if (data) onEvent(JSON.parse(data));
      });
    } catch (error) {
      if (signal.aborted || [401, 403, 404].includes(error.status)) return;
      if (error.code === 'CURSOR_EXPIRED') after = 'latest';
    }
    onLive(false);
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

/** Takes server-sent events out of a stream of bytes. */
async function readStream(body, onMessage) {
  const decoder = new TextDecoder();
  let text = '';
  for (const reader = body.getReader(); ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop();
    for (const block of blocks) onMessage(fieldsOf(block));
  }
}

function fieldsOf(block) {
  const fields = {};
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name) fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
  }
  return fields;
}
