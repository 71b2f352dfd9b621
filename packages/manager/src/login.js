// The sign-in form: checks the API key and stores it until the tab is closed.
import { hasScope, isKey, loadRights, setKey, statusOf } from './api.js';
import { t } from './current-language.js';
import { Field, html, Problem, textsOf, useWork } from './view.js';

/**
 * `reason`: why the user was signed out, as the initial error text; empty after a normal sign-out.
 * @param {{ reason: string, onDone: () => void }} props
 */
export function Login({ reason, onDone }) {
  const [problem, isBusy, run] = useWork();
  const submit = (/** @type {import('./types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const { apikey = '' } = textsOf(event.currentTarget);
    void run(async () => {
      if (!isKey(apikey)) throw new Error(t('login.invalid'));
      setKey(apikey);
      try {
        await loadRights();
        if (!hasScope('read')) throw new Error(t('login.noRead'));
      } catch (error) {
        setKey('');
        throw statusOf(error) === 401 ? new Error(t('login.invalid')) : error;
      }
      onDone();
    });
  };
  return html`<main class="login">
    <form class="card" onSubmit=${submit}>
      <h1>${t('app.title')}</h1>
      <${Problem} text=${problem || reason} />
      <${Field} label=${t('login.apiKey')} name="apikey" type="password" autocomplete="current-password" required autofocus
        hint=${t('login.hint')} />
      <button type="submit" class="primary" disabled=${isBusy}>${t('login.signIn')}</button>
    </form>
  </main>`;
}
