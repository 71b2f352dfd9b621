// The address of a webhook for keys that may know where it leads, not what opens it.

const MASK = '***';

/**
 * Returns scheme, host and port of `url`, with `***` in place of each other part that is there: user and password,
 * path, query and fragment. Paths are among them because receivers such as Slack, Discord or n8n take whoever knows the
 * path. A text that is no URL is masked whole.
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
