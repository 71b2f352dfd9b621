// The list of instances with their live state, and the dialog that creates one.
import { useState } from 'preact/hooks';
import { call } from './api.js';
import { Badge, Cause, numberOf } from './state.js';
import { Check, checksOf, Dialog, Field, html, onValue, Problem, plural, textsOf, useWork } from './view.js';

/** @typedef {import('../types.d.ts').InstanceRecord} InstanceRecord */

/** @param {string} name @param {string} [tab] */
export const linkTo = (name, tab = 'overview') => `#/i/${encodeURIComponent(name)}/${tab}`;

/** @param {{ records: InstanceRecord[], canCreate: boolean, refresh: () => Promise<void> }} props */
export function List({ records, canCreate, refresh }) {
  const [isCreating, setCreating] = useState(false);
  const [search, setSearch] = useState('');
  const shown = records.filter((record) =>
    `${record.name} ${record.profileName} ${numberOf(record)}`.toLowerCase().includes(search.toLowerCase()),
  );
  return html`<div class="bar">
      <h1 tabindex="-1">Instances</h1>
      ${canCreate && html`<button type="button" class="primary" onClick=${() => setCreating(true)}>New instance</button>`}
    </div>
    ${records.length > 6 && html`<${Field} label="Search" type="search" value=${search} onInput=${onValue(setSearch)} />`}
    ${records.length === 0 && html`<p class="empty">There are no instances yet. Create one, then link it to a phone.</p>`}
    <ul class="grid" role="list">${shown.map((record) => html`<${Item} key=${record.id} record=${record} />`)}</ul>
    ${isCreating && html`<${Create} refresh=${refresh} onClose=${() => setCreating(false)} />`}`;
}

/** @param {{ record: InstanceRecord }} props */
function Item({ record }) {
  const { name, profileName, node, _count: counts } = record;
  const hasTrouble = record.connectionStatus === 'close' && record.phase === 'blocked';
  const totals = counts && [
    plural(counts.Message, 'message'),
    plural(counts.Chat, 'chat'),
    plural(counts.Contact, 'contact'),
  ];
  return html`<li class=${`card ${hasTrouble ? 'trouble' : ''}`}>
    <div class="bar"><h2><a href=${linkTo(name)}>${name}</a></h2><${Badge} record=${record} /></div>
    <p class="quiet">${[profileName, numberOf(record)].filter(Boolean).join(' · ') || 'No account yet'}</p>
    ${totals && html`<p class="quiet">${totals.join(' · ')}</p>`}
    ${node !== undefined && html`<p class="quiet">${node === null ? 'Not on any node' : `On ${node}`}</p>`}
    <${Cause} record=${record} />
  </li>`;
}

/** @param {{ onClose: () => void, refresh: () => Promise<void> }} props */
function Create({ onClose, refresh }) {
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
      onClose();
      location.hash = linkTo(name, 'link');
    });
  };
  return html`<${Dialog} title="New instance" onClose=${onClose}>
    <form onSubmit=${submit}>
      <${Problem} text=${problem} />
      <${Field} label="Name" name="name" required maxlength="100" autocomplete="off" hint="The name is part of URLs. Keep it short and plain." />
      <${Field} label="Key (optional)" name="token" maxlength="255" autocomplete="off"
        hint="Gives access to this instance only. At least 16 characters. Empty: the gateway generates a key." />
      <${Field} label="Webhook URL (optional)" name="url" type="url" maxlength="2048" placeholder="https://" />
      <${Check} label="Ignore groups" name="groupsIgnore" />
      <${Check} label="Mark incoming messages as read" name="readMessages" />
      <div class="row end">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${isBusy}>Create</button>
      </div>
    </form>
  <//>`;
}
