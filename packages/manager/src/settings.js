// The settings of an instance: behavior and proxy.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call, pathOf } from './api.js';
import { Check, checksOf, Field, html, messageOf, Notice, Problem, textsOf, useWork } from './view.js';

/** @typedef {import('../types.d.ts').FormEvent} FormEvent */
/** @typedef {import('../types.d.ts').InstanceSettings} InstanceSettings */
/** @typedef {import('../types.d.ts').ProxySettings} ProxySettings */
/** @typedef {Exclude<keyof InstanceSettings, 'msgCall'>} Flag */

/** @type {[id: Flag, label: string, hint: string][]} */
const FLAGS = [
  ['rejectCall', 'Reject calls', ''],
  ['groupsIgnore', 'Ignore groups', 'Messages in groups are not stored and not reported.'],
  ['alwaysOnline', 'Always online', 'Linked phones may not ring while this is on.'],
  ['readMessages', 'Mark incoming messages as read', ''],
  ['readStatus', 'Mark statuses as viewed', ''],
  ['readChannels', 'Report channel posts', ''],
  ['syncFullHistory', 'Sync full history', 'Takes effect when the instance is linked again.'],
];

/**
 * Requests GET `path` once and returns the response.
 * @template Value
 * @param {string} path
 * @returns {[value: Value | undefined, problem: string, setValue: (value: Value) => void]}
 */
function useLoaded(path) {
  const [value, setValue] = useState(/** @type {Value | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  useEffect(() => {
    call('GET', path).then(setValue, (error) => setProblem(messageOf(error)));
  }, [path]);
  return [value, problem, setValue];
}

/** @param {{ record: import('../types.d.ts').InstanceRecord }} props */
export function Settings({ record: { name } }) {
  return html`<${BehaviorForm} name=${name} /><${ProxyForm} name=${name} />`;
}

/** @param {{ name: string }} props */
function BehaviorForm({ name }) {
  /** @type {ReturnType<typeof useLoaded<InstanceSettings>>} */
  const [settings, loadProblem] = useLoaded(pathOf`settings/find/${name}`);
  const [problem, isBusy, run] = useWork();
  const [notice, setNotice] = useState('');
  const submit = (/** @type {FormEvent} */ event) => {
    event.preventDefault();
    setNotice('');
    const values = { ...textsOf(event.currentTarget), ...checksOf(event.currentTarget) };
    void run(async () => {
      await call('POST', pathOf`settings/set/${name}`, values);
      setNotice('Saved. Takes effect immediately.');
    });
  };
  return html`<section class="card" aria-labelledby="settings-title">
    <h2 id="settings-title">Behavior</h2>
    <${Problem} text=${problem || loadProblem} /><${Notice} text=${notice} />
    ${
      settings &&
      html`<form onSubmit=${submit}>
      ${FLAGS.map(
        ([id, label, hint]) =>
          html`<${Check} key=${id} name=${id} label=${label} hint=${hint} defaultChecked=${settings[id]} />`,
      )}
      <${Field} label="Auto-reply to callers" name="msgCall" maxlength="4096" defaultValue=${settings.msgCall} hint="Sent when a call is rejected. Empty: no reply" />
      <button type="submit" class="primary" disabled=${isBusy}>Save behavior</button>
    </form>`
    }
  </section>`;
}

/** @param {{ name: string }} props */
function ProxyForm({ name }) {
  /** @type {ReturnType<typeof useLoaded<ProxySettings>>} */
  const [proxy, loadProblem, setProxy] = useLoaded(pathOf`proxy/find/${name}`);
  const [problem, isBusy, run] = useWork();
  const [notice, setNotice] = useState('');
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  // Fills the form with the stored values after each change. The gateway never returns the password, so its field is
  // cleared.
  useLayoutEffect(() => {
    if (!form.current || !proxy) return;
    const { host, port, username, protocol } = proxy;
    const values = { host, port, username, protocol: protocol || 'http', password: '' };
    for (const [id, value] of Object.entries(values)) {
      const control = /** @type {HTMLInputElement} */ (form.current.elements.namedItem(id));
      control.value = value;
    }
  }, [proxy]);
  /** @param {object} body @param {string} success */
  const store = (body, success) =>
    run(async () => {
      setNotice('');
      const response = await call('POST', pathOf`proxy/set/${name}`, body);
      setProxy(response.proxy.proxy);
      setNotice(success);
    });
  const submit = (/** @type {FormEvent} */ event) => {
    event.preventDefault();
    const { host, port, protocol, username, password } = textsOf(event.currentTarget);
    const next = { host, port: Number(port), protocol, username, password: password || undefined };
    void store({ enabled: true, proxy: next }, 'The proxy works and is in use.');
  };
  return html`<section class="card" aria-labelledby="proxy-title">
    <h2 id="proxy-title">Proxy</h2>
    <p class="quiet">${proxy?.enabled ? `In use: ${proxy.protocol}://${proxy.host}:${proxy.port}` : 'No proxy for this instance.'} The gateway tests a proxy before it saves it.</p>
    <${Problem} text=${problem || loadProblem} /><${Notice} text=${notice} />
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
        hint=${proxy.hasPassword ? 'A password is stored. Leave empty to keep it for the same user and proxy.' : ''} />
      <div class="row">
        <button type="submit" class="primary" disabled=${isBusy}>Test and save</button>
        ${
          proxy.enabled &&
          html`<button type="button" disabled=${isBusy} onClick=${() => store({ enabled: false }, 'The proxy is no longer used.')}>Remove proxy</button>`
        }
      </div>
    </form>`
    }
  </section>`;
}
