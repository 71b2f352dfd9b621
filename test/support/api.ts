// A plain HTTP client for tests. It reads every answer as JSON, as clients of the interface do, and checks it against
// the contract.
import { answerViolations } from './conforms.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface Api {
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  readonly url: string;
  readonly key: string;
}

/**
 * Returns a client that calls `url` with `key` in the header apikey, unless `headers` overrides it. The client throws
 * for an answer that violates the contract.
 */
export function createApi(url: string, key: string, check = expectAnswerConforms): Api {
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { apikey: key, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    check(method, path, answer);
    return answer;
  };
  return Object.assign(call, { url, key });
}

/** Returns a client for the controls of the sandbox, which need no key and have no contract. */
export const createControls = (url: string): Api => createApi(url, '', () => undefined);

/** Throws for an answer that violates the contract. */
export function expectAnswerConforms(method: string, path: string, { status, body }: Answer): void {
  const wrong = answerViolations(method, path, status, body);
  if (wrong) throw new Error(wrong);
}

/** The value at a dotted path (`response.message.0`) of the body of an answer. Throws when there is none. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null || !(part in found)) {
      throw new Error(`no ${path} in ${JSON.stringify(value)}`);
    }
    found = Reflect.get(found, part);
  }
  return found;
}

/** The text at a dotted path of the body of an answer. Throws when there is none. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path);
  if (typeof found !== 'string') throw new Error(`${path} is not text in ${JSON.stringify(value)}`);
  return found;
}
