// The state of an instance in words and colors: badge, cause, restriction, history sync.
import { t } from './current-language.js';
import { html, timeOf } from './view.js';

/** @typedef {import('./types.d.ts').InstanceSummary} InstanceSummary */
/** @typedef {import('./types.d.ts').TextKey} TextKey */

/** @type {Record<InstanceSummary['connectionStatus'], TextKey>} */
export const STATES = { open: 'state.open', connecting: 'state.connecting', close: 'state.close' };
/** @type {Record<string, TextKey>} */
const PHASES = {
  pairing: 'state.pairing',
  backoff: 'state.backoff',
  blocked: 'state.blocked',
  logged_out: 'state.loggedOut',
};

/** The CSS class of the badge for a state. @param {InstanceSummary['connectionStatus']} state */
function colorOf(state) {
  if (state === 'open') return 'good';
  return state === 'connecting' ? 'busy' : 'bad';
}

/** @param {{ record: InstanceSummary }} props */
export function Badge({ record }) {
  const { connectionStatus: state, phase = '', passkey } = record;
  const label = passkey ? 'state.passkey' : (PHASES[phase] ?? STATES[state]);
  return html`<span class=${`badge ${colorOf(state)}`} data-state=${state}>${label ? t(label) : state}</span>`;
}

/**
 * Why the instance is in its state and what to do; empty for a healthy instance.
 * @param {{ record: InstanceSummary }} props
 */
export function Cause({ record }) {
  const { connectionStatus: state, message, userAction, retryAt, restriction } = record;
  const isHealthy = state === 'open' || !(message || userAction);
  return html`${restriction?.restricted && html`<${Restricted} restriction=${restriction} />`}
    ${
      !isHealthy &&
      html`<p class="cause">
    ${message} ${userAction && html`<strong>${userAction}</strong>`} ${retryAt && t('state.nextAttempt', { time: timeOf(retryAt) })}
  </p>`
    }`;
}

/**
 * Why the account cannot start new chats. The reason CAPPED means that the account has started the maximum number of
 * new chats.
 * @param {{ restriction: import('./types.d.ts').Restriction }} props
 */
function Restricted({ restriction: { reason, until } }) {
  const cappedText = until ? 'state.cappedUntil' : 'state.capped';
  const restrictedText = until ? 'state.restrictedUntil' : 'state.restricted';
  const cause = t(reason === 'CAPPED' ? cappedText : restrictedText, { time: timeOf(until), reason: reason ?? '' });
  return html`<p class="cause">
    ${cause} ${t('state.existingChats')} ${' '}<strong>${t('state.doNotWrite')}</strong>
  </p>`;
}

/** How much of WhatsApp's limit of new chats is used; empty without a limit. @param {InstanceSummary} record */
export function quotaOf({ restriction }) {
  const { total, used, until } = restriction?.newChatQuota ?? {};
  if (total === undefined) return '';
  return t(until ? 'state.quotaUntil' : 'state.quota', { used: used ?? 0, total, time: timeOf(until) });
}

/** The texts for the parts of the history, by WhatsApp's sync type. @type {Record<string, TextKey>} */
const SYNC_TYPES = {
  INITIAL_BOOTSTRAP: 'history.newest',
  RECENT: 'history.recent',
  FULL: 'history.full',
};

/**
 * Progress of the history sync; empty without a sync, and after a sync without messages.
 * @param {{ history: import('./types.d.ts').HistoryProgress | undefined }} props
 */
export function History({ history }) {
  if (!history || (history.done && history.messages === 0)) return null;
  const messages = t('count.messages', { count: history.messages });
  if (history.done) return html`<p class="notice good" role="status">${t('history.done', { messages })}</p>`;
  const { progress: share } = history;
  const part = t(SYNC_TYPES[history.syncType] ?? 'history.other');
  return html`<label class="past">
    ${share === undefined ? t('history.running', { part, messages }) : t('history.runningShare', { share, part, messages })}
    <progress max="100" value=${share}></progress>
  </label>`;
}

/** The digits of the account's phone number; empty without one. @param {InstanceSummary} record */
export const digitsOf = ({ ownerJid, number }) => ownerJid?.split(/[:@]/, 1)[0] || number || '';

/** The account's phone number with a plus sign; empty without one. @param {InstanceSummary} record */
export const numberOf = (record) => {
  const digits = digitsOf(record);
  return digits && `+${digits}`;
};
