// The list of instances with their live state, and the dialog that creates one.
import { useState } from 'preact/hooks';
import { call } from './api.js';
import { t } from './i18n.js';
import { Badge, Cause, numberOf, STATES } from './state.js';
import { Check, checksOf, Dialog, Field, html, onValue, Problem, textsOf, useWork } from './view.js';

/** @typedef {import('../types.d.ts').InstanceRecord} InstanceRecord */

/** @param {string} name @param {string} [tab] */
export const linkTo = (name, tab = 'overview') => `#/i/${encodeURIComponent(name)}/${tab}`;

/** Number of instances that are shown at first, and added by "Show more". */
const PAGE_SIZE = 60;
/** Number of instances above which the list has a search and a filter. */
const MAX_UNFILTERED = 6;
/** The suggested name of the first instance. */
const FIRST_NAME = 'main';

/** @param {{ records: InstanceRecord[], canCreate: boolean, refresh: () => Promise<void> }} props */
export function List({ records, canCreate, refresh }) {
  const [isCreating, setCreating] = useState(false);
  const [filter, setFilter] = useState({ search: '', state: '', limit: PAGE_SIZE });
  const { search, state, limit } = filter;
  const wanted = search.trim().toLowerCase();
  const found = records.filter(
    (record) =>
      (!state || record.connectionStatus === state) &&
      `${record.name} ${record.profileName ?? ''} ${numberOf(record)}`.toLowerCase().includes(wanted),
  );
  const shown = found.slice(0, limit);
  const isEmpty = records.length === 0;
  return html`<div class="bar">
      <h1 tabindex="-1">${t('list.title')}</h1>
      ${canCreate && !isEmpty && html`<button type="button" class="primary" onClick=${() => setCreating(true)}>${t('list.new')}</button>`}
    </div>
    ${
      records.length > MAX_UNFILTERED &&
      html`<${Filter} records=${records} search=${search} state=${state} count=${found.length}
      onChange=${(/** @type {object} */ change) => setFilter({ ...filter, ...change, limit: PAGE_SIZE })} />`
    }
    ${isEmpty && !canCreate && html`<p class="empty">${t('list.emptyReadOnly')}</p>`}
    ${isEmpty && canCreate && html`<${First} refresh=${refresh} />`}
    ${!isEmpty && found.length === 0 && html`<p class="empty">${t('list.noMatch')}</p>`}
    <ul class="grid" role="list">${shown.map((record) => html`<${Item} key=${record.id} record=${record} />`)}</ul>
    ${
      found.length > limit &&
      html`<div class="row"><button type="button" onClick=${() => setFilter({ ...filter, limit: limit + PAGE_SIZE })}>${t('app.showMore')}</button>
      <p class="quiet">${t('list.shown', { shown: limit, total: found.length })}</p></div>`
    }
    ${isCreating && html`<${Create} refresh=${refresh} onClose=${() => setCreating(false)} />`}`;
}

/**
 * The search by name, account or number, and the filter by state. `count`: number of instances that match both.
 * @param {object} props
 * @param {InstanceRecord[]} props.records
 * @param {string} props.search
 * @param {string} props.state
 * @param {number} props.count
 * @param {(change: { search?: string, state?: string }) => void} props.onChange
 */
function Filter({ records, search, state, count, onChange }) {
  const countOf = (/** @type {string} */ id) =>
    records.filter(({ connectionStatus }) => connectionStatus === id).length;
  return html`<div class="row">
      <${Field} label=${t('list.search')} type="search" value=${search} onInput=${onValue((value) => onChange({ search: value }))} />
      <${Field} label=${t('list.state')} as="select" value=${state} onChange=${onValue((value) => onChange({ state: value }))}>
        <option value="">${t('list.stateCount', { state: t('list.all'), total: records.length })}</option>
        ${Object.entries(STATES).map(([id, label]) => html`<option value=${id}>${t('list.stateCount', { state: t(label), total: countOf(id) })}</option>`)}
      <//>
    </div>
    <p class="quiet" role="status">${t('count.instances', { count })}</p>`;
}

/** @param {{ record: InstanceRecord }} props */
function Item({ record }) {
  const { name, profileName, node, _count: counts } = record;
  const hasTrouble = record.connectionStatus === 'close' && record.phase === 'blocked';
  const totals = counts && [
    t('count.messages', { count: counts.Message }),
    t('count.chats', { count: counts.Chat }),
    t('count.contacts', { count: counts.Contact }),
  ];
  return html`<li class=${`card ${hasTrouble ? 'trouble' : ''}`}>
    <div class="bar"><h2><a href=${linkTo(name)}>${name}</a></h2><${Badge} record=${record} /></div>
    <p class="quiet">${[profileName, numberOf(record)].filter(Boolean).join(' · ') || t('list.noAccount')}</p>
    ${totals && html`<p class="quiet">${totals.join(' · ')}</p>`}
    ${node !== undefined && html`<p class="quiet">${node === null ? t('list.noNode') : t('list.onNode', { node })}</p>`}
    <${Cause} record=${record} />
  </li>`;
}

/** Stands in for the list while it is empty: the first instance needs one click. @param {{ refresh: () => Promise<void> }} props */
const First = ({ refresh }) => html`<section class="card first" aria-labelledby="first-title">
    <h2 id="first-title">${t('list.first')}</h2>
    <p>${t('list.empty')}</p>
    <${CreateForm} refresh=${refresh} suggestion=${FIRST_NAME} />
  </section>`;

/** @param {{ onClose: () => void, refresh: () => Promise<void> }} props */
const Create = ({ onClose, refresh }) => html`<${Dialog} title=${t('list.new')} onClose=${onClose}>
    <${CreateForm} refresh=${refresh} onClose=${onClose} />
  <//>`;

/**
 * Creates an instance and shows its QR code. `suggestion`: the name that is filled in. `onClose`: closes the dialog
 * around the form.
 * @param {{ refresh: () => Promise<void>, suggestion?: string, onClose?: () => void }} props
 */
function CreateForm({ refresh, suggestion = '', onClose }) {
  const [problem, isBusy, run] = useWork();
  const submit = (/** @type {import('../types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const { name = '', token, url } = textsOf(event.currentTarget);
    const { groupsIgnore, readMessages } = checksOf(event.currentTarget);
    void run(async () => {
      await call('POST', 'instance/create', {
        instanceName: name,
        settings: { groupsIgnore, readMessages },
        token: token || undefined,
        webhook: url ? { enabled: true, url, events: [] } : undefined,
      });
      await refresh();
      onClose?.();
      location.hash = linkTo(name, 'link');
    });
  };
  return html`<form onSubmit=${submit}>
    <${Problem} text=${problem} />
    <${Field} label=${t('create.name')} name="name" required maxlength="100" autocomplete="off" hint=${t('create.nameHint')}
      defaultValue=${suggestion} data-focus=${suggestion ? '' : undefined} />
    <details>
      <summary>${t('create.options')}</summary>
      <${Field} label=${t('create.key')} name="token" maxlength="255" autocomplete="off"
        hint=${t('create.keyHint')} />
      <${Field} label=${t('create.webhook')} name="url" type="url" maxlength="2048" placeholder="https://" />
      <${Check} label=${t('settings.groupsIgnore')} name="groupsIgnore" />
      <${Check} label=${t('settings.readMessages')} name="readMessages" />
    </details>
    <div class="row end">
      ${onClose && html`<button type="button" onClick=${onClose}>${t('app.cancel')}</button>`}
      <button type="submit" class="primary" disabled=${isBusy}>${t('create.submit')}</button>
    </div>
  </form>`;
}
