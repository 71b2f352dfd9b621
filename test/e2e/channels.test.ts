// Channels from creation to deletion, as the phones of followers show them and as the instance receives them.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, ownNumber, startLinked } from '../support/group.ts';
import { waitFor } from '../support/wait-for.ts';

const createPicture = () =>
  sharp({ create: { width: 20, height: 10, channels: 3, background: '#0a0' } })
    .jpeg()
    .toBuffer();

/** Creates a channel of the instance and lets Ada and Bob follow it. */
async function createOwnChannel({ api, sandbox }: World) {
  const { channels } = sandbox.phones;
  const created = await api('POST', '/channel/create/sales', { name: 'Offers', description: 'Mondays' });
  expect(created, JSON.stringify(created.body)).toMatchObject({
    status: 201,
    body: { name: 'Offers', description: 'Mondays', role: 'owner', subscribers: 0, verified: false },
  });
  const channel = channels.get(textAt(created.body, 'id'));
  for (const number of [ada, bob]) channels.follow(channel, sandbox.world.account(number));
  return { channel, id: channel.id };
}

/** Creates a channel of Ada. */
function createAdasChannel({ sandbox }: World) {
  const { channels, channelMessages: channelMail } = sandbox.phones;
  const account = sandbox.world.account(ada);
  const channel = channels.create(account, 'News', 'Every day');
  return {
    channel,
    id: channel.id,
    post: (draft: Parameters<typeof channelMail.post>[2]) => channelMail.post(account, channel, draft),
  };
}

describe('channels', () => {
  it('an owner creates a channel, posts texts, images and stickers, edits and deletes posts, and deletes the channel', async () => {
    const world = await startLinked();
    const { api, sandbox, receiver } = world;
    const { channel, id } = await createOwnChannel(world);
    const image = await createPicture();
    const better = { channel: channel.invite, name: 'Better offers', image: image.toString('base64') };
    expect(await api('POST', '/channel/update/sales', better)).toMatchObject({
      status: 201,
      body: { id, name: 'Better offers', description: 'Mondays', role: 'owner' },
    });
    expect(await sharp(channel.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 10, height: 10 });
    for (const body of [{}, { name: ' ' }, { image: Buffer.from('no picture').toString('base64') }])
      expect(await api('POST', '/channel/update/sales', { channel: id, ...body })).toMatchObject({ status: 400 });

    const reader = sandbox.phones.phone(ada);
    const waitForPost = (message: string) => reader.waitFor(() => reader.messages().find((one) => one.id === message));

    const text = await api('POST', '/message/sendText/sales', { number: id, textMessage: { text: 'New this week' } });
    expect(text).toMatchObject({ status: 201, body: { key: { remoteJid: id, fromMe: true }, status: 'PENDING' } });
    const post = textAt(text.body, 'key.id');
    expect(await waitForPost(post)).toMatchObject({ chat: id, text: 'New this week' });
    await receiver.next(
      ({ body }) =>
        isEvent(body, 'messages.update') && at(body, 'data.keyId') === post && at(body, 'data.status') === 'SERVER_ACK',
    );

    const sent = await api('POST', '/message/sendMedia/sales', {
      number: id,
      mediatype: 'image',
      media: image.toString('base64'),
      caption: 'Look',
    });
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
    const shown = await waitForPost(textAt(sent.body, 'key.id'));
    expect(shown).toMatchObject({ kind: 'image', text: 'Look', media: { mediatype: 'image' } });
    expect(shown.media?.problem).toBeUndefined();
    expect(reader.downloadMedia(shown.id).bytes.equals(image)).toBe(true);
    const sticker = { number: id, stickerMessage: { image: image.toString('base64') } };
    expect(
      (await waitForPost(textAt((await api('POST', '/message/sendSticker/sales', sticker)).body, 'key.id'))).kind,
    ).toBe('sticker');

    const refused = 'channels take texts';
    for (const [path, body] of [
      ['sendLocation', { locationMessage: { name: 'a', address: 'b', latitude: 1, longitude: 2 } }],
      ['sendPoll', { pollMessage: { name: 'a', selectableCount: 1, values: ['x', 'y'] } }],
      ['sendPtv', { ptvMessage: { video: image.toString('base64') } }],
    ] as const) {
      const answer = await api('POST', `/message/${path}/sales`, { number: id, ...body });
      expect(answer, path).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', certain: true } });
      expect(JSON.stringify(answer.body)).toContain(refused);
    }
    const quoting = { number: id, textMessage: { text: 'a' }, options: { quoted: { key: { id: post } } } };
    expect(await api('POST', '/message/sendText/sales', quoting)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
    const presence = await api('POST', '/chat/sendPresence/sales', {
      number: id,
      options: { presence: 'composing', delay: 1 },
    });
    expect(presence).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });

    expect(await api('GET', '/channel/fetchAllChannels/sales')).toMatchObject({
      status: 200,
      body: [{ id, subscribers: 2 }],
    });
    const found = await api('POST', '/chat/findMessages/sales', { where: { key: { remoteJid: id } } });
    expect(at(found.body, '2.message.extendedTextMessage.text')).toBe('New this week');

    const findPost = () => reader.messages().find((one) => one.id === post);
    const key = { remoteJid: id, fromMe: true, id: post };
    const edited = await api('PUT', '/chat/updateMessage/sales', { number: id, text: 'Newer', key });
    expect(edited, JSON.stringify(edited.body)).toMatchObject({ status: 200 });
    await reader.waitFor(() => findPost()?.edited === 'Newer');
    const changed = await api('POST', '/chat/findMessages/sales', { where: { key: { id: post } } });
    expect(at(changed.body, '0.message.extendedTextMessage.text')).toBe('Newer');
    const deleted = await api('DELETE', '/chat/deleteMessageForEveryone/sales', key);
    expect(deleted, JSON.stringify(deleted.body)).toMatchObject({ status: 201 });
    await reader.waitFor(() => findPost()?.deleted);
    expect((await api('DELETE', '/chat/deleteMessageForEveryone/sales', key)).body).toMatchObject({
      code: 'MESSAGE_NOT_EDITABLE',
    });
    expect(channel.posts).toHaveLength(2);
    expect(await api('PUT', '/chat/updateMessage/sales', { number: id, text: 'Late', key })).toMatchObject({
      status: 400,
    });

    expect(await api('DELETE', `/channel/delete/sales?channel=${id}`)).toMatchObject({ status: 200, body: { id } });
    expect((await api('GET', '/channel/fetchAllChannels/sales')).body).toEqual([]);
    expect(await api('GET', `/channel/findChannelInfos/sales?channel=${id}`)).toMatchObject({
      status: 404,
      body: { code: 'CHANNEL_NOT_FOUND' },
    });
  });

  it('an instance finds a channel by link, follows, mutes, reads and leaves it, and reacts to its posts', async () => {
    const world = await startLinked();
    const { api, sandbox } = world;
    const { channel, id, post } = createAdasChannel(world);
    const me = sandbox.world.account(ownNumber);
    const first = post({ text: 'One' });
    const link = `https://whatsapp.com/channel/${channel.invite}`;
    const found = await api('GET', `/channel/findChannelInfos/sales?channel=${encodeURIComponent(link)}`);
    expect(found).toMatchObject({ status: 200, body: { id, name: 'News', role: 'guest', inviteUrl: link } });
    const send = { number: id, textMessage: { text: 'me too' } };
    expect(await api('POST', '/message/sendText/sales', send)).toMatchObject({
      status: 403,
      body: { code: 'CHANNEL_FORBIDDEN', certain: true },
    });

    const followed = await api('POST', '/channel/follow/sales', { channel: channel.invite });
    expect(followed).toMatchObject({ status: 201, body: { id, role: 'subscriber', subscribers: 1, muted: true } });
    expect(await api('POST', '/channel/mute/sales', { channel: id, muted: false })).toMatchObject({
      status: 201,
      body: { id },
    });
    expect(channel.followers.get(me)).toEqual({ muted: false });

    const second = post({ text: 'Two' });
    second.views.add(me);
    const reaction = (text: string) =>
      api('POST', '/message/sendReaction/sales', {
        key: { remoteJid: id, id: first.id, fromMe: false },
        reaction: text,
      });
    expect((await reaction('👍')).status).toBe(201);
    const posts = await api('GET', `/channel/fetchMessages/sales?channel=${id}`);
    expect(posts).toMatchObject({
      status: 200,
      body: [
        {
          key: { remoteJid: id, fromMe: false, id: second.id },
          message: { conversation: 'Two' },
          views: 1,
          reactions: [],
        },
        { key: { id: first.id }, reactions: [{ reaction: '👍', count: 1 }] },
      ],
    });
    const earlier = await api('GET', `/channel/fetchMessages/sales?channel=${id}&count=1&before=${second.serverId}`);
    expect(earlier.body).toMatchObject([{ key: { id: first.id } }]);
    expect((await reaction('')).status).toBe(201);
    expect(first.reactions.size).toBe(0);
    const unknown = { key: { remoteJid: id, id: 'NOPE', fromMe: false }, reaction: '👍' };
    expect(await api('POST', '/message/sendReaction/sales', unknown)).toMatchObject({
      status: 404,
      body: { code: 'MESSAGE_NOT_FOUND' },
    });

    expect(await api('POST', '/channel/unfollow/sales', { channel: id })).toMatchObject({ status: 201, body: { id } });
    expect(channel.roleOf(me)).toBe('GUEST');
    expect(await api('DELETE', `/channel/delete/sales?channel=${id}`)).toMatchObject({
      status: 403,
      body: { code: 'CHANNEL_FORBIDDEN' },
    });
    expect(await api('POST', '/channel/update/sales', { channel: id, name: 'Mine' })).toMatchObject({ status: 403 });
    expect(await api('POST', '/channel/follow/sales', { channel: 'no channel!' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
  });

  it('an instance receives posts of followed channels, with files, edits and deletions, only with readChannels', async () => {
    const world = await startLinked();
    const { api, sandbox, receiver } = world;
    const { channel, post } = createAdasChannel(world);
    const { channels, channelMessages: channelMail } = sandbox.phones;
    const me = sandbox.world.account(ownNumber);
    channels.follow(channel, me);
    const beforeSetting = post({ text: 'Unheard' });
    await sandbox.phones.phone(ada).send(ownNumber, { text: 'direct' });
    await receiver.next(({ raw }) => raw.includes('"direct"'));

    expect((await api('POST', '/settings/set/sales', { read_channels: true })).status).toBe(201);
    expect(await api('GET', '/settings/find/sales')).toMatchObject({
      body: { readChannels: true, read_channels: true },
    });
    const received = post({ text: 'Heard' });
    const upsert = (message: string) =>
      receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === message);
    const { body } = await upsert(received.id);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: channel.id, fromMe: false },
      message: { conversation: 'Heard' },
    });
    expect(receiver.posts.some(({ raw }) => raw.includes(beforeSetting.id))).toBe(false);

    const image = await createPicture();
    const shown = post({ media: { kind: 'image', bytes: image, caption: 'See' } });
    const { body: filePost } = await upsert(shown.id);
    const { pathname, search } = new URL(textAt(filePost, 'data.message.mediaUrl'));
    const file = await fetch(`${api.url}${pathname}${search}`);
    expect(file.status).toBe(200);
    expect(Buffer.from(await file.arrayBuffer()).equals(image)).toBe(true);
    const found = await api('POST', '/chat/findMessages/sales', { where: { key: { remoteJid: channel.id } } });
    expect(found.body).toMatchObject([{ key: { id: shown.id } }, { key: { id: received.id } }]);

    const nextEvent = (event: string, message: string) =>
      receiver.next(({ body }) => isEvent(body, event) && at(body, 'data.key.id') === message);
    channelMail.change(channel.owner, channel, received.id, 'Heard better');
    expect(at((await nextEvent('messages.edited', received.id)).body, 'data.editedMessage.conversation')).toBe(
      'Heard better',
    );
    channelMail.change(channel.owner, channel, shown.id);
    expect(at((await nextEvent('messages.delete', shown.id)).body, 'data.remoteJid')).toBe(channel.id);
    expect(receiver.posts.filter(({ body }) => isEvent(body, 'messages.undecryptable'))).toEqual([]);

    const own = channels.create(me, 'Mine');
    const { id } = channelMail.post(me, own, { text: 'from my phone' });
    expect(at((await upsert(id)).body, 'data.key')).toMatchObject({ remoteJid: own.id, fromMe: true });
    const [companion] = me.companions.values();
    // The gateway acknowledges a post after its event is stored, at the same time as it posts the event.
    await waitFor(() => expect(companion?.queue).toEqual([]));
  });
});
