// Everything that is reported of the instance, as integrators get it, newest first.
import { useState } from 'preact/hooks';
import { html, timeOf } from './view.js';

export function Events({ feed }) {
  return html`<section class="card" aria-labelledby="events-title">
    <h2 id="events-title">Events</h2>
    <p class="quiet" role="status">${feed.isLive ? 'Live: what happens from now on, newest first.' : 'Connecting…'}</p>
    ${feed.events.length === 0 && html`<p class="empty">Nothing yet.</p>`}
    <ul class="plain">${feed.events.map((event) => html`<${Event} key=${event.id} event=${event} />`)}</ul>
  </section>`;
}

function Event({ event }) {
  // The text of a body may be long: it is made when somebody looks.
  const [isOpen, setOpen] = useState(false);
  return html`<li><details onToggle=${({ target }) => setOpen(target.open)}>
    <summary><time class="quiet">${timeOf(event.date_time)}</time> <strong>${event.event}</strong> ${briefOf(event)}</summary>
    ${isOpen && html`<pre tabindex="0" aria-label="Body of the event">${JSON.stringify(event, null, 2)}</pre>`}
  </details></li>`;
}

function briefOf({ data }) {
  const { state, status, cause, key, keyId } = Object(data);
  return [state, status, cause, key?.remoteJid, keyId ?? key?.id]
    .filter((each) => typeof each === 'string')
    .join(' · ');
}
