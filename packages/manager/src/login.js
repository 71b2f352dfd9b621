// The way in: the key is tried, and kept for this tab only.
import { learnRights, may, useKey } from './api.js';
import { Field, html, Problem, useWork, valuesOf } from './view.js';

export function Login({ reason, onDone }) {
  const [problem, busy, run] = useWork();
  const submit = (event) => {
    event.preventDefault();
    const { apikey } = valuesOf(event.currentTarget);
    void run(async () => {
      useKey(apikey);
      try {
        await learnRights();
        if (!may('read')) throw new Error('This key is not for reading, without which there is nothing to show');
      } catch (error) {
        useKey('');
        throw error.status === 401 ? new Error('This key is not known here') : error;
      }
      onDone();
    });
  };
  return html`<main class="login">
    <form class="card" onSubmit=${submit}>
      <h1>Messaging gateway</h1>
      <${Problem} text=${problem || reason} />
      <${Field} label="API key" name="apikey" type="password" autocomplete="current-password" required autofocus
        hint="The global key, the key of one instance, or one with scopes. It stays in this tab." />
      <button type="submit" class="primary" disabled=${busy}>Log in</button>
    </form>
  </main>`;
}
