// Linking an instance to an account that requires a passkey: the request for the owner's browser, its answer, and the
// code to compare. The page makes no answer itself: browsers use the passkey on the platform's own website only.
import { useEffect, useState } from 'preact/hooks';
import { call, pathOf } from './api.js';
import { Field, html, Problem, textsOf, useWork } from './view.js';

/** @typedef {import('../types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {import('../types.d.ts').PasskeyLink} PasskeyLink */
/** @typedef {import('../types.d.ts').PasskeyCode} PasskeyCode */

/** The website on which the owner's browser can use the passkey. */
const WEBSITE = 'https://web.whatsapp.com';

/** @param {{ record: InstanceRecord, refresh: () => Promise<void> }} props */
export function Passkey({ record: { name, passkey: stage }, refresh }) {
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
  const perform = (/** @type {() => Promise<unknown>} */ work) =>
    run(async () => {
      try {
        await work();
      } finally {
        await refresh();
      }
    });
  return html`<section class="card" aria-labelledby="passkey-title">
    <h2 id="passkey-title">Link with a passkey</h2>
    <p>The account can be linked only with the passkey of its owner. This was never run against the real platform.</p>
    ${link && html`<${TimeLeft} until=${link.expiresAt} />`}
    <${Problem} text=${problem} />
    ${stage === 'required' && link && html`<${Request} link=${link} isBusy=${isBusy} answer=${(/** @type {object} */ json) => perform(() => call('POST', path, json))} />`}
    ${stage === 'verifying' && html`<p role="status">The platform and the phone check the answer…</p>`}
    ${
      stage === 'confirm' &&
      code &&
      html`<${Code} code=${code.code} isBusy=${isBusy}
        confirm=${() => perform(() => call('POST', `${path}/confirm`, { code: code.code }))}
        restart=${() => perform(() => call('PUT', pathOf`instance/restart/${name}`))} />`
    }
    ${stage === 'confirmed' && html`<p role="status">Confirmed. The phone links the instance…</p>`}
  </section>`;
}

/** @param {{ link: PasskeyLink, isBusy: boolean, answer: (json: object) => Promise<boolean> }} props */
function Request({ link, isBusy, answer }) {
  const [problem, setProblem] = useState('');
  const [isCopied, setCopied] = useState(false);
  const request = JSON.stringify(link.request, null, 2);
  const copy = async () => {
    await navigator.clipboard.writeText(request);
    setCopied(true);
  };
  const submit = (/** @type {import('../types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const { json = '' } = textsOf(event.currentTarget);
    const value = parse(json);
    setProblem(value ? '' : 'The answer is not a JSON object. Paste all of it.');
    if (value) void answer(value);
  };
  return html`<ol>
      <li>The owner of the account opens <strong>${WEBSITE}</strong> in an own browser that has the passkey.</li>
      <li>There, the browser answers this request (the argument <code>publicKey</code> of <code>navigator.credentials.get()</code> as JSON).</li>
      <li>Paste the answer below. It is checked here and sent once.</li>
    </ol>
    <pre tabindex="0" aria-label="Passkey request">${request}</pre>
    <div class="row"><button type="button" onClick=${copy}>${isCopied ? 'Copied' : 'Copy the request'}</button></div>
    <${Problem} text=${problem} />
    <form onSubmit=${submit}>
      <${Field} label="Answer of the browser" as="textarea" name="json" rows="5" required maxlength="16384" hint="JSON of the credential, with id, rawId, type and response" />
      <button type="submit" class="primary" disabled=${isBusy}>Check and send the answer</button>
    </form>`;
}

/** @param {{ code: string, isBusy: boolean, confirm: () => void, restart: () => void }} props */
const Code = ({ code, isBusy, confirm, restart }) =>
  html`<p>Compare this code with the one on the phone.</p>
    <p><output class="code">${code}</output></p>
    <p class="quiet">A different code on the phone means that another device is being linked: start again. A phone that shows no code needs no comparison.</p>
    <div class="row">
      <button type="button" class="primary" disabled=${isBusy} onClick=${confirm}>Confirm</button>
      <button type="button" disabled=${isBusy} onClick=${restart}>The codes differ: start again</button>
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
  return html`<p class="quiet" role="timer">${seconds > 0 ? `Time left: ${text}` : 'The time is over. New QR codes follow.'}</p>`;
}

/** The JSON object in a text; undefined for anything else. @param {string} text */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
