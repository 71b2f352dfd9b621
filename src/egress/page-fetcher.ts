// What the gateway reads of the web on its own account: pages for link previews, and the text that says which version is current.
import type { Egress } from './http-client.ts';

const VERSION_PAGE_LIMIT = 4 * 1024 * 1024;
const VERSION_TIMEOUT = 15_000;

export interface Page {
  status: number;
  /** As the server called it. */
  type: string;
  body: Buffer;
  oversize: boolean;
}

/** A text that is there. Throws for every other answer. */
export async function fetchText(egress: Egress, url: string, headers: Record<string, string>): Promise<string> {
  const { status, body, oversize } = await egress.request('public', {
    method: 'GET',
    url,
    headers,
    timeout: VERSION_TIMEOUT,
    maxBytes: VERSION_PAGE_LIMIT,
  });
  if (status !== 200 || oversize) throw new Error(`${url} answered ${status}`);
  return body.toString();
}

/** A page or picture for a link preview, as a browser would ask for it. */
export async function fetchPage(
  egress: Egress,
  url: string,
  limits: { timeout: number; maxBytes: number },
): Promise<Page> {
  const { status, headers, body, oversize } = await egress.request('public', {
    method: 'GET',
    url,
    headers: {
      accept: 'text/html,image/*;q=0.9,*/*;q=0.5',
      'user-agent': 'Mozilla/5.0 (compatible; messaging-gateway)',
    },
    ...limits,
  });
  const type = headers['content-type'];
  return { status, type: String(type ?? ''), body, oversize };
}
