// The state of an instance in words and colour.
import { html, timeOf } from './view.js';

const words = { open: 'Open', connecting: 'Connecting', close: 'Closed' };
const phases = {
  pairing: 'Waiting for a scan',
  backoff: 'Waiting to reconnect',
  blocked: 'Blocked',
  logged_out: 'Not linked',
};

export function Badge({ record }) {
  const { connectionStatus: state, phase } = record;
  const kind = state === 'open' ? 'good' : state === 'connecting' ? 'busy' : 'bad';
  return html`<span class=${`badge ${kind}`} data-state=${state}>${phases[phase] ?? words[state] ?? state}</span>`;
}

/** Why it is so and what to do about it; nothing for an instance that is well. */
export function Cause({ record }) {
  const { connectionStatus: state, message, userAction, retryAt, restriction } = record;
  const isWell = state === 'open' || !(message || userAction);
  return html`${restriction?.restricted && html`<${Restricted} restriction=${restriction} />`}
    ${
      !isWell &&
      html`<p class="cause">
    ${message} ${userAction && html`<strong>${userAction}</strong>`} ${retryAt && html`Next try: ${timeOf(retryAt)}.`}
  </p>`
    }`;
}

function Restricted({ restriction: { reason, until } }) {
  const end = until ? ` until ${timeOf(until)}` : '';
  const cause =
    reason === 'CAPPED'
      ? `This account has started as many new chats as the platform allows${end}.`
      : `The platform does not let this account write to strangers${end}. Its reason: ${reason}.`;
  return html`<p class="cause">
    ${cause} Messages to those who have written before go on. ${' '}<strong>Write to nobody new until then, and answer those who write: messages to strangers are refused.</strong>
  </p>`;
}

/** How many of the new chats that the platform allows are used; nothing where it names no number. */
export function quotaOf({ restriction }) {
  const { total, used, until } = restriction?.newChatQuota ?? {};
  return total === undefined ? '' : `${used} of ${total} used${until ? `, until ${timeOf(until)}` : ''}`;
}

const pasts = { INITIAL_BOOTSTRAP: 'the newest of each chat', RECENT: 'the last months', FULL: 'everything' };

/** How far the past of the phone is taken over; nothing where there is none. `past` is what was told last. */
export function Past({ past }) {
  if (!past || (past.done && past.messages === 0)) return null;
  const count = past.messages === 1 ? '1 message' : `${past.messages} messages`;
  if (past.done) return html`<p class="notice good" role="status">The past is taken over: ${count}.</p>`;
  const share = past.progress === undefined ? '' : `${past.progress} % of `;
  return html`<label class="past">
    Taking over the past: ${share}${pasts[past.syncType]}, ${count} so far
    <progress max="100" value=${past.progress}></progress>
  </label>`;
}

/** The account's number, or nothing. */
export const numberOf = ({ ownerJid, number }) => {
  const digits = ownerJid?.split(/[:@]/, 1)[0] || number;
  return digits ? `+${digits}` : '';
};
