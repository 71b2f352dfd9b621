// The live list of an instance's events, as webhooks receive them, newest first.
import { useState } from 'preact/hooks';
import { html, timeOf } from './view.js';

/** @typedef {import('../types.d.ts').StreamEvent} StreamEvent */

/** @param {{ feed: import('../types.d.ts').Feed }} props */
export function Events({ feed }) {
  return html`<section class="card" aria-labelledby="events-title">
    <h2 id="events-title">Events</h2>
    <p class="quiet" role="status">${feed.isLive ? 'Live: new events appear at the top.' : 'Connecting…'}</p>
    ${feed.events.length === 0 && html`<p class="empty">No events yet. Send a message from or to the linked phone.</p>`}
    <ul class="plain">${feed.events.map((event) => html`<${Event} key=${event.id} event=${event} />`)}</ul>
  </section>`;
}

/** @param {{ event: StreamEvent }} props */
function Event({ event }) {
  // The JSON may be long: it is rendered when the entry is open.
  const [isOpen, setOpen] = useState(false);
  const toggle = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
    setOpen(currentTarget.open);
  return html`<li><details onToggle=${toggle}>
    <summary><time class="quiet">${timeOf(event.date_time)}</time> <strong>${event.event}</strong> ${summaryOf(event)}</summary>
    ${isOpen && html`<pre tabindex="0" aria-label="Body of the event">${JSON.stringify(event, null, 2)}</pre>`}
  </details></li>`;
}

/** @param {StreamEvent} event */
function summaryOf({ data }) {
  const { state, status, cause, key, keyId } = Object(data);
  return [state, status, cause, key?.remoteJid, keyId ?? key?.id]
    .filter((each) => typeof each === 'string')
    .join(' · ');
}
