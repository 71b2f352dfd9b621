// The live list of the events that webhooks of an instance receive, newest first.
import { useState } from 'preact/hooks';
import { t } from './current-language.js';
import { html, timeOf } from './view.js';

/** @typedef {import('./types.d.ts').StreamEvent} StreamEvent */

/** @param {{ feed: import('./types.d.ts').Feed }} props */
export function Events({ feed }) {
  return html`<section class="card" aria-labelledby="events-title">
    <h2 id="events-title">${t('instance.events')}</h2>
    <p class="quiet" role="status">${t(feed.isLive ? 'events.live' : 'app.connecting')}</p>
    ${feed.events.length === 0 && html`<p class="empty">${t('events.empty')}</p>`}
    <ul class="plain">${feed.events.map((event) => html`<${Event} key=${event.id} event=${event} />`)}</ul>
  </section>`;
}

/** @param {{ event: StreamEvent }} props */
function Event({ event }) {
  // The JSON can be long. It is rendered only while the entry is open.
  const [isOpen, setOpen] = useState(false);
  const toggle = (/** @type {{ currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
    setOpen(currentTarget.open);
  return html`<li><details onToggle=${toggle}>
    <summary><time class="quiet">${timeOf(event.date_time)}</time> <strong>${event.event}</strong> ${summaryOf(event)}</summary>
    ${isOpen && html`<pre tabindex="0" aria-label=${t('events.body')}>${JSON.stringify(event, null, 2)}</pre>`}
  </details></li>`;
}

/** The state, status, cause, chat and message id that the data of an event has. @param {StreamEvent} event */
function summaryOf({ data }) {
  const { state, status, cause, key, keyId } = Object(data);
  return [state, status, cause, key?.remoteJid, keyId ?? key?.id]
    .filter((each) => typeof each === 'string')
    .join(' · ');
}
