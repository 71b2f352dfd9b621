// Uploads bytes to WhatsApp's media hosts with HTTPS.
import { type Agent, request } from 'node:https';
import { DEFAULT_ORIGIN } from '../baileys/media-transfer.ts';

/** Media hosts of WhatsApp, and the token for uploads to them. */
export interface UploadHosts {
  hosts: { hostname: string }[];
  auth: string;
}

export interface UploadDeps {
  /** Returns the hosts, from the cache if possible. `forced` bypasses the cache. */
  fetchHosts: (forced: boolean) => Promise<UploadHosts>;
  /** Makes the connections to the hosts, for example through a proxy. Undefined for Node's default agent. */
  agent: Agent | undefined;
  /** Maximum time without progress of an upload to one host, ms. */
  timeout: number;
}

/** Maximum length of a media host's answer, which contains paths and a hash. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** A media host answered and did not store the file. */
class RefusedError extends Error {}

/**
 * Uploads `bytes` to the first host that stores them, and returns what `parse` reads from the answer of this host. When
 * no upload succeeds but at least one host has answered, fetches the hosts and the token again and retries once. `path`
 * begins with a slash; `query` has the parameters besides the token for uploads. Rejects with the error of
 * `fetchHosts`, or with the error of the last upload.
 */
export async function uploadToHosts<T>(
  bytes: Uint8Array,
  { path, query, parse }: { path: string; query: Record<string, string>; parse: (answer: string) => T },
  { fetchHosts, agent, timeout }: UploadDeps,
): Promise<T> {
  let lastError: unknown = new Error('there is no media host');
  let hasAnswered = false;
  for (const forced of [false, true]) {
    if (forced && !hasAnswered) break;
    const { hosts, auth } = await fetchHosts(forced);
    for (const { hostname } of hosts) {
      const parameters = new URLSearchParams({ auth, ...query });
      try {
        const answer = await post(`https://${hostname}${path}?${parameters}`, bytes, { agent, timeout });
        hasAnswered = true;
        return parse(answer);
      } catch (error) {
        hasAnswered ||= error instanceof RefusedError;
        lastError = error;
      }
    }
  }
  throw lastError;
}

/**
 * Sends the bytes and returns the body of the answer. A host can close a kept-alive connection just when Node sends the
 * next request on it (https://nodejs.org/api/http.html#requestreusedsocket); that request is then sent again. Rejects
 * when the status of the answer is not 200, and when the answer is longer than MAX_ANSWER_BYTES.
 */
function post(url: string, bytes: Uint8Array, deps: Pick<UploadDeps, 'agent' | 'timeout'>): Promise<string> {
  const { agent, timeout } = deps;
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
    origin: DEFAULT_ORIGIN,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers, agent, timeout }, (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on('data', (part: Buffer) => {
        size += part.length;
        if (size > MAX_ANSWER_BYTES) answer.destroy(new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`));
        else parts.push(part);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(Buffer.concat(parts).toString());
        else reject(new RefusedError(`the media host answered ${answer.statusCode}`));
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`the upload made no progress for ${timeout} ms`)));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(post(url, bytes, deps));
      else reject(error);
    });
    outgoing.end(bytes);
  });
}
