// The state of an instance in words and colors: badge, cause, restriction, history sync.
import { html, plural, timeOf } from './view.js';

/** @typedef {import('../types.d.ts').InstanceRecord} InstanceRecord */

const STATES = { open: 'Open', connecting: 'Connecting', close: 'Closed' };
/** @type {Record<string, string>} */
const PHASES = {
  pairing: 'Waiting for a scan',
  backoff: 'Waiting to reconnect',
  blocked: 'Blocked',
  logged_out: 'Not linked',
};

/** @param {{ record: InstanceRecord }} props */
export function Badge({ record }) {
  const { connectionStatus: state, phase = '', passkey } = record;
  const kind = state === 'open' ? 'good' : state === 'connecting' ? 'busy' : 'bad';
  return html`<span class=${`badge ${kind}`} data-state=${state}>${passkey ? 'Linking with a passkey' : (PHASES[phase] ?? STATES[state] ?? state)}</span>`;
}

/**
 * Why the instance is in its state and what to do; empty for a healthy instance.
 * @param {{ record: InstanceRecord }} props
 */
export function Cause({ record }) {
  const { connectionStatus: state, message, userAction, retryAt, restriction } = record;
  const isHealthy = state === 'open' || !(message || userAction);
  return html`${restriction?.restricted && html`<${Restricted} restriction=${restriction} />`}
    ${
      !isHealthy &&
      html`<p class="cause">
    ${message} ${userAction && html`<strong>${userAction}</strong>`} ${retryAt && html`Next attempt: ${timeOf(retryAt)}.`}
  </p>`
    }`;
}

/** @param {{ restriction: import('../types.d.ts').Restriction }} props */
function Restricted({ restriction: { reason, until } }) {
  const end = until ? ` until ${timeOf(until)}` : '';
  const cause =
    reason === 'CAPPED'
      ? `This account has started the maximum number of new chats${end}.`
      : `The platform does not let this account start new chats${end}. Reason: ${reason}.`;
  return html`<p class="cause">
    ${cause} Existing chats are not affected. ${' '}<strong>Do not write to new contacts until then: the platform rejects these messages.</strong>
  </p>`;
}

/** How much of WhatsApp's limit of new chats is used; empty without a limit. @param {InstanceRecord} record */
export function quotaOf({ restriction }) {
  const { total, used, until } = restriction?.newChatQuota ?? {};
  return total === undefined ? '' : `${used} of ${total} used${until ? `, until ${timeOf(until)}` : ''}`;
}

/** @type {Record<string, string>} */
const SYNC_TYPES = {
  INITIAL_BOOTSTRAP: 'the newest messages of each chat',
  RECENT: 'the last months',
  FULL: 'the full history',
};

/**
 * Progress of the history sync; empty without one.
 * @param {{ history: import('../types.d.ts').HistoryProgress | undefined }} props
 */
export function History({ history }) {
  if (!history || (history.done && history.messages === 0)) return null;
  const count = plural(history.messages, 'message');
  if (history.done) return html`<p class="notice good" role="status">History synced: ${count}.</p>`;
  const share = history.progress === undefined ? '' : `${history.progress} % of `;
  return html`<label class="past">
    Syncing history: ${share}${SYNC_TYPES[history.syncType]}, ${count} so far
    <progress max="100" value=${history.progress}></progress>
  </label>`;
}

/** The account's phone number with a plus sign; empty without one. @param {InstanceRecord} record */
export const numberOf = ({ ownerJid, number }) => {
  const digits = ownerJid?.split(/[:@]/, 1)[0] || number;
  return digits ? `+${digits}` : '';
};
