// Keeps the key that somebody enters at /docs for the tab, across reloads, as the page at /manager does. It runs in the browser: the
// reader of the contract writes its text into its own script, so nothing outside the function can be used but what browsers have.

declare const SwaggerUIBundle: { plugins: { DownloadUrl(reader: unknown): object } };

interface Reader {
  authSelectors: { authorized(): { toJS(): unknown } };
  authActions: { restoreAuthorization(kept: { authorized: unknown }): void };
}

/** The plugin that fetches the contract, which the reader has by itself only as long as it is given no others. */
export const fetchContract = (reader: unknown): object => SwaggerUIBundle.plugins.DownloadUrl(reader);

/** The plugin that keeps the key. The reader's own way to keep keys is for good, and for every tab. */
export function storeKey(): object {
  const name = 'docs.authorized';
  const keep =
    (_: unknown, { authSelectors }: Reader) =>
    () =>
      sessionStorage.setItem(name, JSON.stringify(authSelectors.authorized().toJS()));
  const restore =
    (loaded: (action: unknown) => unknown, { authActions }: Reader) =>
    (action: unknown) => {
      const done = loaded(action);
      const kept = sessionStorage.getItem(name);
      if (kept) authActions.restoreAuthorization({ authorized: JSON.parse(kept) });
      return done;
    };
  const wrapped = {
    auth: { wrapActions: { persistAuthorizationIfNeeded: keep } },
    configs: { wrapActions: { loaded: restore } },
  };
  return { statePlugins: wrapped };
}
