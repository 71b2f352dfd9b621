// App state of one account with two linked devices, the instance and an interop client. Each receives the changes of
// the other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { type InteropClient, textOf } from './support/client.ts';
import { control, sendAs } from './support/phones.ts';
import { linkClient, useStage } from './support/stage.ts';

const stage = useStage();
/** The interop client that is linked to the account of the instance. */
let otherDevice: InteropClient;
let id: string;

beforeAll(async () => {
  otherDevice = await linkClient(stage.platform, stage.shop);
  id = await stage.client.send(stage.shop.jid, { conversation: 'a chat to change' });
  await Promise.all([stage.waitForMessage(id), otherDevice.message(id)]);
  await control(stage.platform, 'POST', `/phones/${stage.shop.number}/labels`, { id: '7', name: 'VIP', color: 3 });
});

afterAll(() => otherDevice.stop());

/** The app state entries of this action on the phone of the instance, as JSON. */
async function readPhoneState(action: string): Promise<string> {
  const state = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/state`);
  return JSON.stringify([state].flat().filter((entry) => at(entry, 'index.0') === action));
}

describe('changes by the interop client', () => {
  /** Calls `change` and resolves with the body of the first webhook after it that matches. */
  async function changeAndWait(event: string, change: () => Promise<unknown>, matches: (body: unknown) => boolean) {
    const after = stage.receiver.posts.length;
    await change();
    return stage.waitForWebhook(event, matches, after);
  }
  const isChatWith = (fields: object) => (body: unknown) => {
    const [chat] = [at(body, 'data')].flat();
    return Object.entries(fields).every(([name, value]) => Object(chat)[name] === value);
  };

  it('the interop client archives and unarchives a chat, and the webhook of the instance reports it', async () => {
    await changeAndWait(
      'chats.update',
      () => otherDevice.engine.archiveChat(stage.ada.jid, true),
      isChatWith({ archived: true }),
    );
    expect(await readPhoneState('archive')).toContain('"archived":true');
    await changeAndWait(
      'chats.update',
      () => otherDevice.engine.archiveChat(stage.ada.jid, false),
      isChatWith({ archived: false }),
    );
  });

  it('the interop client pins and unpins a chat, and the webhook of the instance reports it', async () => {
    await changeAndWait(
      'chats.update',
      () => otherDevice.engine.pinChat(stage.ada.jid, true),
      isChatWith({ pinned: true }),
    );
    expect(await readPhoneState('pin_v1')).toContain('"pinned":true');
    await changeAndWait(
      'chats.update',
      () => otherDevice.engine.pinChat(stage.ada.jid, false),
      isChatWith({ pinned: false }),
    );
  });

  it('the interop client mutes and unmutes a chat, and the webhook of the instance reports it', async () => {
    const until = 1_900_000_000_000;
    const mute = () => otherDevice.engine.muteChat(stage.ada.jid, until);
    await changeAndWait('chats.update', mute, isChatWith({ muteEndTime: until }));
    expect(await readPhoneState('mute')).toContain(String(until));
    await changeAndWait(
      'chats.update',
      () => otherDevice.engine.muteChat(stage.ada.jid),
      (body) => JSON.stringify(body).includes('"muteEndTime":'),
    );
  });

  it('the interop client marks a chat as unread and as read, and the webhook of the instance reports it', async () => {
    const mark = (read: boolean) => () => otherDevice.engine.markChatAsRead(stage.ada.jid, read);
    await changeAndWait('chats.update', mark(false), isChatWith({ unreadMessages: -1 }));
    await changeAndWait('chats.update', mark(true), isChatWith({ unreadMessages: 0 }));
  });

  it('the interop client names a contact, and the webhook of the instance reports it', async () => {
    const save = () => otherDevice.engine.saveContact(stage.ada.jid, 'Ada Lovelace', 'Ada', true);
    await changeAndWait('contacts.upsert', save, (body) => JSON.stringify(body).includes('Ada Lovelace'));
    expect(await readPhoneState('contact')).toContain('Ada Lovelace');
  });

  it('the interop client stars a message and removes the star, and the webhook of the instance reports it', async () => {
    for (const star of [true, false]) {
      const change = () => otherDevice.engine.starMessage(stage.ada.jid, id, star);
      await changeAndWait('messages.update', change, (body) => JSON.stringify(body).includes(`"starred":${star}`));
      expect((await readPhoneState('star')).includes(id)).toBe(true);
    }
  });

  it('an instance and an interop client of one account receive the messages of each other and of contacts', async () => {
    const sent = await otherDevice.send(stage.ada.jid, { conversation: 'from the other device' });
    expect(at(await stage.waitForMessage(sent), 'data')).toMatchObject({
      key: { fromMe: true, remoteJid: stage.ada.jid },
      message: { conversation: 'from the other device' },
    });
    expect(textOf(await stage.client.message(sent))).toBe('from the other device');
    const data = await stage.sendFromClient({ conversation: 'to both' });
    expect(textOf(await otherDevice.message(textAt(data, 'key.id')))).toBe('to both');
  });

  it('the interop client deletes a chat, and the webhook of the instance reports it', async () => {
    await changeAndWait(
      'chats.delete',
      () => otherDevice.engine.deleteChat(stage.ada.jid),
      (body) => JSON.stringify(body).includes(stage.ada.jid),
    );
  });
});

describe('changes by the instance', () => {
  const isChatOfAda = (data: { jid: { user: string } }) => data.jid.user === stage.ada.number;
  const put = (path: string, body: object) => stage.call('PUT', `${path}/shop`, body);

  it('the instance archives and unarchives a chat, and the interop client of its account reports it', async () => {
    for (const archive of [true, false]) {
      const since = otherDevice.events.length;
      const lastMessage = { key: { remoteJid: stage.ada.jid, fromMe: false, id } };
      await put('/chat/archiveChat', { chat: stage.ada.jid, archive, lastMessage });
      await otherDevice.event('archive_update', (data) => isChatOfAda(data) && data.action.archived === archive, since);
    }
  });

  it('the instance pins and unpins a chat, and the interop client of its account reports it', async () => {
    for (const pin of [true, false]) {
      const since = otherDevice.events.length;
      await put('/chat/pinChat', { chat: stage.ada.jid, pin });
      await otherDevice.event('pin_update', (data) => isChatOfAda(data) && data.action.pinned === pin, since);
    }
  });

  it('the instance mutes and unmutes a chat, and the interop client of its account reports it', async () => {
    for (const mute of [true, false]) {
      const since = otherDevice.events.length;
      await put('/chat/muteChat', { chat: stage.ada.jid, mute, ...(mute ? { duration: 3600 } : {}) });
      await otherDevice.event('mute_update', (data) => isChatOfAda(data) && data.action.muted === mute, since);
    }
  });

  it('the instance marks a chat as unread, and the interop client of its account reports it', async () => {
    const since = otherDevice.events.length;
    const lastMessage = { key: { remoteJid: stage.ada.jid, fromMe: false, id } };
    await put('/chat/markChatUnread', { chat: stage.ada.jid, lastMessage });
    await otherDevice.event(
      'mark_chat_as_read_update',
      (data) => isChatOfAda(data) && data.action.read === false,
      since,
    );
  });

  it('the instance stars a message and removes the star, and the interop client of its account reports it', async () => {
    for (const star of [true, false]) {
      const since = otherDevice.events.length;
      await put('/chat/starMessage', { key: { remoteJid: stage.ada.jid, fromMe: false, id }, star });
      await otherDevice.event('star_update', (data) => data.message_id === id && data.action.starred === star, since);
    }
  });

  it('the instance adds a label to a chat and removes it, and the interop client of its account reports it', async () => {
    await otherDevice.event('label_edit_update', (data) => data.label_id === '7' && data.action.name === 'VIP');
    for (const [action, labeled] of [
      ['add', true],
      ['remove', false],
    ] as const) {
      const since = otherDevice.events.length;
      await put('/label/handleLabel', { number: stage.ada.number, labelId: '7', action });
      const isChange = (data: { label_id: string; action: { labeled?: boolean | null } }) =>
        data.label_id === '7' && data.action.labeled === labeled;
      await otherDevice.event('label_association_update', isChange, since);
    }
  });

  it('the instance changes the profile name, and the interop client of its account reports it', async () => {
    await stage.call('POST', '/chat/updateProfileName/shop', { name: 'The Shop' });
    await otherDevice.event('self_push_name_updated', (data) => data.new_name === 'The Shop');
  });

  it('the interop client receives a message that the instance of its account sends as its own message', async () => {
    const sent = await stage.sendFromInstance('sendText', { text: 'from the instance' });
    const copy = await otherDevice.message(sent.info.id);
    expect(textOf(copy)).toBe('from the instance');
    expect(copy.info).toMatchObject({ isFromMe: true, chat: stage.ada.lid });
  });
});

describe('changes by the phone', () => {
  it('changes by the phone reach the instance and the interop client of its account', async () => {
    const since = otherDevice.events.length;
    const path = `/phones/${stage.shop.number}/chats/${stage.ada.number}`;
    await control(stage.platform, 'POST', path, { name: 'Countess', pin: true, label: '7' });
    await otherDevice.event('contact_update', (data) => data.action.full_name === 'Countess', since);
    await otherDevice.event('pin_update', (data) => data.action.pinned === true, since);
    await stage.waitForWebhook('contacts.upsert', (body) => JSON.stringify(body).includes('Countess'));
    await stage.waitForWebhook('labels.association', (body) => at(body, 'data.labelId') === '7');
    const text = await sendAs(stage.platform, stage.shop, stage.ada.number, { text: 'from the phone' });
    expect((await otherDevice.message(text)).info.isFromMe).toBe(true);
  });
});
