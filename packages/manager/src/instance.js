// One instance: its state, what can be done with it, and its tabs.
import { useEffect, useState } from 'preact/hooks';
import { call, may } from './api.js';
import { Chart } from './chart.js';
import { Events } from './events.js';
import { useFeed } from './feed.js';
import { Link } from './link.js';
import { linkTo } from './list.js';
import { Messages } from './messages.js';
import { Phone } from './phone.js';
import { Settings } from './settings.js';
import { Badge, Cause, numberOf, Past, quotaOf } from './state.js';
import { Confirm, html, Notice, Problem, timeOf, useWork } from './view.js';
import { Webhooks } from './webhooks.js';

const isClosed = ({ connectionStatus }) => connectionStatus !== 'open';

/** `scope` is what a key must be for beside reading. */
const tabs = [
  { id: 'overview', title: 'Overview', part: Overview },
  { id: 'link', title: 'Link', part: Link, scope: 'admin', shown: isClosed },
  { id: 'messages', title: 'Messages', part: Messages },
  { id: 'events', title: 'Events', part: Events },
  { id: 'webhooks', title: 'Webhooks', part: Webhooks },
  { id: 'settings', title: 'Settings', part: Settings, scope: 'admin' },
];

export function Instance({ record, tab, refresh, hasPhones }) {
  const feed = useFeed(record.name);
  // Polling is slow; the stream says at once that something changed.
  useEffect(() => void refresh(), [feed.connection, feed.restriction]);
  const open = tabs.filter(({ scope }) => !scope || may(scope));
  const { part: Part } = open.find(({ id }) => id === tab) ?? open[0];
  return html`<p class="crumb"><a href="#/">Instances</a></p>
    <div class="bar">
      <h1 tabindex="-1">${record.name}</h1>
      <${Badge} record=${record} />
    </div>
    <${Cause} record=${record} />
    <${Past} past=${feed.past} />
    <nav class="tabs" aria-label="Parts of the instance">
      ${open
        .filter(({ shown, id }) => id === tab || !shown || shown(record))
        .map(
          ({ id, title: text }) =>
            html`<a href=${linkTo(record.name, id)} aria-current=${id === tab ? 'page' : undefined}>${text}</a>`,
        )}
    </nav>
    <div class=${hasPhones ? 'split' : ''}><div class="part">
      <${Part} record=${record} feed=${feed} refresh=${refresh} />
    </div>
    ${hasPhones && html`<${Phone} record=${record} />`}</div>`;
}

/** What can be done with the instance as a whole; `ask` is the question before what cannot be taken back. */
const actions = {
  restart: { title: 'Restart', method: 'PUT', done: 'Restarted: it connects again.' },
  logout: {
    title: 'Log out',
    method: 'DELETE',
    done: 'Logged out.',
    ask: 'The phone forgets this device, and it has to be linked again. Messages and settings stay.',
  },
  delete: {
    title: 'Delete',
    method: 'DELETE',
    done: '',
    ask: 'The instance is logged out and everything kept of it is removed: messages, contacts, settings, webhooks. This cannot be taken back.',
  },
};

function Overview({ record, feed, refresh }) {
  const [problem, busy, run] = useWork();
  const [asking, setAsking] = useState('');
  const [done, setDone] = useState('');
  const perform = async (action) => {
    setDone('');
    const answer = await call(actions[action].method, `instance/${action}/${encodeURIComponent(record.name)}`);
    if (action === 'delete') location.hash = '#/';
    else setDone(answer?.response?.message ?? actions[action].done);
    await refresh();
  };
  const { title, ask } = actions[asking] ?? {};
  return html`<${Problem} text=${problem} /><${Notice} text=${done} />
    <section class="card" aria-label="Facts"><dl class="facts">${factsOf(record).map(
      ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`,
    )}</dl></section>
    <${Chart} messages=${feed.messages} hasMore=${feed.hasMore} />
    ${
      may('admin') &&
      html`<div class="row">
      ${isClosed(record) && html`<a class="button primary" href=${linkTo(record.name, 'link')}>Link with a phone</a>`}
      <button type="button" disabled=${busy} onClick=${() => run(() => perform('restart'))}>Restart</button>
      <button type="button" onClick=${() => setAsking('logout')}>Log out</button>
      <button type="button" class="danger" onClick=${() => setAsking('delete')}>Delete</button>
    </div>`
    }
    ${
      asking &&
      html`<${Confirm} title=${`${title} ${record.name}?`} text=${ask} action=${title}
      work=${() => perform(asking)} onClose=${() => setAsking('')} />`
    }`;
}

function factsOf(record) {
  const {
    profileName,
    id,
    createdAt,
    platformVersion,
    platformVersionSource,
    disconnectionAt,
    _count: counts,
  } = record;
  return [
    ['Account', [profileName, numberOf(record)].filter(Boolean).join(' · ') || 'none yet'],
    ['Messages kept', counts?.Message ?? 0],
    ['Chats', counts?.Chat ?? 0],
    ['Contacts', counts?.Contact ?? 0],
    ['New chats', quotaOf(record)],
    ['Created', timeOf(createdAt)],
    ['Last closed', timeOf(disconnectionAt) || 'never'],
    ['Client version', `${platformVersion} (${platformVersionSource})`],
    ['Id', id],
  ].filter(([, value]) => value !== '');
}
