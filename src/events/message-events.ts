// Descriptors of the events about messages: received, sent, edited, deleted and undecryptable messages, changes of
// their status, and the messages of the history sync. A descriptor says how events of one type are posted, ordered and
// stored; event-descriptor.ts documents its members.
import { toBothForms } from './both-forms.ts';
import type { Edit, EventRow, StatusChange } from './event-batch.ts';
import {
  type BatchDraft,
  type EventData,
  type EventDescriptors,
  type EventItem,
  type EventOf,
  type EventOwner,
  stringsIn,
} from './event-descriptor.ts';
import type { Authority, Message, MessageEdit, MessageKey, Vote } from './events.ts';

type MessageEventType =
  | 'messages.set'
  | 'messages.upsert'
  | 'messages.edited'
  | 'messages.update'
  | 'messages.delete'
  | 'messages.undecryptable'
  | 'send.message'
  | 'send.message.update';

type Update = EventOf<'messages.update'>;
type StatusUpdate = Exclude<Update, { vote: Vote } | { starred: boolean }>;

/**
 * Returns the known addresses of the chat of an item: phone number and LID (an id that hides the number). A string item
 * is itself the address.
 */
const chatAddresses = (item: EventItem): string[] =>
  typeof item === 'string' ? [item] : stringsIn(item.key, ['remoteJid', 'remoteJidAlt']);

/**
 * Identifies the author of a message in its chat. Empty when the author is the other person of a direct chat. The
 * identity of an event, by which repeated events are recognized, needs the author: a sender chooses the message id and
 * can choose the id of another person's message.
 */
const authorIn = ({ fromMe, participant }: MessageKey): unknown[] => {
  if (fromMe) return [fromMe];
  return participant === undefined ? [] : [participant];
};

/** Returns the values that identify a message, for the identity of its events. */
const identityOf = (key: MessageKey): unknown[] => {
  const { remoteJid, fromMe, id } = key;
  return [remoteJid, fromMe, id, ...(fromMe ? [] : authorIn(key))];
};

export const MESSAGE_EVENTS = {
  'messages.set': {
    toData: ({ messages }, owner) => messages.map((message) => toMessageData(message, owner)),
    identity: ({ messages }) => messages.map(({ key }) => identityOf(key)),
    chatAddresses,
    addToBatch({ messages }, published, batch) {
      for (const message of messages) batch.messages.push({ message, events: [], isHistory: true });
      batch.events.push(...published);
    },
    split: (event) => event.messages.map((message) => ({ ...event, messages: [message] })),
  },
  'messages.upsert': {
    toData: ({ message }, owner) => toMessageData(message, owner),
    lane: ({ message }) => message.key.remoteJid,
    identity: ({ message: { key } }) => identityOf(key),
    chatAddresses,
    addToBatch({ message }, published, batch) {
      batch.messages.push({ message, events: published });
    },
    replacement({ message: { key, messageTimestamp, pushName } }) {
      return {
        type: 'messages.undecryptable',
        key,
        messageTimestamp,
        reason: 'unprocessable',
        ...(pushName ? { pushName } : {}),
      };
    },
    mayHaveFile: true,
  },
  'messages.edited': {
    toData: (event, owner) => toEditData(event, owner),
    lane: ({ key }) => key.remoteJid,
    identity: ({ key, text, message, at }) => [...identityOf(key), text ?? message, at],
    chatAddresses,
    messageId: ({ key }) => key.id,
    addToBatch(event, published, batch) {
      batch.edits.push({ ...toEdit(event), ...toAuthority(event), events: published });
    },
  },
  'messages.update': {
    toData(event, owner) {
      if ('starred' in event) return toStarData(event, owner);
      return 'vote' in event ? toVoteData(event, owner) : toStatusData(event, owner);
    },
    lane: ({ key }) => key.remoteJid,
    identity(event) {
      const { remoteJid, fromMe, id, participant = '' } = event.key;
      if ('starred' in event) return null;
      return 'vote' in event
        ? [remoteJid, fromMe, id, event.vote.voter, event.vote.id]
        : [remoteJid, fromMe, id, participant, event.status];
    },
    chatAddresses,
    messageId: ({ key }) => key.id,
    addToBatch(event, published, batch) {
      if (event.status) {
        batch.statuses.push({ change: toStatusChange(event), events: published });
        return;
      }
      if ('vote' in event) batch.votes.push({ key: event.key, vote: event.vote });
      else batch.stars.push({ key: event.key, starred: event.starred });
      batch.events.push(...published);
    },
    isSheddable: true,
  },
  'messages.delete': {
    toData: ({ key, at, scope }, owner) => ({ ...toKeyData(key, owner), status: 'DELETED', scope, datetime: at }),
    lane: ({ key }) => key.remoteJid,
    // An admin can delete messages of several authors that have the same id. `namedAuthor` distinguishes the deletions.
    identity: ({ key, scope, authority }) => [
      ...[key.remoteJid, key.id, ...authorIn(key)],
      ...(authority?.namedAuthor ? [authority.namedAuthor] : []),
      ...(scope ? [scope] : []),
    ],
    chatAddresses,
    // A deletion that this instance sent (`sent`) is itself a message with an id.
    messageId: ({ sent, key }) => sent?.key.id ?? key.id,
    addToBatch(event, published, batch) {
      const { key, at, sent, scope } = event;
      // A device that cannot decrypt the deletion requests the deletion again (retry receipt), so `sent` is stored.
      if (sent) batch.messages.push(toPending(sent, []));
      // A deletion with a `scope` is for this account only, and does not change the stored message.
      if (scope) batch.events.push(...published);
      else batch.statuses.push({ change: { key, status: 'DELETED', at }, events: published, ...toAuthority(event) });
    },
  },
  'messages.undecryptable': {
    toData({ key, pushName, messageTimestamp, reason }, owner) {
      return { key, pushName, messageTimestamp, reason, instanceId: owner.id, owner: owner.name };
    },
    lane: ({ key }) => key.remoteJid,
    identity: ({ key }) => [key.remoteJid, key.id, ...authorIn(key)],
    chatAddresses,
  },
  'send.message': {
    toData: ({ message }, owner) => toMessageData(message, owner),
    lane: ({ message }) => message.key.remoteJid,
    identity: ({ message: { key } }) => [key.remoteJid, key.fromMe, key.id],
    chatAddresses,
    messageId: ({ message }) => message.key.id,
    addToBatch({ message }, published, batch) {
      batch.messages.push(toPending(message, published));
    },
    mayHaveFile: true,
  },
  'send.message.update': {
    toData: ({ message, edited }, owner) => ({ ...toEditData(edited, owner), editId: message.key.id }),
    lane: ({ message }) => message.key.remoteJid,
    identity: ({ message: { key } }) => [key.remoteJid, key.id],
    chatAddresses,
    messageId: ({ message }) => message.key.id,
    addToBatch({ message, edited }, published, batch) {
      batch.messages.push(toPending(message, published));
      batch.edits.push(toEdit(edited));
    },
  },
} satisfies EventDescriptors<MessageEventType>;

/** Returns the part of a batch for a sent message. Its status is PENDING until WhatsApp acknowledges the message. */
export function toPending(message: Message, published: readonly EventRow[]): BatchDraft['messages'][number] {
  return { message: { ...message, status: message.status ?? 'PENDING' }, events: published };
}

function toStatusChange({ key, status, at, code, reason }: StatusUpdate): StatusChange {
  return { key, status, at, code, reason };
}

function toEdit({ key, text, at }: MessageEdit): Edit {
  return { key, ...(text === undefined ? {} : { text }), at: Math.floor(at / 1000) };
}

function toAuthority({ authority }: { authority?: Authority }): { authority?: Authority } {
  return authority === undefined ? {} : { authority };
}

/** Returns `data` for a message. `message.mediaUrl` is the URL of the message's file, if any. */
function toMessageData(stored: Message, owner: EventOwner): Record<string, unknown> {
  const { key, pushName, messageTimestamp, status, source } = stored;
  const { message, contextInfo, messageType } = toBothForms(stored);
  const mediaUrl = owner.mediaUrlOf?.(stored);
  return {
    key,
    pushName,
    message: mediaUrl === undefined ? message : { ...message, mediaUrl },
    contextInfo,
    messageType,
    messageTimestamp,
    status,
    instanceId: owner.id,
    owner: owner.name,
    source,
  };
}

function toStatusData({ key, status, at, code, reason }: StatusUpdate, owner: EventOwner): EventData {
  return { ...toKeyData(key, owner), status, code, reason, datetime: at };
}

/**
 * Returns `data` for a vote. As in Evolution API, `pollUpdates` is the current result of the poll; `vote` is the vote
 * that changed the result.
 */
function toVoteData({ key, at, pollUpdates, vote }: Extract<Update, { vote: Vote }>, owner: EventOwner): EventData {
  const { id, voter, voterAlt, options } = vote;
  return { ...toKeyData(key, owner), pollUpdates, vote: { id, voter, lid: voterAlt, options }, datetime: at };
}

function toStarData({ key, at, starred }: Extract<Update, { starred: boolean }>, owner: EventOwner): EventData {
  return { ...toKeyData(key, owner), starred, datetime: at };
}

/** Returns the id and the chat of a message, under every name that clients read. */
function toKeyData(key: MessageKey, owner: EventOwner): Record<string, unknown> {
  const { id, remoteJid, fromMe, participant } = key;
  return { keyId: id, id, messageId: id, remoteJid, fromMe, participant, key, instanceId: owner.id, owner: owner.name };
}

/** Returns `data` for an edit: like Evolution API, in the form of WhatsApp's protocol message. */
function toEditData({ key, message, at }: MessageEdit, owner: EventOwner): Record<string, unknown> {
  return {
    key,
    type: 'MESSAGE_EDIT',
    editedMessage: message,
    timestampMs: String(at),
    keyId: key.id,
    instanceId: owner.id,
    owner: owner.name,
  };
}
