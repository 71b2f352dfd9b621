// Fetches web content from public addresses (the egress policy `public`): pages and pictures for link previews, files
// that requests name by URL, and the file that contains the current WhatsApp Web version.
import type { Egress, EgressResponse } from './http-client.ts';

const TEXT_MAX_BYTES = 4 * 1024 * 1024;
const TEXT_TIMEOUT_MS = 15_000;

/** The user-agent header. Many sites answer 403 to requests without one. */
const USER_AGENT = 'Mozilla/5.0 (compatible; messaging-gateway)';

export interface Page {
  status: number;
  /** The content-type header; empty when there is none. */
  type: string;
  body: Buffer;
  /** Whether the page was larger than `maxBytes`. `body` is then a placeholder and not the page. */
  isOversize: boolean;
  /** The URL that returned the page after redirects. Absent when no redirect was followed. */
  redirectedTo?: string;
}

/**
 * Fetches the text at `url`. Rejects for a status other than 200, for more than 4 MiB, and when Egress.request rejects.
 */
export async function fetchText(egress: Egress, url: string, headers: Record<string, string>): Promise<string> {
  const { status, body, isOversize } = await egress.request('public', {
    method: 'GET',
    url,
    headers,
    timeout: TEXT_TIMEOUT_MS,
    maxBytes: TEXT_MAX_BYTES,
  });
  if (status !== 200) throw new Error(`${url} returned status ${status}.`);
  if (isOversize) throw new Error(`${url} returned more than ${TEXT_MAX_BYTES} bytes.`);
  return body.toString();
}

/** Fetches a page or picture for a link preview with the headers of a browser. `timeout` is in ms. */
export async function fetchPage(
  egress: Egress,
  url: string,
  limits: { timeout: number; maxBytes: number },
): Promise<Page> {
  const { status, headers, body, isOversize, redirectedTo } = await egress.request('public', {
    method: 'GET',
    url,
    headers: {
      accept: 'text/html,image/*;q=0.9,*/*;q=0.5',
      'user-agent': USER_AGENT,
    },
    ...limits,
  });
  const type = headers['content-type'];
  return { status, type: String(type ?? ''), body, isOversize, ...(redirectedTo ? { redirectedTo } : {}) };
}

/** Fetches a file to send. `timeout` is in ms. Rejects when Egress.request rejects. */
export const fetchFile = (
  egress: Egress,
  url: string,
  limits: { timeout: number; maxBytes: number },
): Promise<EgressResponse> =>
  egress.request('public', { method: 'GET', url, headers: { accept: '*/*', 'user-agent': USER_AGENT }, ...limits });
