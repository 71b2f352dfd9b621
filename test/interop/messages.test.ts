// Every kind of message without a file, from the interop client to the instance and back.
import { describe, expect, it } from 'vitest';
import { proto } from 'whatsapp-interop-client/proto-types';
import { at, textAt } from '../support/api.ts';
import { serve } from '../support/site.ts';
import { textOf } from './support/client.ts';
import { useStage } from './support/stage.ts';

const stage = useStage({ env: { EGRESS_ALLOW: '127.0.0.0/8' }, instance: { readStatus: true } });

const vcard = (name: string, number: string) =>
  `BEGIN:VCARD\nVERSION:3.0\nFN:${name}\nTEL;type=CELL;waid=${number}:+${number}\nEND:VCARD`;
const page = { url: 'https://example.com/menu', title: 'Menu', description: 'What we cook today' };

describe('messages from the interop client to the instance', () => {
  it('the instance receives a text in Devanagari with emoji and a text of 10,000 characters from the interop client', async () => {
    for (const conversation of ['नमस्ते 👩‍👩‍👧', 'x'.repeat(10_000)]) {
      expect(await stage.sendFromClient({ conversation })).toMatchObject({
        key: { remoteJid: stage.ada.jid, fromMe: false },
        pushName: 'Ada',
        message: { conversation },
        messageType: 'conversation',
      });
    }
  });

  it('the instance receives a reply with its quoted message from the interop client', async () => {
    const question = await stage.sendFromInstance('sendText', { text: 'When do you come?' });
    const contextInfo = {
      stanzaId: question.info.id,
      participant: stage.shop.jid,
      quotedMessage: { conversation: textOf(question) },
    };
    const data = await stage.sendFromClient({ extendedTextMessage: { text: 'At eight', contextInfo } });
    expect(at(data, 'contextInfo')).toMatchObject({
      stanzaId: question.info.id,
      quotedMessage: { conversation: 'When do you come?' },
    });
  });

  it('the instance receives a mention from the interop client', async () => {
    const contextInfo = { mentionedJid: [stage.shop.jid] };
    const text = `@${stage.shop.number} look`;
    const data = await stage.sendFromClient({ extendedTextMessage: { text, contextInfo } });
    expect(at(data, 'contextInfo.mentionedJid')).toEqual([stage.shop.jid]);
  });

  it('the instance receives a link preview from the interop client', async () => {
    const { url, title, description } = page;
    const preview = {
      text: `see ${url}`,
      matchedText: url,
      title,
      description,
      jpegThumbnail: Buffer.from('ffd8ff', 'hex'),
    };
    const data = await stage.sendFromClient({ extendedTextMessage: preview });
    expect(at(data, 'message.extendedTextMessage')).toMatchObject({ matchedText: url, title, description });
  });

  it('the instance receives a location and a live location from the interop client', async () => {
    const place = { degreesLatitude: -22.9519, degreesLongitude: -43.2105, name: 'Corcovado', address: 'Rio' };
    expect(await stage.sendFromClient({ locationMessage: place })).toMatchObject({
      message: { locationMessage: place },
    });
    const live = { degreesLatitude: 1.5, degreesLongitude: 2.5, sequenceNumber: 1 };
    expect(await stage.sendFromClient({ liveLocationMessage: live })).toMatchObject({
      messageType: 'liveLocationMessage',
      message: { liveLocationMessage: { degreesLatitude: 1.5, degreesLongitude: 2.5 } },
    });
  });

  it('the instance receives one contact and several contacts from the interop client', async () => {
    const bob = { displayName: 'Bob', vcard: vcard('Bob', '15550001234') };
    expect(await stage.sendFromClient({ contactMessage: bob })).toMatchObject({ message: { contactMessage: bob } });
    const contactsArrayMessage = { displayName: '2 contacts', contacts: [bob, { ...bob, displayName: 'Eve' }] };
    expect(await stage.sendFromClient({ contactsArrayMessage })).toMatchObject({ message: { contactsArrayMessage } });
  });

  it('the instance receives an event message from the interop client', async () => {
    const eventMessage = { name: 'Party', description: 'Bring food', startTime: 1_900_000_000, isCanceled: false };
    const data = await stage.sendFromClient({ eventMessage });
    expect(at(data, 'message.eventMessage')).toMatchObject({ name: 'Party', description: 'Bring food' });
  });

  it('the instance receives buttons from the interop client', async () => {
    const interactiveMessage = {
      body: { text: 'Keep your table?' },
      nativeFlowMessage: { buttons: [{ name: 'quick_reply', buttonParamsJson: '{"display_text":"Yes","id":"keep"}' }] },
    };
    const data = await stage.sendFromClient({ interactiveMessage });
    expect(at(data, 'message.interactiveMessage.body')).toEqual({ text: 'Keep your table?' });
  });

  it('the instance receives an answer to buttons from the interop client', async () => {
    const templateButtonReplyMessage = { selectedId: 'keep', selectedDisplayText: 'Yes', selectedIndex: 0 };
    const data = await stage.sendFromClient({ templateButtonReplyMessage });
    expect(at(data, 'message.templateButtonReplyMessage')).toMatchObject({ selectedId: 'keep' });
  });

  it('the instance receives a reaction, another one and its removal from the interop client', async () => {
    const { info } = await stage.sendFromInstance('sendText', { text: 'like it?' });
    for (const emoji of ['👍', '🇧🇷', '']) {
      const id = await stage.client.engine.sendReaction(stage.shop.jid, { id: info.id, fromMe: false }, emoji);
      const body = await stage.waitForMessage(id);
      expect(at(body, 'data.message.reactionMessage')).toMatchObject({
        text: emoji,
        key: { id: info.id, fromMe: true },
      });
    }
  });
});

describe('messages from the instance to the interop client', () => {
  it('the interop client receives a text in Devanagari with emoji and a text of 10,000 characters from the instance', async () => {
    for (const text of ['नमस्ते 👩‍👩‍👧', 'x'.repeat(10_000)]) {
      const received = await stage.sendFromInstance('sendText', { text });
      expect(textOf(received)).toBe(text);
      expect(received.info).toMatchObject({ chat: stage.shop.lid, senderAlt: stage.shop.jid, pushName: 'Shop' });
    }
  });

  it('the interop client receives a reply with its quoted message from the instance', async () => {
    const data = await stage.sendFromClient({ conversation: 'When do you open?' });
    const { content } = await stage.sendFromInstance('sendText', { text: 'At nine', quoted: { key: at(data, 'key') } });
    expect(content.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: textAt(data, 'key.id'),
      quotedMessage: { conversation: 'When do you open?' },
    });
  });

  it('the interop client receives a link preview from the instance', async () => {
    const address = await serve((_request, response) => {
      const { url, title, description } = page;
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${title}</title><meta name="description" content="${description}"><!-- ${url} -->`);
    });
    const { content } = await stage.sendFromInstance('sendText', { text: `see ${address}` });
    expect(content.extendedTextMessage).toMatchObject({ title: page.title, description: page.description });
  });

  it('the interop client receives a status from the instance, and the instance receives one from the client', async () => {
    const status = { type: 'text', content: 'open today', backgroundColor: '#112233', font: 1 };
    const body = { ...status, statusJidList: [stage.ada.jid], number: undefined };
    const received = await stage.sendFromInstance('sendStatus', body);
    expect(received.info).toMatchObject({ chat: 'status@broadcast', pushName: 'Shop' });
    expect(textOf(received)).toBe('open today');
    const bytes = proto.Message.encode({ extendedTextMessage: { text: 'my day' } }).finish();
    const id = await stage.client.engine.sendStatusMessageBytes(bytes, [stage.shop.jid]);
    expect(at(await stage.waitForMessage(id), 'data.key')).toMatchObject({
      remoteJid: 'status@broadcast',
      fromMe: false,
    });
  });

  it('the interop client receives a location from the instance', async () => {
    const location = { name: 'Corcovado', address: 'Rio', latitude: -22.9519, longitude: -43.2105 };
    const { content } = await stage.sendFromInstance('sendLocation', location);
    expect(content.locationMessage).toMatchObject({
      degreesLatitude: location.latitude,
      degreesLongitude: location.longitude,
      name: 'Corcovado',
    });
  });

  it('the interop client receives one contact and several contacts from the instance', async () => {
    const bob = { fullName: 'Bob', phoneNumber: '15550001234' };
    const one = await stage.sendFromInstance('sendContact', { contact: [bob] });
    expect(one.content.contactMessage?.vcard).toContain('waid=15550001234');
    const several = await stage.sendFromInstance('sendContact', { contact: [bob, { ...bob, fullName: 'Eve' }] });
    const names = several.content.contactsArrayMessage?.contacts?.map(({ displayName }) => displayName);
    expect(names).toEqual(['Bob', 'Eve']);
  });

  it('the interop client receives a reaction, another one and its removal from the instance', async () => {
    const data = await stage.sendFromClient({ conversation: 'like it?' });
    for (const reaction of ['👍', '🇧🇷', '']) {
      const { content } = await stage.sendFromInstance('sendReaction', {
        key: at(data, 'key'),
        reaction,
        number: undefined,
      });
      expect(content.reactionMessage).toMatchObject({ text: reaction, key: { id: textAt(data, 'key.id') } });
    }
  });

  it('the interop client receives buttons and a list from the instance as native flows', async () => {
    const buttons = [{ type: 'reply', displayText: 'Yes', id: 'keep' }];
    const question = await stage.sendFromInstance('sendButtons', {
      title: 'Your table',
      description: 'Shall we keep it?',
      buttons,
    });
    const flow = question.content.interactiveMessage ?? question.content.viewOnceMessage?.message?.interactiveMessage;
    expect(flow?.nativeFlowMessage?.buttons?.map(({ name }) => name)).toEqual(['quick_reply']);
    const sections = [{ title: 'Warm', rows: [{ title: 'Soup', description: 'Leek', rowId: 'soup' }] }];
    const list = { title: 'Lunch', description: 'What?', buttonText: 'Menu', footerText: 'Until two', sections };
    const listMessage = await stage.sendFromInstance('sendList', list);
    const menu =
      listMessage.content.interactiveMessage ?? listMessage.content.viewOnceMessage?.message?.interactiveMessage;
    expect(menu?.nativeFlowMessage?.buttons?.map(({ name }) => name)).toEqual(['single_select']);
  });

  it('the interop client receives a forwarded message and a pin from the instance', async () => {
    const data = await stage.sendFromClient({ conversation: 'pass it on' });
    const message = { key: at(data, 'key') };
    const { content } = await stage.sendFromInstance('forward', { message });
    expect(content.extendedTextMessage).toMatchObject({ text: 'pass it on', contextInfo: { isForwarded: true } });
    const pin = await stage.sendFromInstance('pin', { key: at(data, 'key'), duration: 86_400, number: undefined });
    expect(pin.content.pinInChatMessage).toMatchObject({ key: { id: textAt(data, 'key.id') } });
  });
});
