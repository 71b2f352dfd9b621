// What the client programs share: calls that throw at the first deviation, and people with phones.
import { deviation, isObject, object, type Shape } from './shape.ts';

/** The text at a dotted path of a body. Throws when there is none. */
export function textAt(body: unknown, path: string): string {
  const found = path.split('.').reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), body);
  if (typeof found === 'string') return found;
  throw new Error(`no text at ${path} of ${JSON.stringify(body).slice(0, 500)}`);
}

/** Calls with one key; counts them. Every answer is read as JSON, for all verbs. */
export class Caller {
  readonly #baseUrl: string;
  readonly #key: string;
  calls = 0;

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** Reads; expects 200. */
  get(path: string, shape: Shape): Promise<unknown> {
    return this.call('GET', path, undefined, 200, shape);
  }

  /**
   * Sends a form as it is and everything else as JSON. Resolves with the body; throws a sentence when the status or a field of it is
   * not as expected.
   */
  async call(verb: string, path: string, body: unknown, status: number, shape: Shape): Promise<unknown> {
    this.calls++;
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method: verb,
      headers: { apikey: this.#key, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm || body === undefined ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const fail = (sentence: string) =>
      new Error(
        `${verb} ${path}\n  sent ${JSON.stringify(body)?.slice(0, 500)}\n  ${sentence}\n  body ${text.slice(0, 2000)}`,
      );
    if (response.status !== status) throw fail(`expected status ${status}, found ${response.status}`);
    const answer: unknown = (() => {
      try {
        return JSON.parse(text);
      } catch {
        throw fail('the answer is not JSON');
      }
    })();
    const found = deviation(answer, shape);
    if (found) throw fail(found);
    return answer;
  }
}

/** A person with a phone, played by the sandbox's controls. */
export class Phone {
  readonly number: string;
  readonly jid: string;
  readonly #controls: Caller;

  constructor(controlUrl: string, number: string) {
    this.#controls = new Caller(controlUrl, '');
    this.number = number;
    this.jid = `${number}@s.whatsapp.net`;
  }

  /** Does something on the phone; resolves with what the controls answer. */
  do(action: string, body: unknown, status = 200): Promise<unknown> {
    return this.#controls.call('POST', `/phones/${this.number}/${action}`, body, status, object);
  }

  /** What the phone shows under `path` ('' for its owner). Throws when it has not the shape. */
  shows(path: string, shape: Shape): Promise<unknown> {
    return this.#controls.get(`/phones/${this.number}${path && `/${path}`}`, shape);
  }
}
