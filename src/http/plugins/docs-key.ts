// Plugins of Swagger UI that keep the key entered at /docs for the tab across reloads, like the manager page. They run in the browser:
// Swagger UI copies the text of the functions into its page, so they may use browser globals only.

declare const SwaggerUIBundle: { plugins: { DownloadUrl(reader: unknown): object } };

interface Reader {
  authSelectors: { authorized(): { toJS(): unknown } };
  authActions: { restoreAuthorization(kept: { authorized: unknown }): void };
}

/** The plugin that downloads the contract. Swagger UI includes it by default only when no other plugins are set. */
export const fetchContract = (reader: unknown): object => SwaggerUIBundle.plugins.DownloadUrl(reader);

/** The plugin that stores the key in the tab's session storage. Swagger UI itself would store it permanently for all tabs. */
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
