// Code that the client programs share: HTTP calls that throw at the first deviation, and phones of the sandbox.
import { deviation, isObject, object, type Shape } from './shape.ts';

/** The text at a dotted path of a body. Throws when there is none. */
export function textAt(body: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), body);
  if (typeof value === 'string') return value;
  throw new Error(`no text at ${path} of ${JSON.stringify(body).slice(0, 500)}`);
}

/** Makes calls with one key and counts them. Every answer is read as JSON. */
export class Caller {
  readonly #baseUrl: string;
  readonly #key: string;
  calls = 0;

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** Calls GET and expects the status 200. */
  get(path: string, shape: Shape): Promise<unknown> {
    return this.call('GET', path, undefined, 200, shape);
  }

  /**
   * Sends a form unchanged and every other body as JSON. Resolves with the body of the answer. Throws when its status
   * or a field is not as expected.
   */
  async call(method: string, path: string, body: unknown, status: number, shape: Shape): Promise<unknown> {
    this.calls++;
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { apikey: this.#key, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm || body === undefined ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const fail = (sentence: string) =>
      new Error(
        `${method} ${path}\n  sent ${JSON.stringify(body)?.slice(0, 500)}\n  ${sentence}\n  body ${text.slice(0, 2000)}`,
      );
    if (response.status !== status) throw fail(`expected status ${status}, found ${response.status}`);
    const answer: unknown = (() => {
      try {
        return JSON.parse(text);
      } catch {
        throw fail('the answer is not JSON');
      }
    })();
    const difference = deviation(answer, shape);
    if (difference) throw fail(difference);
    return answer;
  }
}

/** A phone of the sandbox, which the controls of the sandbox operate. */
export class Phone {
  readonly number: string;
  readonly jid: string;
  readonly #controls: Caller;

  constructor(controlUrl: string, number: string) {
    this.#controls = new Caller(controlUrl, '');
    this.number = number;
    this.jid = `${number}@s.whatsapp.net`;
  }

  /** Performs an action on the phone. Resolves with the answer of the controls. */
  perform(action: string, body: unknown, status = 200): Promise<unknown> {
    return this.#controls.call('POST', `/phones/${this.number}/${action}`, body, status, object);
  }

  /** Resolves with the state of the phone at `path` ('' for its account). Throws when it does not have the shape. */
  check(path: string, shape: Shape): Promise<unknown> {
    return this.#controls.get(`/phones/${this.number}${path && `/${path}`}`, shape);
  }
}
