// All instances with their live state, and new ones.
import { useState } from 'preact/hooks';
import { call } from './api.js';
import { Badge, Cause, numberOf } from './state.js';
import { Check, Dialog, Field, html, Problem, useWork, valuesOf } from './view.js';

export const linkTo = (name, tab = 'overview') => `#/i/${encodeURIComponent(name)}/${tab}`;

export function List({ records, canCreate, refresh }) {
  const [isCreating, setCreating] = useState(false);
  const [wanted, setWanted] = useState('');
  const shown = records.filter((record) =>
    `${record.name} ${record.profileName} ${numberOf(record)}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return html`<div class="bar">
      <h1 tabindex="-1">Instances</h1>
      ${canCreate && html`<button type="button" class="primary" onClick=${() => setCreating(true)}>New instance</button>`}
    </div>
    ${records.length > 6 && html`<${Field} label="Find" type="search" value=${wanted} onInput=${(event) => setWanted(event.target.value)} />`}
    ${records.length === 0 && html`<p class="empty">There is no instance yet. Make one, then link it with a phone.</p>`}
    <ul class="grid" role="list">${shown.map((record) => html`<${Item} key=${record.id} record=${record} />`)}</ul>
    ${isCreating && html`<${Create} refresh=${refresh} onClose=${() => setCreating(false)} />`}`;
}

function Item({ record }) {
  const { name, profileName, node, _count: counts } = record;
  const hasTrouble = record.connectionStatus === 'close' && record.phase === 'blocked';
  return html`<li class=${`card ${hasTrouble ? 'trouble' : ''}`}>
    <div class="bar"><h2><a href=${linkTo(name)}>${name}</a></h2><${Badge} record=${record} /></div>
    <p class="quiet">${[profileName, numberOf(record)].filter(Boolean).join(' · ') || 'No account yet'}</p>
    ${counts && html`<p class="quiet">${counts.Message} messages · ${counts.Chat} chats · ${counts.Contact} contacts</p>`}
    ${node !== undefined && html`<p class="quiet">${node === null ? 'On no node at the moment' : `On ${node}`}</p>`}
    <${Cause} record=${record} />
  </li>`;
}

function Create({ onClose, refresh }) {
  const [problem, busy, run] = useWork();
  const submit = (event) => {
    event.preventDefault();
    const { name, token, url, groupsIgnore, readMessages } = valuesOf(event.currentTarget);
    void run(async () => {
      const body = { instanceName: name, settings: { groupsIgnore, readMessages } };
      if (token) body.token = token;
      if (url) body.webhook = { enabled: true, url, events: [] };
      await call('POST', 'instance/create', body);
      await refresh();
      onClose();
      location.hash = linkTo(name, 'link');
    });
  };
  return html`<${Dialog} title="New instance" onClose=${onClose}>
    <form onSubmit=${submit}>
      <${Problem} text=${problem} />
      <${Field} label="Name" name="name" required maxlength="100" autocomplete="off" hint="It becomes part of addresses: short and plain is best." />
      <${Field} label="Key (optional)" name="token" maxlength="255" autocomplete="off" hint="Opens this instance alone. At least 16 characters. Without one, the gateway makes one." />
      <${Field} label="Webhook address (optional)" name="url" type="url" maxlength="2048" placeholder="https://" />
      <${Check} label="Ignore groups" name="groupsIgnore" />
      <${Check} label="Mark what arrives as read" name="readMessages" />
      <div class="row end">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy}>Create</button>
      </div>
    </form>
  <//>`;
}
