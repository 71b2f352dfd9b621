// The conversation of an instance with delivery ticks, and the form that sends messages.
import { useState } from 'preact/hooks';
import { call, hasScope, pathOf } from './api.js';
import { chatLabelsOf } from './people.js';
import { Field, html, onValue, Problem, textsOf, timeOf, useScrollToEnd, useWork } from './view.js';

/** @typedef {import('../types.d.ts').Feed} Feed */
/** @typedef {import('../types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {import('../types.d.ts').MessageRow} MessageRow */

/** @type {Record<string, [sign: string, label: string]>} */
const TICKS = {
  PENDING: ['◷', 'Sending'],
  SERVER_ACK: ['✓', 'Sent'],
  DELIVERY_ACK: ['✓✓', 'Delivered'],
  READ: ['✓✓', 'Read'],
  PLAYED: ['✓✓', 'Played'],
  ERROR: ['⚠', 'Not sent'],
  DELETED: ['×', 'Deleted'],
};

/** @param {{ record: InstanceRecord, feed: Feed }} props */
export function Messages({ record, feed }) {
  const [chosen, setChat] = useState('');
  const all = [...feed.messages.values()].sort((one, other) => one.at - other.at);
  const chats = chatLabelsOf(all);
  // The chat is gone from the list when its number becomes known.
  const chat = chats.has(chosen) ? chosen : '';
  const shown = chat ? all.filter((row) => row.chat === chat) : all;
  const log = useScrollToEnd(shown.length);
  return html`<section class="card talk" aria-label="Messages">
    <div class="bar">
      <p class="quiet" role="status">${feed.isLive ? 'Live: new messages appear automatically.' : 'Connecting…'}</p>
      <${Field} label="Chat" as="select" value=${chat} onChange=${onValue(setChat)}>
        <option value="">All chats</option>
        ${Array.from(chats, ([jid, label]) => html`<option value=${jid}>${label}</option>`)}
      <//>
    </div>
    <div class="log" role="log" aria-label="Conversation" tabindex="0" ref=${log}><ul role="list">
      ${shown.length === 0 && html`<li class="empty">No messages yet. Write to the linked phone, or send a message.</li>`}
      ${shown.map((row) => html`<${Message} key=${row.id} row=${row} chatLabel=${chats.get(row.chat) ?? row.chat} />`)}
    </ul></div>
    ${hasScope('send') && html`<${Compose} record=${record} feed=${feed} to=${chat.replace(/@s\.whatsapp\.net$/, '')} />`}
  </section>`;
}

const UNCERTAIN = 'The message may have been delivered: check the phone before you send it again.';
/**
 * Why a message was not sent and what to do, by error reason.
 * @type {Record<string, string>}
 */
const ERRORS = {
  account_restricted:
    'The platform does not let this account start new chats now. Wait, or let the contact write first.',
  token_missing: 'The platform does not accept messages to this new contact. Let the contact write first.',
  account_restricted_or_token_missing:
    'The platform does not accept messages to new contacts now. Wait, or let the contact write first.',
  new_chat_quota_used:
    'This account has started as many new chats as the platform allows for now. Wait, or let the contact write first.',
  group_addressing_mode_stale:
    'The platform has changed how it addresses the members of this group. Send the message again.',
  stanza_invalid_or_device_stale:
    'The platform rejected the message, possibly because of an outdated device. Send it again.',
  unconfirmed: `The connection closed before the platform confirmed the message. ${UNCERTAIN}`,
  timed_out: `The platform did not respond in time. ${UNCERTAIN}`,
};

/** @param {{ row: MessageRow, chatLabel: string }} props */
function Message({ row: { fromMe, name, text, at, status, reason, isEdited }, chatLabel }) {
  const [sign, label] = TICKS[status] ?? ['', status];
  const error = reason && (ERRORS[reason] ?? `The platform rejected the message: ${reason}.`);
  return html`<li class=${fromMe ? 'mine' : 'theirs'}>
    <p class="who">${fromMe ? `to ${chatLabel}` : chatLabel.startsWith(`${name}, `) ? chatLabel : `${name} ${chatLabel}`}</p>
    <p>${text}</p>
    ${status === 'ERROR' && error && html`<p class="why">${error}</p>`}
    <p class="when">
      <time>${timeOf(at)}</time> ${isEdited && html`<span>edited</span>`}
      ${
        fromMe &&
        html`<span class=${`tick ${status.toLowerCase()}`} data-status=${status}><span aria-hidden="true">${sign} </span>${label}</span>`
      }
    </p>
  </li>`;
}

/** The kind of message in which the file is sent. @param {File} file */
function mediaTypeOf({ type }) {
  const [kind = ''] = type.split('/');
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'document';
}

/** @param {{ record: InstanceRecord, feed: Feed, to: string }} props */
function Compose({ record: { name, connectionStatus }, feed, to }) {
  const [problem, isBusy, run] = useWork();
  const submit = (/** @type {import('../types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { number = '', text = '' } = textsOf(form);
    const fileInput = /** @type {HTMLInputElement} */ (form.elements.namedItem('file'));
    const textInput = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('text'));
    const file = fileInput.files?.[0];
    void run(async () => {
      if (!file && !text) throw new Error('Enter a text or choose a file');
      feed.add(
        await (file
          ? sendFile(name, number, text, file)
          : call('POST', pathOf`message/sendText/${name}`, { number, text })),
      );
      textInput.value = '';
      fileInput.value = '';
    });
  };
  return html`<form class="compose" onSubmit=${submit} aria-label="Send a message">
    <${Problem} text=${problem} />
    <div class="row top-aligned">
      <${Field} label="To" name="number" required key=${to} defaultValue=${to} autocomplete="off" hint="Phone number with country code, @user name, or the JID of a group" />
      <${Field} label="File (optional)" name="file" type="file" />
    </div>
    <${Field} label="Text" as="textarea" name="text" rows="2" maxlength="65536" />
    <button type="submit" class="primary" disabled=${isBusy || connectionStatus !== 'open'}>Send</button>
    ${connectionStatus !== 'open' && html`<p class="hint">The instance must be open to send messages.</p>`}
  </form>`;
}

/** @param {string} name @param {string} number @param {string} caption @param {File} file */
function sendFile(name, number, caption, file) {
  const form = new FormData();
  form.set('number', number);
  form.set('mediatype', mediaTypeOf(file));
  if (caption) form.set('caption', caption);
  form.set('fileName', file.name);
  form.set('file', file);
  return call('POST', pathOf`message/sendMedia/${name}`, form);
}
