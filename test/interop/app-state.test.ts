// Two linked devices of one account, the instance and a client of another make: what one changes, the other receives.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { type InteropClient, textOf } from './support/client.ts';
import { control, sendAs } from './support/phones.ts';
import { linkClient, useStage } from './support/stage.ts';

const stage = useStage();
/** The other linked device of the instance's account. */
let twin: InteropClient;
let id: string;

beforeAll(async () => {
  twin = await linkClient(stage.platform, stage.shop);
  id = await stage.client.send(stage.shop.jid, { conversation: 'a chat to change' });
  await Promise.all([stage.message(id), twin.message(id)]);
  await control(stage.platform, 'POST', `/phones/${stage.shop.number}/labels`, { id: '7', name: 'VIP', color: 3 });
});

afterAll(() => twin.stop());

/** What the phone of the account shows for this action, as text. */
async function phoneState(action: string): Promise<string> {
  const state = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/state`);
  return JSON.stringify([state].flat().filter((entry) => at(entry, 'index.0') === action));
}

describe('what the client does', () => {
  /** Acts, and the webhook that gets events from then on. */
  async function posted(event: string, act: () => Promise<unknown>, matches: (body: unknown) => boolean) {
    const after = stage.receiver.posts.length;
    await act();
    return stage.webhook(event, matches, after);
  }
  const chatHas = (fields: object) => (body: unknown) => {
    const [chat] = [at(body, 'data')].flat();
    return Object.entries(fields).every(([name, value]) => Object(chat)[name] === value);
  };

  it('archives and restores a chat', async () => {
    await posted('chats.update', () => twin.engine.archiveChat(stage.ada.jid, true), chatHas({ archived: true }));
    expect(await phoneState('archive')).toContain('"archived":true');
    await posted('chats.update', () => twin.engine.archiveChat(stage.ada.jid, false), chatHas({ archived: false }));
  });

  it('pins a chat and unpins it', async () => {
    await posted('chats.update', () => twin.engine.pinChat(stage.ada.jid, true), chatHas({ pinned: true }));
    expect(await phoneState('pin_v1')).toContain('"pinned":true');
    await posted('chats.update', () => twin.engine.pinChat(stage.ada.jid, false), chatHas({ pinned: false }));
  });

  it('mutes a chat and unmutes it', async () => {
    const until = 1_900_000_000_000;
    const mute = () => twin.engine.muteChat(stage.ada.jid, until);
    await posted('chats.update', mute, chatHas({ muteEndTime: until }));
    expect(await phoneState('mute')).toContain(String(until));
    await posted(
      'chats.update',
      () => twin.engine.muteChat(stage.ada.jid),
      (body) => JSON.stringify(body).includes('"muteEndTime":'),
    );
  });

  it('marks a chat as unread and as read', async () => {
    const mark = (read: boolean) => () => twin.engine.markChatAsRead(stage.ada.jid, read);
    await posted('chats.update', mark(false), chatHas({ unreadMessages: -1 }));
    await posted('chats.update', mark(true), chatHas({ unreadMessages: 0 }));
  });

  it('names a contact', async () => {
    const save = () => twin.engine.saveContact(stage.ada.jid, 'Ada Lovelace', 'Ada', true);
    await posted('contacts.upsert', save, (body) => JSON.stringify(body).includes('Ada Lovelace'));
    expect(await phoneState('contact')).toContain('Ada Lovelace');
  });

  it('stars a message and takes the star off', async () => {
    for (const star of [true, false]) {
      const act = () => twin.engine.starMessage(stage.ada.jid, id, star);
      await posted('messages.update', act, (body) => JSON.stringify(body).includes(`"starred":${star}`));
      expect((await phoneState('star')).includes(id)).toBe(true);
    }
  });

  it('sends, which the instance receives as its own message', async () => {
    const sent = await twin.send(stage.ada.jid, { conversation: 'from the other device' });
    expect(at(await stage.message(sent), 'data')).toMatchObject({
      key: { fromMe: true, remoteJid: stage.ada.jid },
      message: { conversation: 'from the other device' },
    });
    expect(textOf(await stage.client.message(sent))).toBe('from the other device');
    const data = await stage.fromClient({ conversation: 'to both' });
    expect(textOf(await twin.message(textAt(data, 'key.id')))).toBe('to both');
  });

  it('deletes a chat', async () => {
    await posted(
      'chats.delete',
      () => twin.engine.deleteChat(stage.ada.jid),
      (body) => JSON.stringify(body).includes(stage.ada.jid),
    );
  });
});

describe('what the instance does', () => {
  const chat = (data: { jid: { user: string } }) => data.jid.user === stage.ada.number;
  const put = (path: string, body: object) => stage.call('PUT', `${path}/shop`, body);

  it('archives and restores a chat', async () => {
    for (const archive of [true, false]) {
      const since = twin.events.length;
      const lastMessage = { key: { remoteJid: stage.ada.jid, fromMe: false, id } };
      await put('/chat/archiveChat', { chat: stage.ada.jid, archive, lastMessage });
      await twin.event('archive_update', (data) => chat(data) && data.action.archived === archive, since);
    }
  });

  it('pins a chat and unpins it', async () => {
    for (const pin of [true, false]) {
      const since = twin.events.length;
      await put('/chat/pinChat', { chat: stage.ada.jid, pin });
      await twin.event('pin_update', (data) => chat(data) && data.action.pinned === pin, since);
    }
  });

  it('mutes a chat and unmutes it', async () => {
    for (const mute of [true, false]) {
      const since = twin.events.length;
      await put('/chat/muteChat', { chat: stage.ada.jid, mute, ...(mute ? { duration: 3600 } : {}) });
      await twin.event('mute_update', (data) => chat(data) && data.action.muted === mute, since);
    }
  });

  it('marks a chat as unread', async () => {
    const since = twin.events.length;
    const lastMessage = { key: { remoteJid: stage.ada.jid, fromMe: false, id } };
    await put('/chat/markChatUnread', { chat: stage.ada.jid, lastMessage });
    await twin.event('mark_chat_as_read_update', (data) => chat(data) && data.action.read === false, since);
  });

  it('stars a message and takes the star off', async () => {
    for (const star of [true, false]) {
      const since = twin.events.length;
      await put('/chat/starMessage', { key: { remoteJid: stage.ada.jid, fromMe: false, id }, star });
      await twin.event('star_update', (data) => data.message_id === id && data.action.starred === star, since);
    }
  });

  it('puts a label on a chat and takes it off', async () => {
    await twin.event('label_edit_update', (data) => data.label_id === '7' && data.action.name === 'VIP');
    for (const [action, labeled] of [
      ['add', true],
      ['remove', false],
    ] as const) {
      const since = twin.events.length;
      await put('/label/handleLabel', { number: stage.ada.number, labelId: '7', action });
      const isChange = (data: { label_id: string; action: { labeled?: boolean | null } }) =>
        data.label_id === '7' && data.action.labeled === labeled;
      await twin.event('label_association_update', isChange, since);
    }
  });

  it('changes the profile name', async () => {
    await stage.call('POST', '/chat/updateProfileName/shop', { name: 'The Shop' });
    await twin.event('self_push_name_updated', (data) => data.new_name === 'The Shop');
  });

  it('sends, which the client receives as its own message', async () => {
    const sent = await stage.fromShop('sendText', { text: 'from the instance' });
    const copy = await twin.message(sent.info.id);
    expect(textOf(copy)).toBe('from the instance');
    expect(copy.info).toMatchObject({ isFromMe: true, chat: stage.ada.lid });
  });
});

describe('what the phone does', () => {
  it('reaches both', async () => {
    const since = twin.events.length;
    const path = `/phones/${stage.shop.number}/chats/${stage.ada.number}`;
    await control(stage.platform, 'POST', path, { name: 'Countess', pin: true, label: '7' });
    await twin.event('contact_update', (data) => data.action.full_name === 'Countess', since);
    await twin.event('pin_update', (data) => data.action.pinned === true, since);
    await stage.webhook('contacts.upsert', (body) => JSON.stringify(body).includes('Countess'));
    await stage.webhook('labels.association', (body) => at(body, 'data.labelId') === '7');
    const text = await sendAs(stage.platform, stage.shop, stage.ada.number, { text: 'from the phone' });
    expect((await twin.message(text)).info.isFromMe).toBe(true);
  });
});
