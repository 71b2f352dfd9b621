// The view of one instance: state, actions, facts, and its tabs.
import { useEffect, useState } from 'preact/hooks';
import { call, hasScope } from './api.js';
import { Chart } from './chart.js';
import { t } from './current-language.js';
import { Events } from './events.js';
import { useFeed } from './feed.js';
import { Link } from './link.js';
import { linkTo } from './list.js';
import { Messages } from './messages.js';
import { otherPhoneOf, Phone } from './phone.js';
import { Settings } from './settings.js';
import { Badge, Cause, digitsOf, History, numberOf, quotaOf } from './state.js';
import { Confirm, html, Notice, Problem, timeOf, useWork } from './view.js';
import { Webhooks } from './webhooks.js';

/** @typedef {import('./types.d.ts').Feed} Feed */
/** @typedef {import('./types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {import('./types.d.ts').TextKey} TextKey */
/**
 * `refresh` requests the record of the instance again. `firstRecipient`: the recipient that the page fills into the
 * message form after linking; otherwise absent.
 * @typedef {object} PartProps
 * @property {InstanceRecord} record
 * @property {Feed} feed
 * @property {() => Promise<void>} refresh
 * @property {string} [firstRecipient]
 */
/**
 * `part`: the component of the tab. `scope`: the scope that the tab requires in addition to `read`. `isShown`: whether
 * the list of tabs contains the tab. Without `isShown`, or while the tab is open, the list contains it.
 * @typedef {object} Tab
 * @property {string} id
 * @property {import('./types.d.ts').TextKey} title
 * @property {(props: PartProps) => unknown} part
 * @property {string} [scope]
 * @property {(record: InstanceRecord) => boolean} [isShown]
 */

/** @param {InstanceRecord} record */
const isConnected = ({ connectionStatus }) => connectionStatus === 'open';

/** @type {Tab} */
const OVERVIEW = { id: 'overview', title: 'instance.overview', part: Overview };
/** @type {Tab[]} */
const TABS = [
  OVERVIEW,
  { id: 'link', title: 'instance.link', part: Link, scope: 'admin', isShown: (record) => !isConnected(record) },
  { id: 'messages', title: 'instance.messages', part: Messages },
  { id: 'events', title: 'instance.events', part: Events },
  { id: 'webhooks', title: 'instance.webhooks', part: Webhooks },
  { id: 'settings', title: 'instance.settings', part: Settings, scope: 'admin' },
];

/**
 * `tab`: id of the open tab. `hasPhones`: whether the page can show the phones of the sandbox (a simulated WhatsApp).
 * @param {{ record: InstanceRecord, tab: string, refresh: () => Promise<void>, hasPhones: boolean }} props
 */
export function Instance({ record, tab, refresh, hasPhones }) {
  const feed = useFeed(record.name);
  // Requests the record when the stream reports a change, instead of waiting for the next poll.
  useEffect(() => void refresh(), [feed.connection, feed.restriction]);
  const isOpen = isConnected(record);
  /** Whether the page has moved from the tab Link to the tab Messages. */
  const [isLinked, setLinked] = useState(false);
  // Opens the tab Messages after linking, because the next step of the user is the first message.
  useEffect(() => {
    if (tab !== 'link' || !isOpen) return;
    setLinked(true);
    location.replace(linkTo(record.name, 'messages'));
  }, [tab, isOpen]);
  const allowed = TABS.filter(({ scope }) => !scope || hasScope(scope));
  const { part: Part } = allowed.find(({ id }) => id === tab) ?? OVERVIEW;
  return html`<p class="crumb"><a href="#/">${t('list.title')}</a></p>
    <div class="bar">
      <h1 tabindex="-1">${record.name}</h1>
      <${Badge} record=${record} />
    </div>
    <${Cause} record=${record} />
    <${Problem} text=${feed.problem} />
    <${Notice} text=${isLinked && isOpen ? t('link.linked', { name: record.name }) : ''} />
    <${History} history=${feed.history} />
    <nav class="tabs" aria-label=${t('instance.parts')}>
      ${allowed
        .filter(({ isShown, id }) => id === tab || !isShown || isShown(record))
        .map(
          ({ id, title }) =>
            html`<a href=${linkTo(record.name, id)} aria-current=${id === tab ? 'page' : undefined}>${t(title)}</a>`,
        )}
    </nav>
    <div class=${hasPhones ? 'split' : ''}><div class="part">
      <${Part} record=${record} feed=${feed} refresh=${refresh} firstRecipient=${isLinked ? firstRecipientOf(record, hasPhones) : undefined} />
    </div>
    ${hasPhones && html`<${Phone} record=${record} />`}</div>`;
}

/**
 * The recipient that the page fills into the message form after linking: another phone of the sandbox, or on WhatsApp
 * the account itself, so that the test message reaches no other person.
 * @param {InstanceRecord} record
 * @param {boolean} hasPhones
 */
const firstRecipientOf = (record, hasPhones) => (hasPhones ? otherPhoneOf(record) : digitsOf(record));

/**
 * The texts of the actions that ask for confirmation: the button, and the title and question of the dialog.
 * @type {Record<'logout' | 'delete', { action: TextKey, title: TextKey, question: TextKey }>}
 */
const ACTIONS = {
  logout: {
    action: 'instance.unlink',
    title: 'instance.unlinkTitle',
    question: 'instance.unlinkText',
  },
  delete: {
    action: 'instance.delete',
    title: 'instance.deleteTitle',
    question: 'instance.deleteText',
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
    setNotice(response?.response?.message ?? t('instance.restarted'));
    await refresh();
  };
  const perform = async (/** @type {keyof typeof ACTIONS} */ action) => {
    setNotice('');
    const response = await call('DELETE', path(action));
    if (action === 'delete') location.hash = '#/';
    else setNotice(response?.response?.message ?? t('instance.unlinked'));
    await refresh();
  };
  const texts = confirming && ACTIONS[confirming];
  return html`<${Problem} text=${problem} /><${Notice} text=${notice} />
    <section class="card" aria-label=${t('instance.facts')}><dl class="facts">${factsOf(record).map(
      ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`,
    )}</dl></section>
    <${Chart} messages=${feed.messages} hasMore=${feed.hasMore} />
    ${
      hasScope('admin') &&
      html`<div class="row">
      ${!isConnected(record) && html`<a class="button primary" href=${linkTo(record.name, 'link')}>${t('instance.linkPhone')}</a>`}
      <button type="button" disabled=${isBusy} onClick=${() => run(restart)}>${t('instance.restart')}</button>
      <button type="button" onClick=${() => setConfirming('logout')}>${t(ACTIONS.logout.action)}</button>
      <button type="button" class="danger" onClick=${() => setConfirming('delete')}>${t(ACTIONS.delete.action)}</button>
    </div>`
    }
    ${
      texts &&
      html`<${Confirm} title=${t(texts.title, { name: record.name })} text=${t(texts.question)} action=${t(texts.action)}
      work=${() => perform(confirming)} onClose=${() => setConfirming(undefined)} />`
    }`;
}

/**
 * The facts that the overview lists, without those that have no value.
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
    [t('facts.account'), [profileName, numberOf(record)].filter(Boolean).join(' · ') || t('facts.none')],
    [t('facts.messages'), counts?.Message ?? 0],
    [t('facts.chats'), counts?.Chat ?? 0],
    [t('facts.contacts'), counts?.Contact ?? 0],
    [t('facts.newChats'), quotaOf(record)],
    [t('facts.created'), timeOf(createdAt)],
    [t('facts.disconnected'), timeOf(disconnectionAt) || t('facts.never')],
    [t('facts.version'), `${platformVersion} (${platformVersionSource})`],
    [t('facts.id'), id],
  ];
  return facts.filter(([, value]) => value !== '');
}
