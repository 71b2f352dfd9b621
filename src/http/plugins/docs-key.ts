// Plugins for Swagger UI that keep the key entered at /docs when the browser tab is reloaded. They run in the browser:
// Swagger UI copies the source text of the functions into its page, so they can only use browser globals. Decision
// D-142.

declare const SwaggerUIBundle: { plugins: { DownloadUrl(system: unknown): object } };

/** The part of Swagger UI's plugin system that the plugins use. */
interface SwaggerSystem {
  authSelectors: { authorized(): { toJS(): unknown } };
  authActions: { restoreAuthorization(stored: { authorized: unknown }): void };
}

/**
 * The plugin that downloads the contract. Swagger UI only includes it by default when no other plugins are configured.
 */
export const fetchContract = (system: unknown): object => SwaggerUIBundle.plugins.DownloadUrl(system);

/**
 * The plugin that stores the key in the session storage of the tab. Swagger UI itself would store it permanently for
 * all tabs.
 */
export function storeKey(): object {
  const storageKey = 'docs.authorized';
  const store =
    (_: unknown, { authSelectors }: SwaggerSystem) =>
    () =>
      sessionStorage.setItem(storageKey, JSON.stringify(authSelectors.authorized().toJS()));
  const restore =
    (loaded: (action: unknown) => unknown, { authActions }: SwaggerSystem) =>
    (action: unknown) => {
      const result = loaded(action);
      const stored = sessionStorage.getItem(storageKey);
      if (stored) authActions.restoreAuthorization({ authorized: JSON.parse(stored) });
      return result;
    };
  const statePlugins = {
    auth: { wrapActions: { persistAuthorizationIfNeeded: store } },
    configs: { wrapActions: { loaded: restore } },
  };
  return { statePlugins };
}
