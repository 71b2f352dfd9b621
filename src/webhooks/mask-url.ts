// Masks the secret parts of a webhook's URL, for API keys that are allowed to see the host only. Decision D-155.

const MASK = '***';

/**
 * Returns scheme, host and port of `url`. Credentials, path, query and fragment, if any, are replaced by `***`. The
 * path is masked because receivers such as Slack, Discord or n8n accept any request to a secret path. A text that is
 * not a URL is masked completely.
 */
export function maskUrl(url: string): string {
  if (url === '') return '';
  const parsed = URL.parse(url);
  if (parsed === null || parsed.host === '') return MASK;
  const { protocol, username, password, host, pathname, search, hash } = parsed;
  const user = username === '' && password === '' ? '' : `${MASK}@`;
  const path = pathname === '/' ? pathname : `/${MASK}`;
  return `${protocol}//${user}${host}${path}${search && `?${MASK}`}${hash && `#${MASK}`}`;
}
