// The conversation of an instance with delivery ticks, and the form that sends messages.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, hasScope, pathOf } from './api.js';
import { t } from './current-language.js';
import { rowKeyOf } from './feed-state.js';
import { linkTo } from './list.js';
import { chatLabelsOf } from './people.js';
import { Field, html, onValue, Problem, textsOf, timeOf, useScrollToEnd, useWork } from './view.js';

/** @typedef {import('./types.d.ts').Feed} Feed */
/** @typedef {import('./types.d.ts').InstanceRecord} InstanceRecord */
/** @typedef {import('./types.d.ts').MessageRow} MessageRow */
/** @typedef {import('./types.d.ts').TextKey} TextKey */

/** The sign and its text, by delivery status. @type {Record<string, { sign: string, label: TextKey }>} */
const TICKS = {
  PENDING: { sign: '◷', label: 'tick.pending' },
  SERVER_ACK: { sign: '✓', label: 'tick.sent' },
  DELIVERY_ACK: { sign: '✓✓', label: 'tick.delivered' },
  READ: { sign: '✓✓', label: 'tick.read' },
  PLAYED: { sign: '✓✓', label: 'tick.played' },
  ERROR: { sign: '⚠', label: 'tick.error' },
  DELETED: { sign: '×', label: 'tick.deleted' },
};

/**
 * `firstRecipient`: the recipient that the page fills into the form after linking; otherwise absent.
 * @param {{ record: InstanceRecord, feed: Feed, firstRecipient?: string }} props
 */
export function Messages({ record, feed, firstRecipient }) {
  const [chosen, setChosen] = useState('');
  const all = [...feed.messages.values()].sort((one, other) => one.at - other.at);
  const chats = chatLabelsOf(all);
  // The feed renames a chat when its phone number becomes known. The chosen JID is then no longer in the list.
  const chat = chats.has(chosen) ? chosen : '';
  const shown = chat ? all.filter((row) => row.chat === chat) : all;
  const log = useScrollToEnd(shown.length);
  return html`<section class="card talk" aria-label=${t('instance.messages')}>
    <div class="bar">
      <p class="quiet" role="status">${t(feed.isLive ? 'messages.live' : 'app.connecting')}</p>
      <${Field} label=${t('messages.chat')} as="select" value=${chat} onChange=${onValue(setChosen)}>
        <option value="">${t('messages.allChats')}</option>
        ${Array.from(chats, ([jid, label]) => html`<option value=${jid}>${label}</option>`)}
      <//>
    </div>
    <div class="log" role="log" aria-label=${t('messages.log')} tabindex="0" ref=${log}><ul role="list">
      ${shown.length === 0 && html`<li class="empty">${t(record.connectionStatus === 'open' ? 'messages.empty' : 'messages.emptyClosed')}</li>`}
      ${shown.map((row) => html`<${Message} key=${rowKeyOf(row)} row=${row} chatLabel=${chats.get(row.chat) ?? row.chat} />`)}
    </ul></div>
    ${
      hasScope('send') &&
      html`<${Compose} record=${record} feed=${feed} isFirst=${Boolean(firstRecipient)}
      to=${chat.replace(/@s\.whatsapp\.net$/, '') || firstRecipient || ''} />`
    }
  </section>`;
}

/**
 * Why a message was not sent and what to do, by error reason.
 * @type {Record<string, TextKey>}
 */
const ERRORS = {
  account_restricted: 'sendError.restricted',
  token_missing: 'sendError.token',
  account_restricted_or_token_missing: 'sendError.newContacts',
  new_chat_quota_used: 'sendError.quota',
  group_addressing_mode_stale: 'sendError.group',
  stanza_invalid_or_device_stale: 'sendError.device',
  unconfirmed: 'sendError.unconfirmed',
  timed_out: 'sendError.timeout',
};

/**
 * The heading of a message: its author and its chat. When the label of the chat begins with the name of the author, as
 * for a hidden number, the label alone is the heading.
 * @param {MessageRow} row
 * @param {string} chatLabel
 */
function headingOf({ fromMe, name }, chatLabel) {
  if (fromMe) return t('messages.toChat', { chat: chatLabel });
  return chatLabel.startsWith(`${name}, `) ? chatLabel : `${name} ${chatLabel}`;
}

/** @param {{ row: MessageRow, chatLabel: string }} props */
function Message({ row, chatLabel }) {
  const { fromMe, kind, text, at, status, reason, isEdited } = row;
  const { sign = '', label } = TICKS[status] ?? {};
  const error = reason && t(ERRORS[reason] ?? 'sendError.other', { reason });
  return html`<li class=${fromMe ? 'mine' : 'theirs'}>
    <p class="who">${headingOf(row, chatLabel)}</p>
    <p>${[kind && t(kind), text].filter(Boolean).join(': ')}</p>
    ${status === 'ERROR' && error && html`<p class="why">${error}</p>`}
    <p class="when">
      <time>${timeOf(at)}</time> ${isEdited && html`<span>${t('messages.edited')}</span>`}
      ${
        fromMe &&
        html`<span class=${`tick ${status.toLowerCase()}`} data-status=${status}><span aria-hidden="true">${sign} </span>${label ? t(label) : status}</span>`
      }
    </p>
  </li>`;
}

/** The kind of message (`mediatype` of the API) that can contain the file. @param {File} file */
function mediaTypeOf({ type }) {
  const [kind = ''] = type.split('/');
  return ['image', 'video', 'audio'].includes(kind) ? kind : 'document';
}

/**
 * The form that sends a message. `to`: the recipient that the page fills into the form. `isFirst`: whether the account
 * was just linked. If so, the field of the text gets the focus.
 * @param {{ record: InstanceRecord, feed: Feed, to: string, isFirst: boolean }} props
 */
function Compose({ record: { name, connectionStatus }, feed, to, isFirst }) {
  const [problem, isBusy, run] = useWork();
  const formRef = useRef(/** @type {HTMLFormElement | null} */ (null));
  useEffect(() => {
    const text = formRef.current?.elements.namedItem('text');
    if (isFirst && text instanceof HTMLElement) text.focus();
  }, []);
  const submit = (/** @type {import('./types.d.ts').FormEvent} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { number = '', text = '' } = textsOf(form);
    const fileInput = /** @type {HTMLInputElement} */ (form.elements.namedItem('file'));
    const textInput = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('text'));
    const file = fileInput.files?.[0];
    void run(async () => {
      if (!file && !text) throw new Error(t('messages.nothing'));
      feed.add(
        await (file
          ? sendFile(name, number, text, file)
          : call('POST', pathOf`message/sendText/${name}`, { number, text })),
      );
      textInput.value = '';
      fileInput.value = '';
    });
  };
  // A field uses `defaultValue` only when it is created. `key` makes Preact create a new field when `to` changes.
  return html`<form class="compose" onSubmit=${submit} ref=${formRef} aria-label=${t('messages.form')}>
    <${Problem} text=${problem} />
    <div class="row top-aligned">
      <${Field} label=${t('messages.to')} name="number" required key=${to} defaultValue=${to} autocomplete="off" hint=${t('messages.toHint')} />
      <${Field} label=${t('messages.file')} name="file" type="file" />
    </div>
    <${Field} label=${t('messages.text')} as="textarea" name="text" rows="2" maxlength="65536" />
    <button type="submit" class="primary" disabled=${isBusy || connectionStatus !== 'open'}>${t('messages.send')}</button>
    ${connectionStatus !== 'open' && html`<p class="hint">${t('messages.notOpen')} ${hasScope('admin') && html`<a href=${linkTo(name, 'link')}>${t('instance.linkPhone')}</a>`}</p>`}
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
