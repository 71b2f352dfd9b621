// The sign-in form: checks the key and keeps it for this tab only.
import { hasScope, loadRights, setKey, statusOf } from './api.js';
import { Field, html, Problem, textsOf, useWork } from './view.js';

/** @param {{ reason: string, onDone: () => void }} props */
export function Login({ reason, onDone }) {
  const [problem, isBusy, run] = useWork();
  const submit = (/** @type {import('../types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const { apikey = '' } = textsOf(event.currentTarget);
    void run(async () => {
      setKey(apikey);
      try {
        await loadRights();
        if (!hasScope('read')) throw new Error('This key does not have the scope read. Use another key.');
      } catch (error) {
        setKey('');
        throw statusOf(error) === 401 ? new Error('Invalid key') : error;
      }
      onDone();
    });
  };
  return html`<main class="login">
    <form class="card" onSubmit=${submit}>
      <h1>Messaging gateway</h1>
      <${Problem} text=${problem || reason} />
      <${Field} label="API key" name="apikey" type="password" autocomplete="current-password" required autofocus
        hint="The global key is the setting API_KEY of the gateway; without it, the gateway wrote a key to the file api-key in its data folder. The key of an instance or a key with scopes works too. This tab keeps the key until it is closed." />
      <button type="submit" class="primary" disabled=${isBusy}>Sign in</button>
    </form>
  </main>`;
}
