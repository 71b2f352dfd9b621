// Linking an instance to an account that requires a passkey: the request that the owner signs, the form for the signed
// answer, and the code that the owner compares with the code on the phone. This page cannot sign, because browsers use
// a passkey only on its own website.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, pathOf } from './api.js';
import { t } from './current-language.js';
import { copyText, Field, html, Problem, textsOf, useWork } from './view.js';

/** @typedef {import('./types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {import('./types.d.ts').PasskeyLink} PasskeyLink */
/** @typedef {import('./types.d.ts').PasskeyCode} PasskeyCode */

/** The website that the passkeys belong to. */
const WEBSITE = 'https://web.whatsapp.com';

/** @param {{ record: InstanceRecord, refresh: () => Promise<void> }} props */
export function Passkey({ record: { name, passkey: stage }, refresh }) {
  // `link` is the linking in progress: the request to sign, and the time at which the linking expires.
  const [link, setLink] = useState(/** @type {PasskeyLink | undefined} */ (undefined));
  const [code, setCode] = useState(/** @type {PasskeyCode | undefined} */ (undefined));
  const [problem, isBusy, run] = useWork();
  const path = pathOf`instance/passkey/${name}`;
  useEffect(() => {
    void run(async () => {
      setLink(await call('GET', path));
      if (stage === 'confirm') setCode(await call('GET', `${path}/confirm`));
    });
  }, [stage, path]);
  // Requests the record also after a failure, because the linking can have ended.
  const perform = (/** @type {() => Promise<unknown>} */ work) =>
    run(async () => {
      try {
        await work();
      } finally {
        await refresh();
      }
    });
  return html`<section class="card" aria-labelledby="passkey-title">
    <h2 id="passkey-title">${t('passkey.title')}</h2>
    <p>${t('passkey.intro')}</p>
    ${link && html`<${TimeLeft} until=${link.expiresAt} />`}
    <${Problem} text=${problem} />
    ${stage === 'required' && link && html`<${Request} link=${link} isBusy=${isBusy} sendAnswer=${(/** @type {object} */ json) => perform(() => call('POST', path, json))} />`}
    ${stage === 'verifying' && html`<p role="status">${t('passkey.verifying')}</p>`}
    ${
      stage === 'confirm' &&
      code &&
      html`<${Code} code=${code.code} isBusy=${isBusy}
        confirm=${() => perform(() => call('POST', `${path}/confirm`, { code: code.code }))}
        restart=${() => perform(() => call('PUT', pathOf`instance/restart/${name}`))} />`
    }
    ${stage === 'confirmed' && html`<p role="status">${t('passkey.confirmed')}</p>`}
  </section>`;
}

/** @param {{ link: PasskeyLink, isBusy: boolean, sendAnswer: (json: object) => Promise<boolean> }} props */
function Request({ link, isBusy, sendAnswer }) {
  const [problem, setProblem] = useState('');
  const [isCopied, setCopied] = useState(false);
  const request = JSON.stringify(link.request, null, 2);
  const requestElement = useRef(/** @type {HTMLElement | null} */ (null));
  const copy = async () => {
    const hasCopied = await copyText(request, requestElement.current);
    setCopied(hasCopied);
    setProblem(hasCopied ? '' : t('passkey.notCopied'));
  };
  const submit = (/** @type {import('./types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const { json = '' } = textsOf(event.currentTarget);
    const value = parseObject(json);
    setProblem(value ? '' : t('passkey.notJson'));
    if (value) void sendAnswer(value);
  };
  return html`<ol>
      <li>${t('passkey.open', { website: WEBSITE })}</li>
      <li>${t('passkey.answer')}</li>
      <li>${t('passkey.paste')}</li>
    </ol>
    <pre tabindex="0" ref=${requestElement} aria-label=${t('passkey.request')}>${request}</pre>
    <div class="row"><button type="button" onClick=${copy}>${t(isCopied ? 'passkey.copied' : 'passkey.copy')}</button></div>
    <${Problem} text=${problem} />
    <form onSubmit=${submit}>
      <${Field} label=${t('passkey.json')} as="textarea" name="json" rows="5" required maxlength="16384" hint=${t('passkey.jsonHint')} />
      <button type="submit" class="primary" disabled=${isBusy}>${t('passkey.send')}</button>
    </form>`;
}

/** @param {{ code: string, isBusy: boolean, confirm: () => void, restart: () => void }} props */
const Code = ({ code, isBusy, confirm, restart }) =>
  html`<p>${t('passkey.compare')}</p>
    <p><output class="code">${code}</output></p>
    <p class="quiet">${t('passkey.differs')}</p>
    <div class="row">
      <button type="button" class="primary" disabled=${isBusy} onClick=${confirm}>${t('passkey.confirm')}</button>
      <button type="button" disabled=${isBusy} onClick=${restart}>${t('passkey.restart')}</button>
    </div>`;

/** The time that is left, counted down. @param {{ until: string }} props */
function TimeLeft({ until }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((Date.parse(until) - now) / 1000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return html`<p class="quiet" role="timer">${seconds > 0 ? t('passkey.timeLeft', { time: text }) : t('passkey.timeOver')}</p>`;
}

/** The JSON object in a text; undefined for anything else. @param {string} text */
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
