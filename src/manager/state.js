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
  if (restriction?.restricted) {
    return html`<p class="cause">The platform restricts this account (${restriction.reason})${
      restriction.until && html` until ${timeOf(restriction.until)}`
    }. Known chats go on; new ones are refused.</p>`;
  }
  if (state === 'open' || !(message || userAction)) return null;
  return html`<p class="cause">
    ${message} ${userAction && html`<strong>${userAction}</strong>`} ${retryAt && html`Next try: ${timeOf(retryAt)}.`}
  </p>`;
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
