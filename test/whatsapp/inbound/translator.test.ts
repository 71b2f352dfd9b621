import { randomUUID } from 'node:crypto';
import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { encryptEdit } from '../../../packages/sandbox/src/phone/encrypted-add-ons.ts';
import { createVote } from '../../../packages/sandbox/src/phone/polls.ts';
import type { DomainEvent, Message } from '../../../src/events/events.ts';
import { LidCache } from '../../../src/whatsapp/address/lid-map.ts';
import { AuthState } from '../../../src/whatsapp/baileys/auth/auth-state.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';
import type { MemberPermissions } from '../../../src/whatsapp/group/permissions.ts';
import { Translator } from '../../../src/whatsapp/inbound/translator.ts';
import { FakeKeys, fakeSession, me, settings, silent } from '../../support/session-fakes.ts';

const pn = '4915112345678@s.whatsapp.net';
const instanceId = randomUUID();

const noPermissions: MemberPermissions = { isAdmin: false, mayEdit: false };

async function setup({
  storedMessages = [] as Message[],
  getPermissions = (_group: string, _addresses: readonly string[]): MemberPermissions => noPermissions,
} = {}) {
  const ended = new AbortController();
  const auth = await AuthState.open({ keys: new FakeKeys(), instanceId, onFailure: () => undefined });
  const order: string[] = [];
  const failures: unknown[] = [];
  const skipped: [error: string, scope: string][] = [];
  const store: { broken?: Error | undefined } = {};
  const translator = new Translator({
    options: { instanceId, settings },
    auth,
    lidCache: new LidCache(),
    permissions: { memberPermissions: async (...args) => getPermissions(...args) },
    storage: {
      ...fakeSession().storage,
      messages: {
        get: async (_instance, id, chat) => {
          order.push(`get ${id}`);
          return storedMessages.find(({ key }) => key.id === id && key.remoteJid === chat) ?? null;
        },
        originsByMessageId: async (_instance, ids) => {
          if (store.broken) throw store.broken;
          const keys = storedMessages.map(({ key }) => key).filter(({ id }) => ids.includes(id));
          return new Map(
            keys.map(({ id, remoteJid: chat, fromMe, participant = null }) => [id, [{ chat, fromMe, participant }]]),
          );
        },
      },
    },
    errors: {
      fail: (err) => void failures.push(err),
      skip: (err, scope) => void skipped.push([String(err), scope]),
    },
    log: silent,
    me: () => me,
    whenStored: async () => void order.push('stored'),
    ended: ended.signal,
    onFailure: (err) => failures.push(err),
  });
  return { translator, auth, ended, store, order, failures, skipped };
}

const pastMessage = (id: string): WAMessage => ({
  key: { remoteJid: pn, fromMe: false, id },
  messageTimestamp: 7,
  message: { conversation: id },
});
const history = (count: number) => ({
  chats: [],
  contacts: [],
  messages: Array.from({ length: count }, (_, n) => pastMessage(`${n}`)),
});
const idsIn = (events: DomainEvent[]) =>
  events.flatMap((event) => (event.type === 'messages.set' ? event.messages.map(({ key }) => key.id) : []));

const message = (id: string, content: Message['message'], fromMe = true): Message => ({
  key: { remoteJid: pn, fromMe, id },
  message: content,
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'web',
});

describe('publication of the history', () => {
  it('publishHistory() publishes one portion at a time and skips stored messages', async () => {
    const { translator } = await setup({ storedMessages: [message('249', {}, false), message('0', {}, false)] });
    const portions: string[][] = [];
    let isStoring = false;
    const publication = translator.publishHistory(history(250), [], async (events) => {
      expect(isStoring).toBe(false);
      isStoring = true;
      await new Promise<void>((resolve) => setImmediate(resolve));
      isStoring = false;
      portions.push(idsIn(events));
      return true;
    });
    await expect(publication).resolves.toBe(true);
    await translator.whenHistoryDone();
    expect(portions.map(({ length }) => length)).toEqual([99, 100, 49]);
    expect(portions.flat()).not.toContain('249');
  });

  it('publishHistory() keeps a message whose id is stored only for a message of another chat', async () => {
    const copy = { ...message('0', {}), key: { remoteJid: '4930123456@s.whatsapp.net', fromMe: true, id: '0' } };
    const { translator } = await setup({ storedMessages: [copy] });
    const ids: string[] = [];
    await translator.publishHistory(history(2), [], async (events) => {
      ids.push(...idsIn(events));
      return true;
    });
    expect(ids).toEqual(['1', '0']);
  });

  it('publishHistory() reports the progress with each portion and at the end', async () => {
    const { translator } = await setup();
    const batches: (string | number | undefined)[][] = [];
    const chunk = { ...history(250), syncType: proto.HistorySync.HistorySyncType.RECENT, progress: 100 };
    const publication = translator.publishHistory(chunk, [], async (events) => {
      batches.push(events.map((event) => (event.type === 'history.progress' ? event.progress : event.type)));
      return true;
    });
    await expect(publication).resolves.toBe(true);
    expect(batches).toEqual([['messages.set', 40], ['messages.set', 80], ['messages.set'], [100]]);
  });

  it('publishHistory() reports the time of the earliest history notice with the chats', async () => {
    const { translator } = await setup();
    const notice = (id: string, messageTimestamp: number) => ({
      key: { id, fromMe: true },
      messageTimestamp,
      message: { protocolMessage: { historySyncNotification: { syncType: 3 } } },
    });
    const text = { key: { id: 'A', remoteJid: pn }, messageTimestamp: 3, message: { conversation: 'hi' } };
    const published: DomainEvent[] = [];
    const chat = proto.Conversation.decode(proto.Conversation.encode({ id: pn, pinned: 1 }).finish());
    const chunk = { ...history(0), chats: [chat] };
    await translator.publishHistory(chunk, [text, notice('B', 7), notice('C', 5)], async (events) => {
      published.push(...events);
      return true;
    });
    // The chat has only the fields that the phone sent.
    expect(published).toEqual([{ type: 'chats.set', chats: [{ jid: pn, pinned: true }], historySentAt: 5 }]);
  });

  it.each<[string, 'refuse' | 'end']>([
    ['the store refuses the events', 'refuse'],
    ['the session ends', 'end'],
  ])('publishHistory() stops and resolves with false when %s', async (_, cause) => {
    const { translator, ended } = await setup();
    let portions = 0;
    const publication = translator.publishHistory(history(250), [], async () => {
      portions += 1;
      if (cause === 'end') ended.abort();
      return cause === 'end';
    });
    await expect(publication).resolves.toBe(false);
    expect(portions).toBe(1);
  });

  it('publishHistory() reports a failed lookup and publishes the next history', async () => {
    const { translator, store, failures } = await setup();
    store.broken = new Error('no store');
    await expect(translator.publishHistory(history(1), [], async () => true)).resolves.toBe(false);
    expect(failures).toEqual([store.broken]);
    store.broken = undefined;
    await expect(translator.publishHistory(history(1), [], async () => true)).resolves.toBe(true);
  });
});

describe('votes', () => {
  it('translate() looks up a poll only for a vote, after earlier events are stored', async () => {
    const content: proto.IMessage = {
      pollCreationMessage: { name: 'When?', options: [{ optionName: 'today' }] },
      messageContextInfo: { messageSecret: Buffer.alloc(32, 1) },
    };
    const poll = message('POLL', JSON.parse(JSON.stringify(proto.Message.fromObject(content))));
    const { translator, order } = await setup({ storedMessages: [poll] });
    const upsert = (one: WAMessage) =>
      translator.translate({ 'messages.upsert': { messages: [one], type: 'notify' as const } });
    await upsert(pastMessage('text'));
    expect(order).toEqual([]);
    const vote = createVote({ key: { id: 'POLL' }, content }, ['today'], { creator: me.jid, voter: pn, nowMs: 5 });
    expect(await upsert({ ...pastMessage('V'), message: vote })).toMatchObject([
      { type: 'messages.update', key: poll.key, pollUpdates: [{ name: 'today', voters: [pn] }] },
    ]);
    expect(order).toEqual(['stored', 'get POLL']);
  });
});

it('translate() looks up the message of an encrypted edit after earlier events are stored', async () => {
  const content: proto.IMessage = { conversation: 'old', messageContextInfo: { messageSecret: Buffer.alloc(32, 1) } };
  const text = { ...message('A', toJson(content)), key: { remoteJid: pn, fromMe: false, id: 'A' } };
  const { translator, order } = await setup({ storedMessages: [text] });
  const key = { remoteJid: me.jid, fromMe: true, id: 'A' };
  const plain = { protocolMessage: { key, type: 14, editedMessage: { conversation: 'new' } } };
  const edit = encryptEdit({ key, content }, { author: pn, sender: pn }, plain);
  const messages = [{ ...pastMessage('E'), message: edit }];
  expect(await translator.translate({ 'messages.upsert': { messages, type: 'notify' } })).toMatchObject([
    { type: 'messages.edited', key: { remoteJid: pn, fromMe: false, id: 'A' }, text: 'new' },
  ]);
  expect(order).toEqual(['stored', 'get A']);
});

describe('messages that cannot be decrypted', () => {
  const undecryptable = (id: string, key = {}) => ({
    'messages.upsert': {
      type: 'notify' as const,
      messages: [
        {
          ...pastMessage(id),
          key: { ...pastMessage(id).key, ...key },
          message: null,
          messageStubType: proto.WebMessageInfo.StubType.CIPHERTEXT,
          messageStubParameters: ['No matching sessions found for message'],
        },
      ],
    },
  });

  it('translate() reports a message that cannot be decrypted unless it is already stored', async () => {
    const { translator, order } = await setup({ storedMessages: [message('HERE', { conversation: 'here' }, false)] });
    expect(await translator.translate(undecryptable('HERE'))).toEqual([]);
    expect(order).toEqual(['stored']);
    expect(await translator.translate(undecryptable('NEW'))).toMatchObject([{ type: 'messages.undecryptable' }]);
  });

  it.each([
    ['of another chat', {}],
    ['of another person in the chat', { remoteJid: '1@g.us', participant: '1@lid' }],
  ])('translate() reports an undecryptable message whose id is also the id of a message %s', async (_, key) => {
    const other = { remoteJid: '1@g.us', fromMe: false, id: 'X', participant: '2@lid' };
    const { translator } = await setup({ storedMessages: [{ ...message('X', {}), key: other }] });
    expect(await translator.translate(undecryptable('X', key))).toMatchObject([{ type: 'messages.undecryptable' }]);
    expect(await translator.translate(undecryptable('X', other))).toEqual([]);
  });
});

describe('changes of earlier messages in groups', () => {
  const group = '120363025246125486@g.us';
  const author = '222@lid';
  const { REVOKE } = proto.Message.ProtocolMessage.Type;
  const changeMessage = (content: proto.IMessage, remoteJid = group): WAMessage => ({
    key: { remoteJid, fromMe: false, id: 'CHANGE', participant: remoteJid === group ? author : '' },
    messageTimestamp: 7,
    message: content,
  });
  const upsert = (one: WAMessage) => ({ 'messages.upsert': { messages: [one], type: 'notify' as const } });
  const revoke = (key: proto.IMessageKey, remoteJid = group) =>
    upsert(changeMessage({ protocolMessage: { type: REVOKE, key: { id: 'A1', ...key } } }, remoteJid));
  const pin = (remoteJid = group) =>
    upsert(changeMessage({ pinInChatMessage: { key: { remoteJid, fromMe: true, id: 'A1' }, type: 1 } }, remoteJid));

  it('translate() queries the permissions of a member only when a change needs them', async () => {
    const requests: unknown[] = [];
    const { translator } = await setup({
      getPermissions: (...args) => {
        requests.push(args);
        return { isAdmin: true, mayEdit: true };
      },
    });
    expect(await translator.translate(revoke({ fromMe: true }))).toMatchObject([{ key: { id: 'A1' } }]);
    await translator.translate(revoke({ fromMe: false }, pn));
    expect(requests).toEqual([]);
    const [event] = await translator.translate(revoke({ fromMe: false, participant: pn }));
    expect(event).toMatchObject({ type: 'messages.delete', authority: { mayModerate: true } });
    expect(requests).toEqual([[group, [author]]]);
  });

  it('translate() does not set mayModerate when the member has no permissions', async () => {
    const { translator } = await setup();
    const [event] = await translator.translate(revoke({ fromMe: false, participant: pn }));
    expect(event).toMatchObject({ type: 'messages.delete', authority: { namesOtherAuthor: true } });
    expect(event).not.toHaveProperty('authority.mayModerate');
  });

  it.each([
    ['who may change the group', true, 1],
    ['who may not change the group', false, 0],
  ])('translate() maps a pin only of a member who may change the group: a member %s', async (_, mayEdit, events) => {
    const { translator } = await setup({ getPermissions: () => ({ isAdmin: false, mayEdit }) });
    expect(await translator.translate(pin())).toHaveLength(events);
  });

  it('translate() skips a pin of a message in another chat', async () => {
    const { translator } = await setup({ getPermissions: () => ({ isAdmin: true, mayEdit: true }) });
    const other = changeMessage({ pinInChatMessage: { key: { remoteJid: pn, fromMe: true, id: 'A1' }, type: 1 } });
    expect(await translator.translate(upsert(other))).toEqual([]);
    expect(await translator.translate(pin(pn))).toHaveLength(1);
  });
});

describe('messages deleted for the account only', () => {
  it('translate() reports a deletion with the number of the chat when the phone names the LID', async () => {
    const { translator, auth } = await setup();
    await auth.set({ 'lid-mapping': { '222_reverse': '4915112345678' } });
    const key = { remoteJid: '222@lid', fromMe: false, id: 'A' };
    expect(await translator.translate({ 'messages.delete': { keys: [key] } })).toMatchObject([
      { type: 'messages.delete', key: { remoteJid: pn, remoteJidAlt: '222@lid' } },
    ]);
  });
});

describe('items that cannot be mapped', () => {
  const valid = (id: string): WAMessage => ({ ...pastMessage(id), key: { remoteJid: pn, fromMe: false, id } });
  /** A message with cyclic content, whose mapping fails. */
  const cyclicMessage = (): WAMessage => {
    const quoted: proto.IMessage = { extendedTextMessage: { text: 'x' } };
    quoted.ephemeralMessage = { message: quoted };
    return {
      ...pastMessage('deep'),
      message: { editedMessage: { message: { extendedTextMessage: { contextInfo: { quotedMessage: quoted } } } } },
    };
  };
  // The platform can send values that do not match the types.
  const untyped = (value: unknown) => JSON.parse(JSON.stringify(value));

  it('translate() reports a message that cannot be mapped and maps the others in order', async () => {
    const { translator, skipped, failures } = await setup();
    const events = await translator.translate({
      'messages.upsert': { type: 'notify', messages: [valid('A'), cyclicMessage(), valid('B')] },
      'contacts.update': [{ id: pn, notify: 'Ada' }],
    });
    expect(events).toMatchObject([
      { type: 'messages.upsert', message: { key: { id: 'A' } } },
      { type: 'messages.undecryptable', key: { id: 'deep' } },
      { type: 'messages.upsert', message: { key: { id: 'B' } } },
      { type: 'contacts.update' },
    ]);
    expect(events[1]).toMatchObject({ reason: 'unprocessable', messageTimestamp: 7 });
    expect(skipped).toEqual([[expect.stringMatching(/^RangeError/), 'message']]);
    expect(failures).toEqual([]);
  });

  it.each([
    ['messages.upsert', { messages: [null, {}, { key: null }], type: 'notify' }],
    ['messages.update', [null, {}, { key: null, update: null }]],
    ['message-receipt.update', [null, { key: {} }, { key: null, receipt: null }]],
    ['messages.delete', { keys: [null, {}] }],
    ['contacts.upsert', [null, { id: 5 }]],
    ['contacts.update', [null, { id: 5 }]],
    ['chats.upsert', [null, { id: 5 }]],
    ['chats.update', [null, { id: 5 }]],
    ['chats.delete', [null]],
    ['groups.upsert', [null, {}, { id: '1@g.us', participants: null }]],
    ['groups.update', [null, {}, { id: '1@g.us', participants: [null] }]],
    ['group-participants.update', { id: '1@g.us', participants: [null] }],
    ['group.join-request', {}],
    ['call', [null, {}, { from: 5 }]],
    ['presence.update', { id: 5, presences: null }],
    ['labels.edit', {}],
    ['labels.association', { association: null }],
    ['messaging-history.set', { messages: [null, {}], chats: [null], contacts: [null] }],
  ])('translate() skips invalid items of %s and maps the rest of the batch', async (name, value) => {
    const { translator, skipped, failures } = await setup();
    const events = await translator.translate({
      ...untyped({ [name]: value }),
      ...(name === 'messages.update'
        ? {}
        : { 'messages.update': [{ key: valid('S').key, update: { starred: true } }] }),
    });
    if (name !== 'messages.update') expect(events).toMatchObject([{ type: 'messages.update', key: { id: 'S' } }]);
    expect(skipped.length).toBeLessThanOrEqual(4);
    expect(failures).toEqual([]);
  });

  it('translate() reports a contact when another contact of the list cannot be mapped', async () => {
    const { translator } = await setup();
    const contact = { id: pn, notify: 'Ada' };
    const events = await translator.translate(untyped({ 'contacts.update': [contact, null] }));
    expect(events).toMatchObject([{ type: 'contacts.update', contacts: [{ pushName: 'Ada' }] }]);
  });

  it('translate() rejects when the database cannot be read', async () => {
    const { translator, store } = await setup();
    store.broken = new Error('down');
    const stub = { ...pastMessage('A'), message: undefined, messageStubType: proto.WebMessageInfo.StubType.CIPHERTEXT };
    await expect(translator.translate({ 'messages.upsert': { type: 'notify', messages: [stub] } })).rejects.toThrow(
      'down',
    );
  });
});

it('translate() sets the group in all statuses of a group call, although only the offer names the group', async () => {
  const { translator } = await setup();
  const groupJid = '120363025246125486@g.us';
  const call = { chatId: pn, from: pn, date: new Date(5), offline: false };
  const statuses = ['offer', 'accept', 'terminate'] as const;
  const groups: (string | undefined)[][] = [];
  for (const status of statuses) {
    const events = await translator.translate({
      call: [
        { ...call, id: 'GROUP', status, isGroup: true, ...(status === 'offer' ? { groupJid } : {}) },
        { ...call, id: 'DIRECT', status, isGroup: false },
      ],
    });
    groups.push(events.map((event) => (event.type === 'call' ? event.groupJid : event.type)));
  }
  expect(groups).toEqual(statuses.map(() => [groupJid, undefined]));
});
