// Buttons and lists: their display on the phone, and their refusal by the platform and by the gateway.
import { proto } from '@whiskeysockets/baileys';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, createAdasGroup, jid, ownNumber, startLinked } from '../support/group.ts';

/** Sends by the API. Resolves with the answer and with the native flow that the phone shows. */
async function send(world: World, kind: string, body: unknown) {
  const sent = await world.api('POST', `/message/${kind}/sales`, body);
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const phone = world.sandbox.phones.phone(ada);
  const message = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(sent.body, 'key.id')));
  const flow = at(message.message, 'interactiveMessage');
  const buttons = [at(flow, 'nativeFlowMessage.buttons')].flat().map((button) => ({
    name: textAt(button, 'name'),
    params: JSON.parse(textAt(button, 'buttonParamsJson')) as unknown,
  }));
  return { body: sent.body, message, flow, buttons };
}

const sections = [{ title: 'Warm', rows: [{ title: 'Soup', description: 'Leek', rowId: 'soup' }] }];

describe('POST /message/sendButtons and sendList', () => {
  it('sendButtons and sendList show their buttons and rows on the phone, from every form of a body', async () => {
    const world = await startLinked();
    const title = 'Your table';
    const buttons = [{ type: 'reply', displayText: 'Yes', id: 'keep' }];
    const quoted = { key: { id: 'ABC' }, message: { conversation: 'and?' } };
    const wrapped = await send(world, 'sendButtons', {
      number: ada,
      options: { quoted },
      buttonMessage: { title, description: 'Shall we keep it?', footerText: 'Until eight', buttons },
    });
    expect(wrapped.flow).toMatchObject({
      header: { title },
      body: { text: 'Shall we keep it?' },
      footer: { text: 'Until eight' },
    });
    expect(wrapped.message).toMatchObject({ kind: 'interactive', quoted: 'ABC' });
    expect(wrapped.buttons).toEqual([{ name: 'quick_reply', params: { display_text: 'Yes', id: 'keep' } }]);

    const thumbnailUrl = (
      await sharp({ create: { width: 60, height: 30, channels: 3, background: '#f00' } })
        .png()
        .toBuffer()
    ).toString('base64');
    const url = { type: 'url', displayText: 'Read', url: 'https://example.com/menu' };
    const flat = await send(world, 'sendButtons', { number: ada, title, thumbnailUrl, buttons: [url] });
    expect(flat.body).toMatchObject({ messageType: 'interactiveMessage' });
    expect(flat.flow).toMatchObject({
      header: { hasMediaAttachment: true, imageMessage: { width: 60 } },
      body: { text: title },
    });
    expect(flat.buttons).toMatchObject([{ name: 'cta_url', params: { url: url.url } }]);

    const group = createAdasGroup(world);
    for (const olderButton of [
      { buttonText: 'Yes', buttonId: 'keep' },
      { text: 'Yes', id: 'keep' },
    ]) {
      const sent = await send(world, 'sendButtons', { number: group.id, title, buttons: [olderButton] });
      expect(sent.buttons).toEqual([{ name: 'quick_reply', params: { display_text: 'Yes', id: 'keep' } }]);
    }

    const listMessage = {
      title: 'Lunch',
      description: 'What shall it be?',
      buttonText: 'Menu',
      footerText: 'Until two',
      sections,
    };
    for (const body of [{ listMessage }, listMessage]) {
      const list = await send(world, 'sendList', { number: ada, ...body });
      expect(list.flow).toMatchObject({
        header: { title: 'Lunch' },
        body: { text: 'What shall it be?' },
        footer: { text: 'Until two' },
      });
      expect(list.buttons).toEqual([
        {
          name: 'single_select',
          params: {
            title: 'Menu',
            sections: [{ title: 'Warm', rows: [{ header: '', title: 'Soup', description: 'Leek', id: 'soup' }] }],
          },
        },
      ]);
    }
  });

  it('sendButtons needs no title: a payment has no body, and other buttons have the description or an empty text', async () => {
    const world = await startLinked();
    const pix = { type: 'pix', currency: 'BRL', name: 'Ada Lovelace', keyType: 'email', key: 'ada@example.com' };
    const reply = { type: 'reply', displayText: 'Yes', id: 'keep' };
    for (const body of [{ buttons: [pix] }, { buttonMessage: { buttons: [pix] } }, { title: '', buttons: [pix] }]) {
      const payment = await send(world, 'sendButtons', { number: ada, ...body });
      expect(payment.buttons).toMatchObject([{ name: 'payment_info', params: { currency: 'BRL' } }]);
      expect(payment.flow).not.toHaveProperty('body');
      expect(payment.flow).not.toHaveProperty('header');
    }
    const described = await send(world, 'sendButtons', { number: ada, description: 'Shall we?', buttons: [reply] });
    expect(described.flow).toMatchObject({ body: { text: 'Shall we?' } });
    const bare = await send(world, 'sendButtons', { number: ada, buttons: [reply] });
    expect(bare.flow).toMatchObject({ body: { text: '' } });
    expect(bare.buttons).toEqual([{ name: 'quick_reply', params: { display_text: 'Yes', id: 'keep' } }]);
    // Published examples have the type of the button in `title`.
    const { type, ...rest } = pix;
    const published = await send(world, 'sendButtons', { number: ada, buttons: [{ title: type, ...rest }] });
    expect(published.buttons).toMatchObject([{ name: 'payment_info' }]);
  });

  it('sendList accepts repeated row ids: phones get distinct ids, and a tap returns the id of the caller', async () => {
    const world = await startLinked();
    const list = {
      title: 'Lunch',
      buttonText: 'Menu',
      sections: [
        { title: 'Warm', rows: [{ title: 'Soup', rowId: 'rowId 001' }] },
        { title: 'Cold', rows: [{ title: 'Salad', rowId: 'rowId 001' }] },
      ],
    };
    const sent = await send(world, 'sendList', { number: ada, ...list });
    const rows = [at(sent.buttons[0]?.params, 'sections')].flat().map((section) => at(section, 'rows.0'));
    const [soup, salad] = rows.map((row) => textAt(row, 'id'));
    expect(soup).not.toBe(salad);
    const buttonsInAnswer = [at(sent.body, 'message.interactiveMessage.nativeFlowMessage.buttons')].flat();
    const params: unknown = JSON.parse(textAt(buttonsInAnswer[0], 'buttonParamsJson'));
    for (const section of [at(params, 'sections')].flat()) expect(at(section, 'rows.0.id')).toBe('rowId 001');

    const phone = world.sandbox.phones.phone(ada);
    const tap = (id: string | undefined, title: string) =>
      phone.send(ownNumber, {
        raw: proto.Message.encode({
          interactiveResponseMessage: {
            body: { text: title },
            nativeFlowResponseMessage: { name: 'menu_options', paramsJson: JSON.stringify({ id, title }), version: 3 },
            contextInfo: {
              stanzaId: sent.message.id,
              participant: jid(ownNumber),
              quotedMessage: proto.Message.fromObject(sent.message.message as object),
            },
          },
        }).finish(),
      });
    for (const [id, title, section] of [
      [salad, 'Salad', 'Cold'],
      [soup, 'Soup', 'Warm'],
    ] as const) {
      const tapId = await tap(id, title);
      const { body } = await world.receiver.next(
        (post) => isEvent(post.body, 'messages.upsert') && at(post.body, 'data.key.id') === tapId,
      );
      const response = at(body, 'data.message.interactiveResponseMessage');
      expect(at(response, 'body.text')).toBe(title);
      expect(JSON.parse(textAt(response, 'nativeFlowResponseMessage.paramsJson'))).toEqual({
        ...{ id: 'rowId 001', title, section },
      });
    }
  });

  it('sendButtons, sendList and sendTemplate name the reason of a refusal and send nothing', async () => {
    const world = await startLinked();
    const buttons = [{ type: 'reply', displayText: 'Yes', id: 'keep' }];
    const list = { number: ada, title: 'Lunch', buttonText: 'Menu' };
    const cases: [string, Record<string, unknown>, string, RegExp][] = [
      ['sendButtons', { number: ada, title: 'T', buttons: [] }, 'INVALID_REQUEST', /At least one button is required/],
      [
        'sendButtons',
        { number: ada, title: 'T', buttons: [{ type: 'other' }] },
        'INVALID_REQUEST',
        /buttons\[0\].type is not one of/,
      ],
      [
        'sendButtons',
        { number: ada, title: 'T', buttons: [{ type: 'reply', id: 'a' }] },
        'INVALID_REQUEST',
        /buttons\[0\] requires property .{1,2}displayText/,
      ],
      ['sendButtons', { number: '15550000000', title: 'T', buttons }, 'NUMBER_NOT_ON_PLATFORM', /15550000000/],
      ['sendButtons', { number: ada, title: 'T', buttons, thumbnailUrl: 'aGVsbG8=' }, 'MEDIA_INVALID', /image/],
      ['sendList', { ...list, sections: [] }, 'INVALID_REQUEST', /sections does not meet minimum length of 1/],
      [
        'sendList',
        { ...list, sections: [{ title: 'A', rows: [{ title: 'B' }] }] },
        'INVALID_REQUEST',
        /requires property .{1,2}rowId/,
      ],
    ];
    for (const [kind, body, code, text] of cases) {
      const refused = await world.api('POST', `/message/${kind}/sales`, body);
      expect(refused, `${JSON.stringify(body)} ${JSON.stringify(refused.body)}`).toMatchObject({
        status: 400,
        body: { code, certain: true },
      });
      expect(JSON.stringify(refused.body)).toMatch(text);
    }
    const template = { number: ada, name: 'hello_world', language: 'en_US', components: [] };
    for (const body of [template, { number: ada, templateMessage: template }]) {
      expect(await world.api('POST', '/message/sendTemplate/sales', body)).toMatchObject({
        status: 501,
        body: {
          code: 'NOT_IMPLEMENTED',
          certain: true,
          response: { message: 'Method not available in the Baileys service' },
        },
      });
    }
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    for (const [kind, body] of [
      ['sendButtons', { number: ada, title: 'T', buttons }],
      ['sendList', { ...list, sections }],
    ] as const)
      expect(await world.api('POST', `/message/${kind}/closed`, body)).toMatchObject({
        status: 400,
        body: { code: 'INSTANCE_NOT_OPEN' },
      });
    world.sandbox.faults.add({ kind: 'nack', number: ownNumber, code: 405 });
    const refused = await world.api('POST', '/message/sendList/sales?wait=ack', { ...list, sections });
    expect(refused).toMatchObject({ status: 201, body: { status: 'ERROR', code: '405' } });
    expect(world.sandbox.phones.phone(ada).messages()).toEqual([]);
  });
});
