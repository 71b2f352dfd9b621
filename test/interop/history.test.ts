// The history that a phone sends to the instance and to the interop client: after linking and on demand.
import { describe, expect, it } from 'vitest';
import { proto } from 'whatsapp-interop-client/proto-types';
import { textAt } from '../support/api.ts';
import type { InteropClient } from './support/client.ts';
import { control, sendAs } from './support/phones.ts';
import { linkClient, useStage } from './support/stage.ts';

/** Ids of the messages that both phones had before a device was linked, oldest first. */
const ids: string[] = [];
const picture = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');
let group: string;

const stage = useStage({
  instance: { syncFullHistory: true, readStatus: true },
  async prepare({ platform, shop, ada }) {
    for (let n = 1; n <= 60; n++) {
      const [from, to] = n % 2 === 0 ? [shop, ada] : [ada, shop];
      ids.push(await sendAs(platform, from, to.number, { text: `message ${n}` }));
    }
    ids.push(await sendAs(platform, ada, shop.number, { image: picture.toString('base64'), caption: 'message 61' }));
    const body = { subject: 'Old friends', participants: [shop.number] };
    group = textAt(await control(platform, 'POST', `/phones/${ada.number}/groups`, body), 'id');
    await sendAs(platform, ada, group, { text: 'in the group' });
  },
});

/** The messages of a chat in the history that a client received, oldest first. */
const historyOf = (client: InteropClient, chat: string) =>
  client.history
    .filter(({ conversation }) => conversation.id === chat)
    .flatMap(({ conversation }) => (conversation.messages ?? []).flatMap(({ message }) => message ?? []))
    .sort((a, b) => ids.indexOf(a.key?.id ?? '') - ids.indexOf(b.key?.id ?? ''));

describe('history after linking', () => {
  it('a new instance gets all messages of its phone as history', async () => {
    const missing = () => ids.filter((id) => !stage.receiver.posts.some(({ raw }) => raw.includes(`"${id}"`)));
    await stage.waitForWebhook('messages.set', () => missing().length === 0);
    await stage.waitForWebhook('messages.set', (body) => JSON.stringify(body).includes('in the group'));
    const found = await stage.call('POST', '/chat/findMessages/shop', { where: { key: { id: ids[0] } } });
    expect([found].flat()).toMatchObject([{ key: { fromMe: false, remoteJid: stage.ada.jid } }]);
  });

  it('a new interop client gets all messages of its phone as history', async () => {
    const { client, shop } = stage;
    const messages = await client.until('the history', () => {
      const found = historyOf(client, shop.jid);
      return found.length >= ids.length && found;
    });
    expect(messages.map(({ key }) => key?.id)).toEqual(ids);
    expect(messages[0]).toMatchObject({ key: { fromMe: true }, message: { conversation: 'message 1' } });
    expect(messages[1]).toMatchObject({ key: { fromMe: false }, message: { conversation: 'message 2' } });
    expect(historyOf(client, group)).toHaveLength(1);
  });

  it('the interop client can download a file of the history', async () => {
    const { imageMessage } = historyOf(stage.client, stage.shop.jid).at(-1)?.message ?? {};
    const { directPath, mediaKey, fileSha256, fileEncSha256, fileLength } = imageMessage ?? {};
    if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256) throw new Error('no file');
    const { engine } = stage.client;
    const length = Number(fileLength);
    const bytes = await engine.downloadMedia(directPath, mediaKey, fileSha256, fileEncSha256, length, 'image');
    expect(Buffer.from(bytes).equals(picture)).toBe(true);
  });

  it('the instance can download a file of the history', async () => {
    const read = await stage.call('POST', '/chat/getBase64FromMediaMessage/shop', {
      message: { key: { id: ids.at(-1), remoteJid: stage.ada.jid, fromMe: false } },
    });
    expect(Buffer.from(textAt(read, 'base64'), 'base64').equals(picture)).toBe(true);
  });

  it('a new interop client gets the history of a phone that has a status and a channel post', async () => {
    const { platform, shop, ada } = stage;
    const bytes = proto.Message.encode({ extendedTextMessage: { text: 'my day' } }).finish();
    const status = await stage.client.engine.sendStatusMessageBytes(bytes, [shop.jid]);
    await stage.waitForMessage(status);
    const channels = `/phones/${ada.number}/channels`;
    const channel = textAt(await control(platform, 'POST', channels, { name: 'News' }), 'id');
    await control(platform, 'POST', `/phones/${shop.number}/channels/${channel}/follow`, {});
    await control(platform, 'POST', `${channels}/${channel}/post`, { text: 'first post' });
    const lateClient = await linkClient(platform, shop);
    try {
      await lateClient.until('the history', () => historyOf(lateClient, ada.jid).length >= ids.length);
      expect(historyOf(lateClient, ada.jid).map(({ key }) => key?.id)).toEqual(ids);
    } finally {
      await lateClient.stop();
    }
  });
});

describe('history on demand', () => {
  it('the interop client gets the ten messages before a given message with a request for history on demand', async () => {
    const { client, shop } = stage;
    const before = client.history.length;
    const seconds = Number(historyOf(client, shop.jid)[30]?.messageTimestamp);
    await client.engine.fetchMessageHistory(10, shop.jid, ids[30] ?? '', true, seconds * 1000);
    const chunk = await client.until('the older messages', () => client.history[before]);
    const found = chunk.conversation.messages?.map(({ message }) => message?.key?.id);
    expect(found?.sort()).toEqual(ids.slice(20, 30).sort());
    expect(chunk.syncType).toBe(proto.HistorySync.HistorySyncType.ON_DEMAND);
  });

  it('POST /chat/fetchHistory requests ten messages before a given message from the phone', async () => {
    const body = { number: stage.ada.number, count: 10, before: ids[30] };
    const fetched = await stage.call('POST', '/chat/fetchHistory/shop', body);
    expect(fetched).toMatchObject({ messages: 10, hasMore: true });
  });
});
