// Number checks, deletions, disappearing timers and files in answers.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, createOwnGroup, eve, jid, ownNumber, startLinked } from '../support/group.ts';
import { ffmpegPath, tone } from '../support/sounds.ts';

const phoneOf = (world: World, number: string) => world.sandbox.phones.phone(number);

/** Resolves with the `data` of the webhook when the message with this id has arrived. */
async function received(world: World, id: string): Promise<unknown> {
  const isExpected = ({ body }: { body: unknown }) =>
    isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id;
  return at((await world.receiver.next(isExpected)).body, 'data');
}

it('whatsappNumbers answers in the order of the request, caches results, and enforces NUMBER_CHECK_LIMIT', async () => {
  const world = await startLinked({ env: { NUMBER_CHECK_LIMIT: '5', QUERY_TIMEOUT: '400' } });
  world.expectErrors(/^request\.failed$/);
  const check = (numbers: unknown[], instance = 'sales') =>
    world.api('POST', `/chat/whatsappNumbers/${instance}`, { numbers });
  // After a link, the gateway reads its own status text with a query of this kind. The platform handles queries in order,
  // so that it has answered that query before this one.
  expect((await world.api('GET', '/group/fetchAllGroups/sales?getParticipants=false')).status).toBe(200);
  world.sandbox.faults.add({ kind: 'mute', number: ownNumber, xmlns: 'usync' });
  expect((await check([bob])).body).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT' });
  await received(world, await phoneOf(world, ada).send(ownNumber, { text: 'hi' }));
  const absent = '15550000000';
  const uncached = { cached: false, checkedAt: expect.stringMatching(/^20\d\d-.+Z$/) };
  const first = await check([bob, absent, 'status@broadcast', `+${ada}`, bob]);
  expect(first.status, JSON.stringify(first.body)).toBe(200);
  const name = phoneOf(world, ada).account.name;
  const lid = lidJid(phoneOf(world, ada).account);
  expect(first.body).toEqual([
    { exists: true, jid: jid(bob), number: bob, ...uncached },
    { exists: false, jid: jid(absent), number: absent, ...uncached },
    { exists: false, jid: 'status@broadcast', number: 'status@broadcast', cached: true },
    { exists: true, jid: jid(ada), number: `+${ada}`, name, lid, ...uncached },
    { exists: true, jid: jid(bob), number: bob, ...uncached },
  ]);
  const cached = await check([absent, lid, bob]);
  expect(cached.body).toMatchObject([
    { exists: false, cached: true },
    { exists: true, jid: jid(ada), lid, number: lid, cached: true },
    { exists: true, cached: true, checkedAt: at(first.body, '0.checkedAt') },
  ]);
  const tooMany = await check([eve, '15550004010']);
  expect(tooMany.body).toMatchObject({ status: 429, code: 'RATE_LIMITED', certain: true });
  expect(Number(tooMany.headers.get('retry-after'))).toBeGreaterThan(0);
  const unknown = Array.from({ length: 6 }, (_, index) => String(15550004020 + index));
  expect((await check(unknown)).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  const wrong = await check([bob, 'nobody']);
  expect(wrong.body).toMatchObject({ response: { message: [[expect.stringMatching(/^numbers\[1\] must/)]] } });
  expect((await check([])).status).toBe(400);
  await world.api('POST', '/instance/create', { instanceName: 'closed' });
  expect((await check([bob], 'closed')).body).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
});

it('deleteMessageForEveryone deletes own messages, and those of others where the account is an admin', async () => {
  const world = await startLinked();
  const remove = (id: string, remoteJid: string, fromMe = true) =>
    world.api('DELETE', '/chat/deleteMessageForEveryone/sales', { id, fromMe, remoteJid });
  const sent = await world.api('POST', '/message/sendText/sales', { number: ada, text: 'wrong price' });
  const id = textAt(sent.body, 'key.id');
  const group = await createOwnGroup(world);
  const spam = await phoneOf(world, bob).send(group.id, { text: 'spam' });
  await received(world, spam);

  for (const [messageId, chat, author] of [
    [id, jid(ada), ownNumber],
    [spam, group.id, bob],
  ] as const) {
    const deletion = await remove(messageId, chat, author === ownNumber);
    expect(deletion.status, JSON.stringify(deletion.body)).toBe(201);
    const key = { remoteJid: chat, id: messageId, fromMe: author === ownNumber };
    expect(deletion.body).toMatchObject({ message: { protocolMessage: { key, type: 'REVOKE' } }, status: 'PENDING' });
    expect(textAt(deletion.body, 'messageTimestamp')).toMatch(/^\d{10}$/);
    const phone = phoneOf(world, ada);
    await phone.waitFor(() => phone.messages().find((one) => one.id === messageId)?.deleted);
    const { body } = await world.receiver.next(
      (post) => isEvent(post.body, 'messages.delete') && at(post.body, 'data.id') === messageId,
    );
    expect(at(body, 'data')).toMatchObject({ ...key, status: 'DELETED', key });
    if (author !== ownNumber) expect(at(body, 'data.participant')).toBe(jid(bob));
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id: messageId } } });
    expect(found.body).toMatchObject([{ key: { id: messageId }, status: 'DELETED', message: {} }]);
  }

  const adasMessage = await phoneOf(world, ada).send(ownNumber, { text: 'mine alone' });
  await received(world, adasMessage);
  const foreign = createAdasGroup(world);
  const inForeign = await phoneOf(world, bob).send(foreign.id, { text: 'not yours' });
  await received(world, inForeign);
  const refusals: [Promise<{ body: unknown }>, object][] = [
    [remove('NOSUCH', jid(ada)), { status: 404, code: 'MESSAGE_NOT_FOUND' }],
    [remove(adasMessage, jid(bob), false), { status: 404, code: 'MESSAGE_NOT_FOUND' }],
    [remove(adasMessage, jid(ada)), { status: 400, code: 'INVALID_REQUEST' }],
    [remove(adasMessage, jid(ada), false), { status: 400, code: 'MESSAGE_NOT_EDITABLE' }],
    [remove(inForeign, foreign.id, false), { status: 403, code: 'GROUP_FORBIDDEN' }],
  ];
  for (const [answer, expected] of refusals) expect((await answer).body).toMatchObject(expected);
  const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id: adasMessage } } });
  expect(found.body).toMatchObject([{ message: { conversation: 'mine alone' } }]);
});

it('deleteMessageForEveryone can be repeated after WhatsApp refused the deletion', async () => {
  const world = await startLinked();
  const sent = await world.api('POST', '/message/sendText/sales', { number: ada, text: 'wrong price' });
  const id = textAt(sent.body, 'key.id');
  const phone = phoneOf(world, ada);
  const arrived = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
  const remove = () =>
    world.api('DELETE', '/chat/deleteMessageForEveryone/sales', { id, fromMe: true, remoteJid: jid(ada) });

  world.sandbox.faults.add({ kind: 'nack', number: ownNumber, code: 479 });
  const refused = await remove();
  const isRefusal = ({ body }: { body: unknown }) =>
    isEvent(body, 'messages.update') && at(body, 'data.keyId') === textAt(refused.body, 'key.id');
  expect(at((await world.receiver.next(isRefusal)).body, 'data')).toMatchObject({ status: 'ERROR' });
  expect(arrived.deleted).toBeFalsy();

  const secondDeletion = await remove();
  expect(secondDeletion.status, JSON.stringify(secondDeletion.body)).toBe(201);
  await phone.waitFor(() => phone.messages().find((message) => message.id === id)?.deleted);
});

it('toggleEphemeral keeps the timer of a chat when WhatsApp refuses or does not confirm the new one', async () => {
  const world = await startLinked();
  const setTimer = (expiration: number) => world.api('PUT', '/chat/toggleEphemeral/sales', { number: ada, expiration });
  const getTimer = async () => {
    const { body } = await world.api(
      'GET',
      `/chat/findChatByRemoteJid/sales?remoteJid=${encodeURIComponent(jid(ada))}`,
    );
    return at(body, 'ephemeralExpiration');
  };
  expect((await setTimer(604_800)).status).toBe(201);
  world.sandbox.faults.add({ kind: 'nack', number: ownNumber, code: 479 });
  const refused = await setTimer(86_400);
  expect(refused.body).toMatchObject({ status: 400, code: 'PLATFORM_REFUSED', certain: true });
  expect(await getTimer()).toBe(604_800);
  world.expectErrors(/^request\.failed$/);
  world.sandbox.faults.add({ kind: 'drop', number: ownNumber, after: 1 });
  expect((await setTimer(86_400)).body).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT', certain: false });
});

it('getBase64FromMediaMessage returns files, also of messages that are not stored, and converts audio to MP4', async () => {
  const world = await startLinked({ env: { FFMPEG_PATH: ffmpegPath, MEDIA_LIMIT: '100000' } });
  const phone = phoneOf(world, ada);
  const getBase64 = (message: object, convertToMp4?: boolean, instance = 'sales') =>
    world.api('POST', `/chat/getBase64FromMediaMessage/${instance}`, { message, convertToMp4 });
  const bytes = randomBytes(20_001);
  const image = await phone.send(ownNumber, {
    media: { kind: 'image', bytes, caption: 'cat', width: 40, height: 30 },
  });
  const data = await received(world, image);
  const file = {
    mediaType: 'imageMessage',
    fileName: `${image}.jpg`,
    caption: 'cat',
    size: { fileLength: '20001', width: 40, height: 30 },
    mimetype: 'image/jpeg',
    base64: bytes.toString('base64'),
    buffer: null,
  };
  expect(await getBase64({ key: { id: image } })).toMatchObject({ status: 201, body: file });
  expect(await getBase64({ key: { id: image, remoteJid: jid(ada), fromMe: false } }, true)).toMatchObject({
    body: file,
  });
  // The request contains the whole message from the webhook, and its instance has never received the message.
  await world.api('POST', '/instance/create', { instanceName: 'other' });
  const answer = await getBase64({ key: { id: 'UNSEEN' }, message: at(data, 'message') }, false, 'other');
  expect(answer).toMatchObject({ status: 201, body: { ...file, fileName: 'UNSEEN.jpg' } });

  const sound = await phone.send(ownNumber, { media: { kind: 'audio', bytes: tone(1), mimetype: 'audio/wav' } });
  await received(world, sound);
  const plain = await getBase64({ key: { id: sound } });
  expect(plain.body).toMatchObject({
    mediaType: 'audioMessage',
    mimetype: 'audio/wav',
    base64: tone(1).toString('base64'),
  });
  const converted = await getBase64({ key: { id: sound } }, true);
  expect(converted.body).toMatchObject({ mediaType: 'audioMessage', mimetype: 'audio/mp4', fileName: `${sound}.m4a` });
  expect(Buffer.from(textAt(converted.body, 'base64'), 'base64').toString('latin1', 4, 8)).toBe('ftyp');

  const large = await phone.send(ownNumber, { media: { kind: 'document', bytes: randomBytes(100_001) } });
  const text = await phone.send(ownNumber, { text: 'no file' });
  await received(world, text);
  expect((await getBase64({ key: { id: large } })).body).toMatchObject({ status: 413, code: 'MEDIA_OVER_LIMIT' });
  const missing = { status: 400, code: 'MESSAGE_NOT_FOUND', response: { message: ['Message not found'] } };
  expect((await getBase64({ key: { id: 'NOSUCH' } })).body).toMatchObject(missing);
  const without = { status: 400, response: { message: ['The message is not of the media type'] } };
  expect((await getBase64({ key: { id: text } })).body).toMatchObject(without);
  expect((await getBase64({ key: { id: 'X' }, message: { conversation: 'x' } })).body).toMatchObject(without);
  expect((await getBase64({ key: {} })).status).toBe(400);
  await world.restart({ FFMPEG_PATH: 'none' });
  const withoutFfmpeg = await getBase64({ key: { id: sound } }, true);
  expect(withoutFfmpeg.body).toMatchObject({
    status: 400,
    response: { message: [expect.stringContaining('needs ffmpeg')] },
  });
});
