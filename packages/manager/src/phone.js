// Operates the phones of the sandbox (a simulated WhatsApp): scans the QR code, shows, reads and sends messages. The
// page shows this part only when the gateway runs with the sandbox.
import { useState } from 'preact/hooks';
import { call, pathOf } from './api.js';
import { t } from './current-language.js';
import { digitsOf } from './state.js';
import { Field, html, Notice, onValue, Problem, textsOf, timeOf, usePolling, useScrollToEnd, useWork } from './view.js';

/** @typedef {import('./types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {import('./types.d.ts').PhoneMessage} PhoneMessage */

/** Interval of the requests for the messages. */
const POLL_INTERVAL_MS = 1500;
/** Maximum number of messages that are shown. */
const MAX_MESSAGES = 50;
/** Number (fictional) of the phone that the page suggests for linking the instance. */
const OWN_NUMBER = '15550001001';
/** Number (fictional) of the phone that the page suggests for a chat with the linked phone. */
const CONTACT_NUMBER = '15550001002';

/**
 * Number of a phone to chat with the instance. It differs from the number of the linked phone.
 * @param {InstanceRecord} record
 */
export const otherPhoneOf = (record) => (digitsOf(record) === CONTACT_NUMBER ? OWN_NUMBER : CONTACT_NUMBER);

/** @param {{ record: InstanceRecord }} props */
export function Phone({ record }) {
  const isOpen = record.connectionStatus === 'open';
  /** Number of the phone that is linked to the instance; empty without one. */
  const linkedNumber = record.ownerJid?.split(/[:@]/, 1)[0] ?? '';
  const [chosen, setChosen] = useState('');
  // Before linking, the user operates the phone that will be linked. Afterwards, the user operates a contact's phone.
  const suggested = isOpen ? otherPhoneOf(record) : linkedNumber || OWN_NUMBER;
  const number = chosen || suggested;
  const [messages, setMessages] = useState(/** @type {PhoneMessage[]} */ ([]));
  const [problem, isBusy, run] = useWork();
  const [notice, setNotice] = useState('');
  const log = useScrollToEnd(messages.length);
  const isValid = /^\d{5,20}$/.test(number);
  const load = async (/** @type {AbortSignal | undefined} */ signal) =>
    setMessages(isValid ? await call('GET', pathOf`manager/phones/${number}/messages`, undefined, signal) : []);
  usePolling(load, POLL_INTERVAL_MS, [number]);
  /**
   * @param {string} action
   * @param {object} body
   * @param {string} [success]
   */
  const perform = (action, body, success = '') =>
    run(async () => {
      setNotice('');
      await call('POST', pathOf`manager/phones/${number}/${action}`, body);
      setNotice(success);
      await load(undefined);
    });
  const send = (/** @type {import('./types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { to, text } = textsOf(form);
    void perform('messages', { to, text }).then((isSent) => isSent && form.reset());
  };
  return html`<aside class="card phone" aria-labelledby="phone-title">
    <h2 id="phone-title">${t('phone.title')}</h2>
    <${Field} label=${t('phone.number')} inputmode="numeric" pattern="\\d{5,20}" value=${number} onChange=${onValue((value) => setChosen(value.trim()))}
      hint=${isOpen && linkedNumber && linkedNumber !== number ? t('phone.otherHint', { own: linkedNumber }) : undefined} />
    <${Problem} text=${problem} /><${Notice} text=${notice} />
    ${
      !isOpen &&
      html`<button type="button" class="primary" disabled=${isBusy} onClick=${() => perform('scan', { instance: record.name }, t('phone.scanned'))}>${t('phone.scan')}</button>`
    }
    <div class="log" role="log" aria-label=${t('phone.log')} tabindex="0" ref=${log}><ul role="list">
      ${messages.length === 0 && html`<li class="empty">${t('phone.empty')}</li>`}
      ${messages.slice(-MAX_MESSAGES).map((message) => html`<${Message} key=${message.id} message=${message} />`)}
    </ul></div>
    ${
      linkedNumber &&
      linkedNumber !== number &&
      html`<button type="button" disabled=${isBusy} onClick=${() => perform('read', { chat: linkedNumber }, t('phone.marked'))}>${t('phone.markRead')}</button>`
    }
    <form onSubmit=${send} aria-label=${t('phone.form')}>
      <${Field} label=${t('phone.recipient')} name="to" required key=${linkedNumber} defaultValue=${linkedNumber === number ? CONTACT_NUMBER : linkedNumber} />
      <${Field} label=${t('phone.message')} name="text" required maxlength="4096" />
      <button type="submit" disabled=${isBusy}>${t('messages.send')}</button>
    </form>
  </aside>`;
}

/** @param {{ message: PhoneMessage }} props */
function Message({ message: { from, chat, fromMe, kind, text, edited, deleted, timestamp } }) {
  return html`<li class=${fromMe ? 'mine' : 'theirs'}>
    <p class="who">${fromMe ? t('messages.toChat', { chat }) : t('messages.fromChat', { chat: from })}</p>
    <p>${deleted ? t('tick.deleted') : (edited ?? text ?? kind)}</p>
    <p class="when"><time>${timeOf(timestamp * 1000)}</time></p>
  </li>`;
}
