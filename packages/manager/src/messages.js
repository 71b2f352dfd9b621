// Messages as they come and go, with their ticks, and the way to send one.
import { useState } from 'preact/hooks';
import { at, call, may } from './api.js';
import { Field, html, Problem, timeOf, useEnd, useWork, valuesOf } from './view.js';

const ticks = {
  PENDING: ['◷', 'Sending'],
  SERVER_ACK: ['✓', 'Sent'],
  DELIVERY_ACK: ['✓✓', 'Delivered'],
  READ: ['✓✓', 'Read'],
  PLAYED: ['✓✓', 'Played'],
  ERROR: ['⚠', 'Not sent'],
  DELETED: ['×', 'Deleted'],
};

/** The number of a person, the whole address of everything else. */
const shortOf = (jid) => jid.replace(/@s\.whatsapp\.net$/, '');

export function Messages({ record, feed }) {
  const [chat, setChat] = useState('');
  const all = [...feed.messages.values()].sort((one, other) => one.at - other.at);
  const chats = [...new Set(all.map((line) => line.chat))];
  const shown = chat ? all.filter((line) => line.chat === chat) : all;
  const log = useEnd(shown.length);
  return html`<section class="card talk" aria-label="Messages">
    <div class="bar">
      <p class="quiet" role="status">${feed.isLive ? 'Live: new messages appear by themselves.' : 'Connecting…'}</p>
      <${Field} label="Chat" as="select" value=${chat} onChange=${(event) => setChat(event.target.value)}>
        <option value="">All chats</option>
        ${chats.map((jid) => html`<option value=${jid}>${shortOf(jid)}</option>`)}
      <//>
    </div>
    <div class="log" role="log" aria-label="Conversation" tabindex="0" ref=${log}><ul role="list">
      ${shown.length === 0 && html`<li class="empty">Nothing yet.</li>`}
      ${shown.map((line) => html`<${Line} key=${line.id} line=${line} />`)}
    </ul></div>
    ${may('send') && html`<${Compose} record=${record} feed=${feed} to=${chat && shortOf(chat)} />`}
  </section>`;
}

const unknown = 'Whether it arrived is not known: look at the phone before you send it again.';
/** Why a message was not sent, and what to do. */
const reasons = {
  account_restricted: 'The platform does not let this account write to strangers now. Wait, or let them write first.',
  token_missing: 'The platform takes nothing for a stranger here. Let them write first.',
  account_restricted_or_token_missing: 'The platform takes nothing for a stranger now. Wait, or let them write first.',
  stanza_invalid_or_device_stale: 'The platform refused it, perhaps for an outdated device. Send it again.',
  unconfirmed: `The connection ended before the platform answered. ${unknown}`,
  timed_out: `The platform did not answer in time. ${unknown}`,
};

function Line({ line: { fromMe, name, chat, text, at: time, status, reason, isEdited } }) {
  const [sign, words] = ticks[status] ?? ['', status];
  return html`<li class=${fromMe ? 'mine' : 'theirs'}>
    <p class="who">${fromMe ? `to ${shortOf(chat)}` : `${name} ${shortOf(chat)}`}</p>
    <p>${text}</p>
    ${status === 'ERROR' && reason && html`<p class="why">${reasons[reason] ?? `The platform refused it: ${reason}.`}</p>`}
    <p class="when">
      <time>${timeOf(time)}</time> ${isEdited && html`<span>edited</span>`}
      ${fromMe && html`<span class=${`tick ${status.toLowerCase()}`} data-status=${status}><span aria-hidden="true">${sign} </span>${words}</span>`}
    </p>
  </li>`;
}

/** What the platform should make of a file. */
function kindOf({ type }) {
  const [kind] = type.split('/');
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'document';
}

function Compose({ record: { name, connectionStatus }, feed, to }) {
  const [problem, busy, run] = useWork();
  const submit = (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { number, text } = valuesOf(form);
    const [file] = form.elements.file.files;
    void run(async () => {
      if (!file && !text) throw new Error('Write something, or choose a file');
      feed.add(
        await (file
          ? sendFile(name, number, text, file)
          : call('POST', at`message/sendText/${name}`, { number, text })),
      );
      form.elements.text.value = '';
      form.elements.file.value = '';
    });
  };
  return html`<form class="compose" onSubmit=${submit} aria-label="Send a message">
    <${Problem} text=${problem} />
    <div class="row top-aligned">
      <${Field} label="To" name="number" required key=${to} defaultValue=${to} autocomplete="off" hint="Number with country code, or the address of a group" />
      <${Field} label="File (optional)" name="file" type="file" />
    </div>
    <${Field} label="Text" as="textarea" name="text" rows="2" maxlength="65536" />
    <button type="submit" class="primary" disabled=${busy || connectionStatus !== 'open'}>Send</button>
    ${connectionStatus !== 'open' && html`<p class="hint">Messages can be sent while the instance is open.</p>`}
  </form>`;
}

function sendFile(name, number, caption, file) {
  const form = new FormData();
  form.set('number', number);
  form.set('mediatype', kindOf(file));
  if (caption) form.set('caption', caption);
  form.set('fileName', file.name);
  form.set('file', file);
  return call('POST', at`message/sendMedia/${name}`, form);
}
