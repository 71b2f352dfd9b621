// Actions on messages and chats: forward, pin, star and mute. Also albums, view-once media and disappearing messages.
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createStarPatch } from '../../packages/sandbox/src/phone/app-state.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, jid, ownNumber, startLinked } from '../support/group.ts';
import { convert, ffmpegPath, tone } from '../support/sounds.ts';
import { film } from '../support/videos.ts';
import { waitFor } from '../support/wait-for.ts';

const phoneOf = (world: World, number: string) => world.sandbox.phones.phone(number);

/** Waits for the message with this id on the phone of `number`. */
function waitForMessage(world: World, number: string, id: string) {
  const phone = phoneOf(world, number);
  return phone.waitFor(() => phone.messages().find((message) => message.id === id));
}

/** Sends by the API. Resolves with the answer and with the message on the phone of `reader`. */
async function sendByApi(world: World, path: string, body: object, reader = ada) {
  const answer = await world.api('POST', `${path}/sales`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { answer, message: await waitForMessage(world, reader, textAt(answer.body, 'key.id')) };
}

/** Sends a message from a phone. Resolves with its id when the webhook has it. */
async function sendFromPhone(
  world: World,
  from: string,
  to: string,
  draft: Parameters<ReturnType<typeof phoneOf>['send']>[1],
) {
  const id = await phoneOf(world, from).send(to, draft);
  await nextEvent(world, 'messages.upsert', withKey(id));
  return id;
}

/** The next post of an event whose data, or an entry of its data, has these members. */
const nextEvent = (world: World, event: string, data: object) =>
  world.receiver.next(({ body }) => {
    if (!isEvent(body, event)) return false;
    return [at(body, 'data')].flat().some((entry) => expect.objectContaining(data).asymmetricMatch(entry));
  });

const withKey = (id: string) => ({ key: expect.objectContaining({ id }) });

const createPicture = (background: string) =>
  sharp({ create: { width: 40, height: 40, channels: 3, background } })
    .jpeg()
    .toBuffer();

it('the gateway forwards messages with their files, sends albums, and sends view-once media', async () => {
  const world = await startLinked({ env: { FFMPEG_PATH: ffmpegPath } });
  const { api } = world;
  const group = createAdasGroup(world);
  const image = await createPicture('#0f0');
  const received = await sendFromPhone(world, ada, ownNumber, {
    media: { kind: 'image', bytes: image, caption: 'Look' },
  });

  const first = await sendByApi(world, '/message/forward', { number: bob, message: { key: { id: received } } }, bob);
  expect(first.answer.body).toMatchObject({ status: 'PENDING', messageTimestamp: expect.any(String) });
  expect(first.message).toMatchObject({ kind: 'image', text: 'Look', forwarded: 1, media: { mediatype: 'image' } });
  expect(phoneOf(world, bob).downloadMedia(first.message.id).bytes.equals(image)).toBe(true);
  const flat = { number: group.id, id: first.message.id, mentionsAll: true };
  const second = await sendByApi(world, '/message/forward', flat, bob);
  expect(second.answer.body).toMatchObject({ messageType: 'imageMessage', messageTimestamp: expect.any(Number) });
  expect(second.message).toMatchObject({ chat: group.id, forwarded: 2, mentionsAll: true });
  const text = await sendFromPhone(world, bob, group.id, {
    text: 'all of you',
    mentions: [ownNumber],
    quoted: second.message.id,
  });
  const key = { id: text, remoteJid: group.id };
  const third = await sendByApi(world, '/message/forward', { number: ada, message: { key } });
  expect(third.message).toMatchObject({ kind: 'text', text: 'all of you', forwarded: 1 });
  expect(third.message.mentions ?? third.message.quoted).toBeUndefined();

  const reaction = await sendFromPhone(world, ada, ownNumber, { reaction: { id: third.message.id, emoji: '👍' } });
  const refusals: [string, number, string][] = [
    ['UNKNOWN', 404, 'MESSAGE_NOT_FOUND'],
    [reaction, 400, 'INVALID_REQUEST'],
  ];
  for (const [id, status, code] of refusals) {
    const refused = await api('POST', '/message/forward/sales', { number: bob, id });
    expect(refused.body).toMatchObject({ status, code, certain: true });
  }

  const files = await Promise.all(['#f00', '#00f'].map(createPicture));
  const pictures = files.map((bytes) => ({ mediatype: 'image', media: bytes.toString('base64') }));
  const items = [
    { ...pictures[0], caption: 'one' },
    { mediatype: 'video', media: film(1).toString('base64') },
  ];
  const album = await sendByApi(world, '/message/sendAlbum', { number: ada, albumMessage: { items } });
  expect(album.message).toMatchObject({ kind: 'album', message: { albumMessage: { expectedVideoCount: 1 } } });
  const ids = (at(album.answer.body, 'items') as object[]).map((item) => textAt(item, 'key.id'));
  const parts = await Promise.all(ids.map((id) => waitForMessage(world, ada, id)));
  expect(parts).toMatchObject([
    { kind: 'image', text: 'one', album: album.message.id },
    { kind: 'video', album: album.message.id },
  ]);
  expect(parts.map(({ media }) => media?.problem)).toEqual([undefined, undefined]);
  const repeated = [];
  for (let attempt = 0; attempt < 2; attempt++) {
    const headers = { 'idempotency-key': 'album' };
    repeated.push(await api('POST', '/message/sendAlbum/sales', { number: bob, medias: pictures }, headers));
  }
  expect(repeated[1]?.body).toEqual(repeated[0]?.body);
  expect(repeated[0]?.body).toMatchObject({
    messageType: 'albumMessage',
    items: [{ messageType: 'imageMessage' }, {}],
  });
  expect((await api('POST', '/message/sendAlbum/sales', { number: ada, items: [pictures[0]] })).status).toBe(400);
  const quoted = { key: { id: 'NOSUCH' } };
  for (const [field, body] of [
    ['options.quoted', { number: ada, albumMessage: { items: pictures }, options: { quoted } }],
    ['quoted', { number: ada, items: pictures, quoted }],
  ] as const) {
    const { answer } = await sendByApi(world, '/message/sendAlbum', body);
    expect(answer).toMatchObject({ status: 201, body: { warnings: [{ code: 'QUOTE_NOT_FOUND', field }] } });
  }

  const viewOnceBody = {
    number: ada,
    mediatype: 'image',
    media: image.toString('base64'),
    caption: 'psst',
    viewOnce: true,
  };
  const viewOnceImage = await sendByApi(world, '/message/sendMedia', viewOnceBody);
  expect(viewOnceImage.message).toMatchObject({ kind: 'image', text: 'psst', viewOnce: true });
  expect(viewOnceImage.message.media?.problem).toBeUndefined();
  expect(viewOnceImage.message.message).not.toHaveProperty('imageMessage');
  const video = { mediatype: 'video', media: film(1).toString('base64') };
  const toGroup = { number: group.id, options: { viewOnce: true }, mediaMessage: video };
  expect((await sendByApi(world, '/message/sendMedia', toGroup)).message).toMatchObject({
    kind: 'video',
    viewOnce: true,
  });
  const voice = { number: ada, audio: convert(tone(1), 'mp3').toString('base64'), viewOnce: true };
  expect((await sendByApi(world, '/message/sendWhatsAppAudio', voice)).message).toMatchObject({
    ...{ kind: 'audio', viewOnce: true, media: { mediatype: 'ptt' } },
  });
  const document = { ...viewOnceBody, mediatype: 'document', fileName: 'a.jpg' };
  expect((await api('POST', '/message/sendMedia/sales', document)).body).toMatchObject({ code: 'INVALID_REQUEST' });
  const forwarded = await api('POST', '/message/forward/sales', { number: bob, id: viewOnceImage.message.id });
  expect(forwarded.body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  for (const to of [ownNumber, group.id]) {
    const hidden = await phoneOf(world, ada).send(to, { media: { kind: 'image', bytes: image, viewOnce: true } });
    await nextEvent(world, 'messages.undecryptable', { ...withKey(hidden), reason: 'view_once' });
  }
});

it('pins, stars, mutes and disappearing timers reach the phone, and changes on the phone reach the API', async () => {
  const world = await startLinked();
  const { api } = world;
  const { phoneAppState: synced } = world.sandbox.phones;
  const account = world.sandbox.world.account(ownNumber);
  const group = createAdasGroup(world);
  const id = await sendFromPhone(world, ada, ownNumber, { text: 'ten o’clock' });
  const inGroup = await sendFromPhone(world, ada, group.id, { text: 'all of you' });
  const day = 86_400;
  const now = world.sandbox.world.now();
  const pinnedIn = (number: string, messageId: string) => async () => {
    const phone = phoneOf(world, number);
    return phone.waitFor(() => phone.messages().find((message) => message.id === messageId)?.pinnedUntil);
  };

  await sendByApi(world, '/message/pin', { key: { id, remoteJid: ada }, duration: day });
  for (const number of [ada, ownNumber]) expect(await pinnedIn(number, id)()).toBeGreaterThanOrEqual(now + day);
  await sendByApi(world, '/message/pin', { id: inGroup, pin: true }, bob);
  expect(await pinnedIn(bob, inGroup)()).toBeGreaterThanOrEqual(now + 7 * day);
  const unpin = await sendByApi(world, '/message/pin', { messageId: id, number: ada, pin: false });
  expect(unpin.message).toMatchObject({ kind: 'pin', target: id });
  const isUnpinned = () =>
    phoneOf(world, ada)
      .messages()
      .find((message) => message.id === id)?.pinnedUntil === undefined;
  await phoneOf(world, ada).waitFor(isUnpinned);
  const pin = await sendFromPhone(world, ada, ownNumber, { pin: { id, seconds: day } });
  await nextEvent(world, 'messages.upsert', { ...withKey(pin), messageType: 'pinInChatMessage' });

  const stars = [
    [{ key: { id } }, ['star', jid(ada), id, '0', '0']],
    [
      { id: inGroup, number: group.id },
      ['star', group.id, inGroup, '0', group.addressing === 'lid' ? undefined : jid(ada)],
    ],
  ] as const;
  for (const [body, index] of stars) {
    const starred = await api('PUT', '/chat/starMessage/sales', body);
    expect(starred).toMatchObject({ status: 201, body: { chatId: index[1], messageId: index[2], starred: true } });
    const { value, index: foundIndex } = await synced.waitFor(account, (entry) => entry.index[2] === index[2]);
    expect(value.starAction).toMatchObject({ starred: true });
    expect(foundIndex.slice(0, 4)).toEqual(index.slice(0, 4));
    expect(foundIndex[4]).toMatch(index[4] ?? /^\d+@lid$/);
  }
  const stored = async () => at((await api('POST', '/chat/findMessages/sales', { where: { key: { id } } })).body, '0');
  expect(await stored()).toMatchObject({ starred: true });
  await nextEvent(world, 'messages.update', { keyId: id, starred: true });
  await synced.change(account, createStarPatch({ remoteJid: jid(ada), id, fromMe: false }, false));
  await nextEvent(world, 'messages.update', { keyId: id, starred: false });
  expect(await stored()).not.toHaveProperty('starred');

  const chat = async () => (await api('GET', `/chat/findChatByRemoteJid/sales?remoteJid=${ada}`)).body;
  const isAbout = (name: string) => (entry: { index: string[] }) =>
    entry.index[0] === name && entry.index[1] === jid(ada);
  const pinned = await api('PUT', '/chat/pinChat/sales', { chat: ada, pin: true });
  expect(pinned).toMatchObject({ status: 201, body: { chatId: jid(ada), pinned: true } });
  expect((await synced.waitFor(account, isAbout('pin_v1'))).value.pinAction).toMatchObject({ pinned: true });
  const muted = await api('POST', '/chat/muteChat/sales', { number: ada, mute: true, duration: 3600 });
  const until = Number(at(muted.body, 'muteEndTime'));
  expect(until / 1000).toBeGreaterThan(now + 3500);
  const { muteAction } = (await synced.waitFor(account, isAbout('mute'))).value;
  expect([muteAction?.muted, Number(muteAction?.muteEndTimestamp)]).toEqual([true, until]);
  expect(await chat()).toMatchObject({ pinned: true, muteEndTime: until });
  expect((await api('PUT', '/chat/muteChat/sales', { chat: ada, mute: false })).body).toMatchObject({
    muteEndTime: null,
  });
  await synced.change(account, { pin: false }, jid(ada));
  await synced.change(account, { mute: -1 }, jid(ada));
  await waitFor(async () => expect(await chat()).toMatchObject({ pinned: false, muteEndTime: -1 }));
  for (const [operation, body] of [
    ['pinChat', { chat: '15550000000', pin: true }],
    ['starMessage', { id: 'UNKNOWN' }],
  ] as const) {
    expect(await api('PUT', `/chat/${operation}/sales`, body), operation).toMatchObject({ status: 404 });
  }

  const timer = await api('PUT', '/chat/toggleEphemeral/sales', { number: ada, expiration: 604_800 });
  expect(timer).toMatchObject({ status: 201, body: { chatId: jid(ada), expiration: 604_800 } });
  for (const number of [ada, ownNumber]) {
    const { mailbox } = phoneOf(world, number);
    await phoneOf(world, number).waitFor(() => mailbox.expirationOf(number === ada ? ownNumber : ada) === 604_800);
  }
  expect(await chat()).toMatchObject({ ephemeralExpiration: 604_800 });
  const withTimer = await sendByApi(world, '/message/sendText', { number: ada, text: 'gone next week' });
  expect(withTimer.message.expiration).toBe(604_800);
  await phoneOf(world, ada).send(ownNumber, { ephemeral: 0 });
  await nextEvent(world, 'chats.update', { remoteJid: jid(ada), ephemeralExpiration: 0 });
  const withoutTimer = await sendByApi(world, '/message/sendText', { number: ada, text: 'here to stay' });
  expect(withoutTimer.message.expiration).toBeUndefined();
  await api('POST', '/chat/toggleEphemeral/sales', { number: group.id, expiration: day });
  const withGroupTimer = await sendByApi(world, '/message/sendText', { number: group.id, text: 'for a day' });
  expect(withGroupTimer.message.expiration).toBe(day);
});
