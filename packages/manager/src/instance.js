// The view of one instance: state, actions, facts, and its tabs.
import { useEffect, useState } from 'preact/hooks';
import { call, hasScope } from './api.js';
import { Chart } from './chart.js';
import { Events } from './events.js';
import { useFeed } from './feed.js';
import { Link } from './link.js';
import { linkTo } from './list.js';
import { Messages } from './messages.js';
import { Phone } from './phone.js';
import { Settings } from './settings.js';
import { Badge, Cause, History, numberOf, quotaOf } from './state.js';
import { Confirm, html, Notice, Problem, timeOf, useWork } from './view.js';
import { Webhooks } from './webhooks.js';

/** @typedef {import('../types.d.ts').Feed} Feed */
/** @typedef {import('../types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {{ record: InstanceRecord, feed: Feed, refresh: () => Promise<void> }} PartProps */
/**
 * `scope`: the scope that the tab requires in addition to `read`. `isShown`: whether the tab is shown; default always.
 * @typedef {object} Tab
 * @property {string} id
 * @property {string} title
 * @property {(props: PartProps) => unknown} part
 * @property {string} [scope]
 * @property {(record: InstanceRecord) => boolean} [isShown]
 */

/** @param {InstanceRecord} record */
const isClosed = ({ connectionStatus }) => connectionStatus !== 'open';

/** @type {Tab} */
const OVERVIEW = { id: 'overview', title: 'Overview', part: Overview };
/** @type {Tab[]} */
const TABS = [
  OVERVIEW,
  { id: 'link', title: 'Link', part: Link, scope: 'admin', isShown: isClosed },
  { id: 'messages', title: 'Messages', part: Messages },
  { id: 'events', title: 'Events', part: Events },
  { id: 'webhooks', title: 'Webhooks', part: Webhooks },
  { id: 'settings', title: 'Settings', part: Settings, scope: 'admin' },
];

/** @param {{ record: InstanceRecord, tab: string, refresh: () => Promise<void>, hasPhones: boolean }} props */
export function Instance({ record, tab, refresh, hasPhones }) {
  const feed = useFeed(record.name);
  // The stream reports a change before the next poll.
  useEffect(() => void refresh(), [feed.connection, feed.restriction]);
  const allowed = TABS.filter(({ scope }) => !scope || hasScope(scope));
  const { part: Part } = allowed.find(({ id }) => id === tab) ?? OVERVIEW;
  return html`<p class="crumb"><a href="#/">Instances</a></p>
    <div class="bar">
      <h1 tabindex="-1">${record.name}</h1>
      <${Badge} record=${record} />
    </div>
    <${Cause} record=${record} />
    <${History} history=${feed.history} />
    <nav class="tabs" aria-label="Parts of the instance">
      ${allowed
        .filter(({ isShown, id }) => id === tab || !isShown || isShown(record))
        .map(
          ({ id, title }) =>
            html`<a href=${linkTo(record.name, id)} aria-current=${id === tab ? 'page' : undefined}>${title}</a>`,
        )}
    </nav>
    <div class=${hasPhones ? 'split' : ''}><div class="part">
      <${Part} record=${record} feed=${feed} refresh=${refresh} />
    </div>
    ${hasPhones && html`<${Phone} record=${record} />`}</div>`;
}

/** The actions that ask for confirmation. */
const ACTIONS = {
  logout: {
    title: 'Unlink',
    question:
      'The phone removes this device. To use the instance again, link it again. Messages and settings are kept.',
    done: 'Unlinked.',
  },
  delete: {
    title: 'Delete',
    question:
      'The instance is unlinked and all its data is deleted: messages, contacts, settings, webhooks. This cannot be undone.',
    done: '',
  },
};

/** @param {PartProps} props */
function Overview({ record, feed, refresh }) {
  const [problem, isBusy, run] = useWork();
  const [confirming, setConfirming] = useState(/** @type {keyof typeof ACTIONS | undefined} */ (undefined));
  const [notice, setNotice] = useState('');
  const path = (/** @type {string} */ action) => `instance/${action}/${encodeURIComponent(record.name)}`;
  const restart = async () => {
    setNotice('');
    const response = await call('PUT', path('restart'));
    setNotice(response?.response?.message ?? 'Restarted. The instance reconnects.');
    await refresh();
  };
  const perform = async (/** @type {keyof typeof ACTIONS} */ action) => {
    setNotice('');
    const response = await call('DELETE', path(action));
    if (action === 'delete') location.hash = '#/';
    else setNotice(response?.response?.message ?? ACTIONS[action].done);
    await refresh();
  };
  const action = confirming && ACTIONS[confirming];
  return html`<${Problem} text=${problem} /><${Notice} text=${notice} />
    <section class="card" aria-label="Facts"><dl class="facts">${factsOf(record).map(
      ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`,
    )}</dl></section>
    <${Chart} messages=${feed.messages} hasMore=${feed.hasMore} />
    ${
      hasScope('admin') &&
      html`<div class="row">
      ${isClosed(record) && html`<a class="button primary" href=${linkTo(record.name, 'link')}>Link to a phone</a>`}
      <button type="button" disabled=${isBusy} onClick=${() => run(restart)}>Restart</button>
      <button type="button" onClick=${() => setConfirming('logout')}>${ACTIONS.logout.title}</button>
      <button type="button" class="danger" onClick=${() => setConfirming('delete')}>${ACTIONS.delete.title}</button>
    </div>`
    }
    ${
      action &&
      html`<${Confirm} title=${`${action.title} ${record.name}?`} text=${action.question} action=${action.title}
      work=${() => perform(confirming)} onClose=${() => setConfirming(undefined)} />`
    }`;
}

/**
 * @param {InstanceRecord} record
 * @returns {[term: string, value: string | number][]}
 */
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
  /** @type {[term: string, value: string | number][]} */
  const facts = [
    ['Account', [profileName, numberOf(record)].filter(Boolean).join(' · ') || 'none yet'],
    ['Stored messages', counts?.Message ?? 0],
    ['Chats', counts?.Chat ?? 0],
    ['Contacts', counts?.Contact ?? 0],
    ['New chats', quotaOf(record)],
    ['Created', timeOf(createdAt)],
    ['Last disconnected', timeOf(disconnectionAt) || 'never'],
    ['Client version', `${platformVersion} (${platformVersionSource})`],
    ['ID', id],
  ];
  return facts.filter(([, value]) => value !== '');
}
