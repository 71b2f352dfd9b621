// Statuses: their audience, their content and their refusals.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, type World } from '../support/gateway.ts';
import { ada, bob, eve, jid, ownNumber, startLinked } from '../support/group.ts';
import { convert, tone } from '../support/sounds.ts';
import { film } from '../support/videos.ts';

const path = '/message/sendStatus/sales';
const STATUS = 'status@broadcast';
const createPng = () =>
  sharp({ create: { width: 60, height: 30, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();

const statusesOf = ({ sandbox }: World, number: string) =>
  sandbox.phones
    .phone(number)
    .messages()
    .filter(({ chat }) => chat === STATUS);

/** Posts a status. Resolves with the answer and with the status on a phone. */
async function postStatus(world: World, body: unknown, number = ada) {
  const sent = await world.api('POST', path, body);
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  expect(at(sent.body, 'key')).toMatchObject({ remoteJid: STATUS, fromMe: true });
  const id = textAt(sent.body, 'key.id');
  const phone = world.sandbox.phones.phone(number);
  const message = await phone.waitFor(() => statusesOf(world, number).find((candidate) => candidate.id === id));
  expect(message.media?.problem).toBeUndefined();
  return { id, body: sent.body, message };
}

describe('POST /message/sendStatus', () => {
  it('sendStatus shows a text to the accounts in statusJidList only, on phones and linked devices', async () => {
    const world = await startLinked();
    const created = await world.api('POST', '/instance/create', {
      instanceName: 'watch',
      qrcode: true,
      webhook: world.receiver.url,
      read_status: true,
    });
    await world.sandbox.pairing.scanQr(bob, textAt(created.body, 'qrcode.code'));
    await world.receiver.next(({ body }) => isState(body, 'watch', 'open'));
    const list = [ada, `+${bob}`, lidJid(world.sandbox.world.account(eve))];
    const text = { type: 'text', content: 'Open today', backgroundColor: '#102030', font: 0, statusJidList: list };
    const { id, message, body } = await postStatus(world, { statusMessage: text });
    expect(message).toMatchObject({ from: ownNumber, text: 'Open today', fromMe: false });
    expect(at(body, 'message.extendedTextMessage')).toMatchObject({ text: 'Open today', backgroundArgb: 0xff102030 });
    expect(at(message.message, 'extendedTextMessage')).toMatchObject({ textArgb: 0xffffffff, font: 'SYSTEM' });
    const { body: receivedStatus } = await world.receiver.next(
      (received) => isEvent(received.body, 'messages.upsert', 'watch') && received.raw.includes(id),
    );
    expect(at(receivedStatus, 'data')).toMatchObject({
      key: { remoteJid: STATUS, participant: jid(ownNumber), fromMe: false },
    });
    const ownPhone = world.sandbox.phones.phone(ownNumber);
    expect(await ownPhone.waitFor(() => statusesOf(world, ownNumber)[0])).toMatchObject({ id, fromMe: true });
    expect(statusesOf(world, eve).map((received) => received.id)).toEqual([id]);
    for (const status of ['SERVER_ACK', 'DELIVERY_ACK'])
      await world.receiver.next(
        (received) =>
          isEvent(received.body, 'messages.update', 'sales') &&
          received.raw.includes(id) &&
          received.raw.includes(status),
      );

    const second = await postStatus(world, { type: 'text', content: 'Only for Ada', statusJidList: [jid(ada)] });
    expect(second.body).toMatchObject({ messageType: 'conversation', messageTimestamp: expect.any(Number) });
    expect(statusesOf(world, eve)).toHaveLength(1);
    expect(statusesOf(world, bob)).toHaveLength(1);
    expect(statusesOf(world, ada)).toHaveLength(2);
  });

  it('sendStatus shows pictures, videos and voice notes to all contacts with a name', async () => {
    const world = await startLinked();
    const withoutContacts = await world.api('POST', path, { type: 'text', content: 'Hi', allContacts: true });
    expect(withoutContacts).toMatchObject({ status: 400, body: { certain: true } });
    expect(JSON.stringify(withoutContacts.body)).toContain('Contacts not found');
    for (const number of [ada, bob]) {
      const id = await world.sandbox.phones.phone(number).send(ownNumber, { text: 'hello' });
      await world.receiver.next(({ body, raw }) => isEvent(body, 'messages.upsert') && raw.includes(id));
    }
    const image = (await createPng()).toString('base64');
    const picture = await postStatus(
      world,
      { type: 'image', content: image, caption: 'Our cat', allContacts: true },
      bob,
    );
    expect(picture.message).toMatchObject({ kind: 'image', text: 'Our cat', media: { width: 60 } });
    const video = film(1).toString('base64');
    const moving = await postStatus(world, { statusMessage: { type: 'video', content: video, allContacts: true } });
    expect(moving.message.media).toMatchObject({ mediatype: 'video', seconds: 1 });
    const sound = convert(tone(1), 'mp3').toString('base64');
    const spoken = await postStatus(world, {
      type: 'audio',
      content: sound,
      backgroundColor: '102030',
      allContacts: true,
    });
    expect(spoken.message.media).toMatchObject({ mediatype: 'ptt', seconds: 1 });
    expect(at(spoken.message.message, 'audioMessage.backgroundArgb')).toBe(0xff102030);
    expect(statusesOf(world, eve)).toEqual([]);

    const form = new FormData();
    for (const [name, value] of Object.entries({ type: 'image', statusJidList: `["${ada}"]` })) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(await createPng())]), 'a.png');
    const { url, key } = world.api;
    const answer = await fetch(url + path, { method: 'POST', body: form, headers: { apikey: key } });
    expect(answer.status).toBe(201);
    expect(statusesOf(world, bob)).toHaveLength(3);
  });

  it('a status ends in ERROR only when WhatsApp refuses all of its stanzas', async () => {
    const world = await startLinked({ env: { NUMBER_CHECK_LIMIT: '0' } });
    const statusJidList = Array.from({ length: 201 }, (_, index) => String(15550008000 + index));
    const toMany = (content: string) => world.api('POST', `${path}?wait=ack`, { type: 'text', content, statusJidList });
    world.sandbox.faults.add({ kind: 'nack', number: ownNumber, code: 479 });
    expect(await toMany('one is refused')).toMatchObject({ status: 201, body: { status: 'SERVER_ACK' } });
    world.sandbox.faults.add({ kind: 'nack', number: ownNumber, code: 479, times: 2 });
    expect(await toMany('both are refused')).toMatchObject({ status: 201, body: { status: 'ERROR', code: '479' } });
  });

  it('sendStatus looks up no more new numbers of its audience per minute than NUMBER_CHECK_LIMIT', async () => {
    const world = await startLinked({ env: { NUMBER_CHECK_LIMIT: '2' } });
    const toList = (statusJidList: string[]) => world.api('POST', path, { type: 'text', content: 'Hi', statusJidList });
    const tooMany = await toList([ada, bob, eve]);
    expect(tooMany).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', certain: true } });
    expect((await toList([ada, bob])).status).toBe(201);
    const refused = await toList([ada, bob, eve]);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', certain: true } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await toList([ada, bob])).status).toBe(201);
    expect(statusesOf(world, eve)).toEqual([]);
  });

  it('a status can be neither deleted nor edited by the API', async () => {
    const world = await startLinked();
    const { id } = await postStatus(world, { type: 'text', content: 'Open today', statusJidList: [ada] });
    const key = { id, fromMe: true, remoteJid: STATUS };
    for (const [method, change, body] of [
      ['DELETE', 'deleteMessageForEveryone', key],
      ['PUT', 'updateMessage', { number: STATUS, text: 'Closed', key }],
    ] as const) {
      const refused = await world.api(method, `/chat/${change}/sales`, body);
      expect(refused, change).toMatchObject({ status: 400, body: { code: 'MESSAGE_NOT_EDITABLE', certain: true } });
      expect(JSON.stringify(refused.body)).toMatch(/Statuses and messages to broadcast lists cannot be/);
    }
  });

  it('sendStatus names the reason of a refusal and posts nothing', async () => {
    const world = await startLinked();
    const text = { type: 'text', content: 'Hi', statusJidList: [ada] };
    const cases: [Record<string, unknown>, string, RegExp][] = [
      [{ ...text, statusJidList: [] }, 'INVALID_REQUEST', /StatusJidList is required/],
      [{ ...text, statusJidList: undefined }, 'INVALID_REQUEST', /StatusJidList is required/],
      [{ ...text, statusJidList: [ada, '120363025246125486@g.us'] }, 'INVALID_REQUEST', /statusJidList\[1\]/],
      [{ ...text, statusJidList: [ada, '15550000000'] }, 'NUMBER_NOT_ON_PLATFORM', /15550000000/],
      [{ ...text, content: ' ' }, 'INVALID_REQUEST', /content/],
      [{ ...text, type: 'sticker' }, 'INVALID_REQUEST', /type is not one of enum values: text,image,video,audio/],
      [{ ...text, backgroundColor: 'red' }, 'INVALID_REQUEST', /backgroundColor/],
      [{ ...text, font: 11 }, 'INVALID_REQUEST', /font must be less than or equal to 10/],
      [{ ...text, type: 'image', content: Buffer.from('hello').toString('base64') }, 'MEDIA_INVALID', /image/],
    ];
    for (const [body, code, message] of cases) {
      const refused = await world.api('POST', path, body);
      expect(refused, JSON.stringify(body)).toMatchObject({ status: 400, body: { code, certain: true } });
      expect(JSON.stringify(refused.body)).toMatch(message);
    }
    world.sandbox.faults.add({ kind: 'nack', number: ownNumber, code: 479 });
    const nacked = await world.api('POST', `${path}?wait=ack`, text);
    expect(nacked).toMatchObject({ status: 201, body: { status: 'ERROR', code: '479' } });
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const closed = await world.api('POST', '/message/sendStatus/closed', text);
    expect(closed).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_OPEN' } });
    expect(statusesOf(world, ada)).toEqual([]);
  });
});
