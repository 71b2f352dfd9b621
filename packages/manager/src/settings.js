// How an instance behaves, and the proxy that it connects through.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { at, call } from './api.js';
import { Check, Field, html, Notice, Problem, useWork, valuesOf } from './view.js';

const flags = {
  rejectCall: ['Refuse calls', ''],
  groupsIgnore: ['Ignore groups', 'What is written in groups is neither kept nor reported.'],
  alwaysOnline: ['Always online', 'Phones that are linked may then not ring.'],
  readMessages: ['Mark what arrives as read', ''],
  readStatus: ['Mark statuses as seen', ''],
  readChannels: ['Report posts of channels', ''],
  syncFullHistory: ['Ask for the whole past', 'Counts when the instance is linked the next time.'],
};

/** What an address answers now; loaded once. */
function useLoaded(path) {
  const [value, setValue] = useState(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    call('GET', path).then(setValue, (error) => setProblem(error.message));
  }, [path]);
  return [value, problem, setValue];
}

export function Settings({ record: { name } }) {
  return html`<${Behaviour} name=${name} /><${Connection} name=${name} />`;
}

function Behaviour({ name }) {
  const [settings, missing] = useLoaded(at`settings/find/${name}`);
  const [problem, busy, run] = useWork();
  const [done, setDone] = useState('');
  const submit = (event) => {
    event.preventDefault();
    setDone('');
    const values = valuesOf(event.currentTarget);
    void run(async () => {
      await call('POST', at`settings/set/${name}`, values);
      setDone('Saved; it counts at once.');
    });
  };
  return html`<section class="card" aria-labelledby="settings-title">
    <h2 id="settings-title">Behaviour</h2>
    <${Problem} text=${problem || missing} /><${Notice} text=${done} />
    ${
      settings &&
      html`<form onSubmit=${submit}>
      ${Object.entries(flags).map(
        ([id, [label, hint]]) =>
          html`<${Check} key=${id} name=${id} label=${label} hint=${hint} defaultChecked=${settings[id]} />`,
      )}
      <${Field} label="Written to whoever calls" name="msgCall" maxlength="4096" defaultValue=${settings.msgCall} hint="Sent when calls are refused; empty: nothing" />
      <button type="submit" class="primary" disabled=${busy}>Save behaviour</button>
    </form>`
    }
  </section>`;
}

function Connection({ name }) {
  const [proxy, missing, setProxy] = useLoaded(at`proxy/find/${name}`);
  const [problem, busy, run] = useWork();
  const [done, setDone] = useState('');
  const form = useRef();
  // What is stored, after each change of it, before anybody can type; a password is never shown, so what was typed goes.
  useLayoutEffect(() => {
    const { elements } = form.current ?? {};
    if (!elements) return;
    for (const each of ['host', 'port', 'username']) elements[each].value = proxy[each];
    elements.protocol.value = proxy.protocol || 'http';
    elements.password.value = '';
  }, [proxy]);
  const store = (body, words) =>
    run(async () => {
      setDone('');
      const answer = await call('POST', at`proxy/set/${name}`, body);
      setProxy(answer.proxy.proxy);
      setDone(words);
    });
  const submit = (event) => {
    event.preventDefault();
    const { host, port, protocol, username, password } = valuesOf(event.currentTarget);
    const wanted = { host, port: Number(port), protocol, username, ...(password && { password }) };
    void store({ enabled: true, proxy: wanted }, 'The proxy works and is in use.');
  };
  return html`<section class="card" aria-labelledby="proxy-title">
    <h2 id="proxy-title">Proxy</h2>
    <p class="quiet">${proxy?.enabled ? `In use: ${proxy.protocol}://${proxy.host}:${proxy.port}` : 'None of its own.'} A proxy is tried before it is stored.</p>
    <${Problem} text=${problem || missing} /><${Notice} text=${done} />
    ${
      proxy &&
      html`<form onSubmit=${submit} ref=${form}>
      <${Field} label="Protocol" as="select" name="protocol">
        ${['http', 'https', 'socks5'].map((each) => html`<option>${each}</option>`)}
      <//>
      <${Field} label="Host" name="host" required maxlength="253" pattern="[A-Za-z0-9._:\\-]+" autocomplete="off" />
      <${Field} label="Port" name="port" type="number" required min="1" max="65535" />
      <${Field} label="User" name="username" maxlength="255" autocomplete="off" />
      <${Field} label="Password" name="password" type="password" maxlength="255" autocomplete="new-password"
        hint=${proxy.hasPassword ? 'One is stored; empty keeps it for the same user of the same proxy.' : ''} />
      <div class="row">
        <button type="submit" class="primary" disabled=${busy}>Try and save</button>
        ${proxy.enabled && html`<button type="button" disabled=${busy} onClick=${() => store({ enabled: false }, 'The proxy is no longer used.')}>Use none</button>`}
      </div>
    </form>`
    }
  </section>`;
}
