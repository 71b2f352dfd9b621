// The list of instances with their live state, and the dialog that creates one.
import { useEffect, useState } from 'preact/hooks';
import { call } from './api.js';
import { t } from './current-language.js';
import { Badge, Cause, numberOf, STATES } from './state.js';
import {
  Check,
  checksOf,
  Dialog,
  Field,
  focusFirst,
  html,
  onValue,
  Problem,
  textsOf,
  usePolling,
  useWork,
} from './view.js';

/** @typedef {import('./types.d.ts').InstanceSummary} InstanceSummary */
/** @typedef {import('./types.d.ts').InstancePage} InstancePage */
/** @typedef {import('./types.d.ts').Attempt} Attempt */

/** @param {string} name @param {string} [tab] */
export const linkTo = (name, tab = 'overview') => `#/i/${encodeURIComponent(name)}/${tab}`;

/** Interval of the requests for the list. */
const POLL_INTERVAL_MS = 4000;
/** Number of instances on a page. */
const PAGE_SIZE = 60;
/** Number of instances above which the list has a search and a filter. */
const MAX_UNFILTERED = 6;
/** The suggested name of the first instance. */
const FIRST_NAME = 'main';

/** @param {{ search: string, state: string, page: number }} filter */
function queryOf({ search, state, page }) {
  // In this API, `offset` is the number of instances per page.
  const query = new URLSearchParams({ fields: 'summary', page: String(page), offset: String(PAGE_SIZE) });
  if (search.trim()) query.set('search', search.trim());
  if (state) query.set('state', state);
  return query;
}

/**
 * `attempt` runs a request of the list and shows its error.
 * @param {{ attempt: Attempt, canCreate: boolean }} props
 */
export function List({ attempt, canCreate }) {
  const [isCreating, setCreating] = useState(false);
  const [filter, setFilter] = useState({ search: '', state: '', page: 1 });
  // `isAll`: the list was loaded without a filter.
  const [list, setList] = useState(
    /** @type {(InstancePage['instances'] & { isAll: boolean }) | undefined} */ (undefined),
  );
  const { search, state, page } = filter;
  const isFiltered = search !== '' || state !== '';
  const load = (/** @type {AbortSignal | undefined} */ signal) =>
    attempt(async () => {
      const { instances } = await call('GET', `instance/fetchInstances?${queryOf(filter)}`, undefined, signal);
      setList({ ...instances, isAll: !isFiltered });
      // The list can have fewer pages than before. The highest page is then shown.
      if (page > Math.max(1, instances.pages)) setFilter({ ...filter, page: Math.max(1, instances.pages) });
    });
  usePolling(load, POLL_INTERVAL_MS, [search, state, page]);
  // `list.total` counts only the instances in the state of the filter.
  const total = Object.values(list?.states ?? {}).reduce((sum, count) => sum + count, 0);
  const isEmpty = list?.isAll === true && list.total === 0;
  const offersFirst = isEmpty && canCreate;
  useEffect(focusFirst, [offersFirst]);
  return html`<div class="bar">
      <h1 tabindex="-1">${t('list.title')}</h1>
      ${canCreate && list && !isEmpty && html`<button type="button" class="primary" onClick=${() => setCreating(true)}>${t('list.new')}</button>`}
    </div>
    ${!list && html`<p class="quiet" role="status">${t('app.loading')}</p>`}
    ${
      list &&
      (total > MAX_UNFILTERED || isFiltered || !list.isAll) &&
      html`<${Filter} list=${list} total=${total} search=${search} state=${state}
      onChange=${(/** @type {object} */ change) => setFilter({ ...filter, ...change, page: 1 })} />`
    }
    ${isEmpty && !canCreate && html`<p class="empty">${t('list.emptyReadOnly')}</p>`}
    ${offersFirst && html`<${FirstInstance} />`}
    ${list?.total === 0 && !isEmpty && html`<p class="empty">${t('list.noMatch')}</p>`}
    <ul class="grid" role="list">${list?.records.map((record) => html`<${Item} key=${record.id} record=${record} />`)}</ul>
    ${list && list.pages > 1 && html`<${Pages} page=${page} pages=${list.pages} onChange=${(/** @type {number} */ next) => setFilter({ ...filter, page: next })} />`}
    ${isCreating && html`<${CreateDialog} onClose=${() => setCreating(false)} />`}`;
}

/** @param {{ page: number, pages: number, onChange: (page: number) => void }} props */
const Pages = ({ page, pages, onChange }) => html`<nav class="row pages" aria-label=${t('list.pages')}>
    <button type="button" disabled=${page <= 1} onClick=${() => onChange(page - 1)}>${t('list.previous')}</button>
    <p class="quiet" role="status">${t('list.page', { page, pages })}</p>
    <button type="button" disabled=${page >= pages} onClick=${() => onChange(page + 1)}>${t('list.next')}</button>
  </nav>`;

/**
 * The search by name, account or number, and the filter by state. `total`: number of instances that match the search.
 * @param {object} props
 * @param {InstancePage['instances']} props.list
 * @param {number} props.total
 * @param {string} props.search
 * @param {string} props.state
 * @param {(change: { search?: string, state?: string }) => void} props.onChange
 */
function Filter({ list, total, search, state, onChange }) {
  return html`<div class="row">
      <${Field} label=${t('list.search')} type="search" value=${search} maxlength="100" onInput=${onValue((value) => onChange({ search: value }))} />
      <${Field} label=${t('list.state')} as="select" value=${state} onChange=${onValue((value) => onChange({ state: value }))}>
        <option value="">${t('list.stateCount', { state: t('list.all'), total })}</option>
        ${statesOf(list).map(([id, label, count]) => html`<option value=${id}>${t('list.stateCount', { state: t(label), total: count })}</option>`)}
      <//>
    </div>
    <p class="quiet" role="status">${t('count.instances', { count: list.total })}</p>`;
}

/**
 * The states with their label and their number of instances.
 * @param {InstancePage['instances']} list
 * @returns {[id: string, label: import('./types.d.ts').TextKey, count: number][]}
 */
const statesOf = ({ states }) => [
  ['open', STATES.open, states.open],
  ['connecting', STATES.connecting, states.connecting],
  ['close', STATES.close, states.close],
];

/** @param {{ record: InstanceSummary }} props */
function Item({ record }) {
  const { name, profileName, node } = record;
  const hasTrouble = record.connectionStatus === 'close' && record.phase === 'blocked';
  return html`<li class=${`card ${hasTrouble ? 'trouble' : ''}`}>
    <div class="bar"><h2><a href=${linkTo(name)}>${name}</a></h2><${Badge} record=${record} /></div>
    <p class="quiet">${[profileName, numberOf(record)].filter(Boolean).join(' · ') || t('list.noAccount')}</p>
    ${node !== undefined && html`<p class="quiet">${node === null ? t('list.noNode') : t('list.onNode', { node })}</p>`}
    <${Cause} record=${record} />
  </li>`;
}

/** The form in place of an empty list. The name is filled in, so creating the first instance needs one click. */
const FirstInstance = () => html`<section class="card first" aria-labelledby="first-title">
    <h2 id="first-title">${t('list.first')}</h2>
    <p>${t('list.empty')}</p>
    <${CreateForm} suggestion=${FIRST_NAME} />
  </section>`;

/** @param {{ onClose: () => void }} props */
const CreateDialog = ({ onClose }) => html`<${Dialog} title=${t('list.new')} onClose=${onClose}>
    <${CreateForm} onClose=${onClose} />
  <//>`;

/**
 * Creates an instance and shows its QR code. `suggestion`: the name that is filled in. `onClose`: closes the dialog
 * around the form.
 * @param {{ suggestion?: string, onClose?: () => void }} props
 */
function CreateForm({ suggestion = '', onClose }) {
  const [problem, isBusy, run] = useWork();
  const submit = (/** @type {import('./types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const { name = '', token, url } = textsOf(event.currentTarget);
    const { groupsIgnore, readMessages } = checksOf(event.currentTarget);
    void run(async () => {
      // An empty list of events means all events.
      await call('POST', 'instance/create', {
        instanceName: name,
        settings: { groupsIgnore, readMessages },
        token: token || undefined,
        webhook: url ? { enabled: true, url, events: [] } : undefined,
      });
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
