// The settings of an instance: behavior and proxy.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call, pathOf } from './api.js';
import { t } from './current-language.js';
import { Check, checksOf, Field, html, messageOf, Notice, Problem, textsOf, useWork } from './view.js';

/** @typedef {import('./types.d.ts').FormEvent} FormEvent */
/** @typedef {import('./types.d.ts').InstanceSettings} InstanceSettings */
/** @typedef {import('./types.d.ts').ProxySettings} ProxySettings */
/** @typedef {import('./types.d.ts').TextKey} TextKey */
/** @typedef {Exclude<keyof InstanceSettings, 'msgCall'>} Flag */

/** The checkboxes of the form. @type {[id: Flag, label: TextKey, hint?: TextKey][]} */
const FLAGS = [
  ['rejectCall', 'settings.rejectCall'],
  ['groupsIgnore', 'settings.groupsIgnore', 'settings.groupsIgnoreHint'],
  ['alwaysOnline', 'settings.alwaysOnline', 'settings.alwaysOnlineHint'],
  ['readMessages', 'settings.readMessages'],
  ['readStatus', 'settings.readStatus'],
  ['readChannels', 'settings.readChannels'],
  ['syncFullHistory', 'settings.syncFullHistory', 'settings.syncFullHistoryHint'],
];

/**
 * Requests GET `path` once. Returns the response (undefined until it arrives), the error text of the request, and a
 * function that replaces the response.
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

/** @param {{ record: import('./types.d.ts').InstanceRecord }} props */
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
      setNotice(t('settings.saved'));
    });
  };
  return html`<section class="card" aria-labelledby="settings-title">
    <h2 id="settings-title">${t('settings.behavior')}</h2>
    <${Problem} text=${problem || loadProblem} /><${Notice} text=${notice} />
    ${
      settings &&
      html`<form onSubmit=${submit}>
      ${FLAGS.map(
        ([id, label, hint]) =>
          html`<${Check} key=${id} name=${id} label=${t(label)} hint=${hint && t(hint)} defaultChecked=${settings[id]} />`,
      )}
      <${Field} label=${t('settings.msgCall')} name="msgCall" maxlength="4096" defaultValue=${settings.msgCall} hint=${t('settings.msgCallHint')} />
      <button type="submit" class="primary" disabled=${isBusy}>${t('settings.save')}</button>
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
  // Fills the form whenever `proxy` changes: after loading and after each save. The gateway never returns the password,
  // so the password field is cleared.
  useLayoutEffect(() => {
    if (!form.current || !proxy) return;
    const { host, port, username, protocol } = proxy;
    const values = { host, port, username, protocol: protocol || 'http', password: '' };
    for (const [id, value] of Object.entries(values)) {
      const control = /** @type {HTMLInputElement} */ (form.current.elements.namedItem(id));
      control.value = value;
    }
  }, [proxy]);
  /** Stores `body` and then shows the text `success`. @param {object} body @param {string} success */
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
    // Without a password in the request, the gateway keeps the stored password for the same host, port and user.
    const next = { host, port: Number(port), protocol, username, password: password || undefined };
    void store({ enabled: true, proxy: next }, t('proxy.works'));
  };
  return html`<section class="card" aria-labelledby="proxy-title">
    <h2 id="proxy-title">${t('proxy.title')}</h2>
    <p class="quiet">${proxy?.enabled ? t('proxy.inUse', { url: `${proxy.protocol}://${proxy.host}:${proxy.port}` }) : t('proxy.none')} ${t('proxy.tested')}</p>
    <${Problem} text=${problem || loadProblem} /><${Notice} text=${notice} />
    ${
      proxy &&
      html`<form onSubmit=${submit} ref=${form}>
      <${Field} label=${t('proxy.protocol')} as="select" name="protocol">
        ${['http', 'https', 'socks5'].map((each) => html`<option>${each}</option>`)}
      <//>
      <${Field} label=${t('proxy.host')} name="host" required maxlength="253" pattern="[A-Za-z0-9._:\\-]+" autocomplete="off" />
      <${Field} label=${t('proxy.port')} name="port" type="number" required min="1" max="65535" />
      <${Field} label=${t('proxy.user')} name="username" maxlength="255" autocomplete="off" />
      <${Field} label=${t('proxy.password')} name="password" type="password" maxlength="255" autocomplete="new-password"
        hint=${proxy.hasPassword ? t('proxy.passwordHint') : ''} />
      <div class="row">
        <button type="submit" class="primary" disabled=${isBusy}>${t('proxy.save')}</button>
        ${
          proxy.enabled &&
          html`<button type="button" disabled=${isBusy} onClick=${() => store({ enabled: false }, t('proxy.removed'))}>${t('proxy.remove')}</button>`
        }
      </div>
    </form>`
    }
  </section>`;
}
