// Every kind of message without a file, from the client to the instance and back.
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

describe('the instance receives from the client', () => {
  it('texts of every script and of 10,000 characters', async () => {
    for (const conversation of ['नमस्ते 👩‍👩‍👧', 'x'.repeat(10_000)]) {
      expect(await stage.fromClient({ conversation })).toMatchObject({
        key: { remoteJid: stage.ada.jid, fromMe: false },
        pushName: 'Ada',
        message: { conversation },
        messageType: 'conversation',
      });
    }
  });

  it('a reply with its quoted message', async () => {
    const asked = await stage.fromShop('sendText', { text: 'When do you come?' });
    const contextInfo = {
      stanzaId: asked.info.id,
      participant: stage.shop.jid,
      quotedMessage: { conversation: textOf(asked) },
    };
    const data = await stage.fromClient({ extendedTextMessage: { text: 'At eight', contextInfo } });
    expect(at(data, 'contextInfo')).toMatchObject({
      stanzaId: asked.info.id,
      quotedMessage: { conversation: 'When do you come?' },
    });
  });

  it('a mention', async () => {
    const contextInfo = { mentionedJid: [stage.shop.jid] };
    const text = `@${stage.shop.number} look`;
    const data = await stage.fromClient({ extendedTextMessage: { text, contextInfo } });
    expect(at(data, 'contextInfo.mentionedJid')).toEqual([stage.shop.jid]);
  });

  it('a link preview', async () => {
    const { url, title, description } = page;
    const preview = {
      text: `see ${url}`,
      matchedText: url,
      title,
      description,
      jpegThumbnail: Buffer.from('ffd8ff', 'hex'),
    };
    const data = await stage.fromClient({ extendedTextMessage: preview });
    expect(at(data, 'message.extendedTextMessage')).toMatchObject({ matchedText: url, title, description });
  });

  it('a location and a live location', async () => {
    const place = { degreesLatitude: -22.9519, degreesLongitude: -43.2105, name: 'Corcovado', address: 'Rio' };
    expect(await stage.fromClient({ locationMessage: place })).toMatchObject({ message: { locationMessage: place } });
    const live = { degreesLatitude: 1.5, degreesLongitude: 2.5, sequenceNumber: 1 };
    expect(await stage.fromClient({ liveLocationMessage: live })).toMatchObject({
      messageType: 'liveLocationMessage',
      message: { liveLocationMessage: { degreesLatitude: 1.5, degreesLongitude: 2.5 } },
    });
  });

  it('one contact and several', async () => {
    const bob = { displayName: 'Bob', vcard: vcard('Bob', '15550001234') };
    expect(await stage.fromClient({ contactMessage: bob })).toMatchObject({ message: { contactMessage: bob } });
    const contactsArrayMessage = { displayName: '2 contacts', contacts: [bob, { ...bob, displayName: 'Eve' }] };
    expect(await stage.fromClient({ contactsArrayMessage })).toMatchObject({ message: { contactsArrayMessage } });
  });

  it('an event', async () => {
    const eventMessage = { name: 'Party', description: 'Bring food', startTime: 1_900_000_000, isCanceled: false };
    const data = await stage.fromClient({ eventMessage });
    expect(at(data, 'message.eventMessage')).toMatchObject({ name: 'Party', description: 'Bring food' });
  });

  it('buttons, which the client announces automatically', async () => {
    const interactiveMessage = {
      body: { text: 'Keep your table?' },
      nativeFlowMessage: { buttons: [{ name: 'quick_reply', buttonParamsJson: '{"display_text":"Yes","id":"keep"}' }] },
    };
    const data = await stage.fromClient({ interactiveMessage });
    expect(at(data, 'message.interactiveMessage.body')).toEqual({ text: 'Keep your table?' });
  });

  it('an answer to buttons', async () => {
    const templateButtonReplyMessage = { selectedId: 'keep', selectedDisplayText: 'Yes', selectedIndex: 0 };
    const data = await stage.fromClient({ templateButtonReplyMessage });
    expect(at(data, 'message.templateButtonReplyMessage')).toMatchObject({ selectedId: 'keep' });
  });

  it('a reaction, another one, and none', async () => {
    const { info } = await stage.fromShop('sendText', { text: 'like it?' });
    for (const emoji of ['👍', '🇧🇷', '']) {
      const id = await stage.client.engine.sendReaction(stage.shop.jid, { id: info.id, fromMe: false }, emoji);
      const body = await stage.message(id);
      expect(at(body, 'data.message.reactionMessage')).toMatchObject({
        text: emoji,
        key: { id: info.id, fromMe: true },
      });
    }
  });
});

describe('the client receives from the instance', () => {
  it('texts of every script and of 10,000 characters', async () => {
    for (const text of ['नमस्ते 👩‍👩‍👧', 'x'.repeat(10_000)]) {
      const received = await stage.fromShop('sendText', { text });
      expect(textOf(received)).toBe(text);
      expect(received.info).toMatchObject({ chat: stage.shop.lid, senderAlt: stage.shop.jid, pushName: 'Shop' });
    }
  });

  it('a reply with its quoted message', async () => {
    const data = await stage.fromClient({ conversation: 'When do you open?' });
    const { content } = await stage.fromShop('sendText', { text: 'At nine', quoted: { key: at(data, 'key') } });
    expect(content.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: textAt(data, 'key.id'),
      quotedMessage: { conversation: 'When do you open?' },
    });
  });

  it('a link preview', async () => {
    const address = await serve((_request, response) => {
      const { url, title, description } = page;
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${title}</title><meta name="description" content="${description}"><!-- ${url} -->`);
    });
    const { content } = await stage.fromShop('sendText', { text: `see ${address}` });
    expect(content.extendedTextMessage).toMatchObject({ title: page.title, description: page.description });
  });

  it('a status that is shown to its account, and one of the client arrives', async () => {
    const status = { type: 'text', content: 'open today', backgroundColor: '#112233', font: 1 };
    const body = { ...status, statusJidList: [stage.ada.jid], number: undefined };
    const seen = await stage.fromShop('sendStatus', body);
    expect(seen.info).toMatchObject({ chat: 'status@broadcast', pushName: 'Shop' });
    expect(textOf(seen)).toBe('open today');
    const bytes = proto.Message.encode({ extendedTextMessage: { text: 'my day' } }).finish();
    const id = await stage.client.engine.sendStatusMessageBytes(bytes, [stage.shop.jid]);
    expect(at(await stage.message(id), 'data.key')).toMatchObject({ remoteJid: 'status@broadcast', fromMe: false });
  });

  it('a location', async () => {
    const location = { name: 'Corcovado', address: 'Rio', latitude: -22.9519, longitude: -43.2105 };
    const { content } = await stage.fromShop('sendLocation', location);
    expect(content.locationMessage).toMatchObject({
      degreesLatitude: location.latitude,
      degreesLongitude: location.longitude,
      name: 'Corcovado',
    });
  });

  it('one contact and several', async () => {
    const bob = { fullName: 'Bob', phoneNumber: '15550001234' };
    const one = await stage.fromShop('sendContact', { contact: [bob] });
    expect(one.content.contactMessage?.vcard).toContain('waid=15550001234');
    const several = await stage.fromShop('sendContact', { contact: [bob, { ...bob, fullName: 'Eve' }] });
    const names = several.content.contactsArrayMessage?.contacts?.map(({ displayName }) => displayName);
    expect(names).toEqual(['Bob', 'Eve']);
  });

  it('a reaction, another one, and none', async () => {
    const data = await stage.fromClient({ conversation: 'like it?' });
    for (const reaction of ['👍', '🇧🇷', '']) {
      const { content } = await stage.fromShop('sendReaction', { key: at(data, 'key'), reaction, number: undefined });
      expect(content.reactionMessage).toMatchObject({ text: reaction, key: { id: textAt(data, 'key.id') } });
    }
  });

  it('buttons and a list, with the announcement that shows them', async () => {
    const buttons = [{ type: 'reply', displayText: 'Yes', id: 'keep' }];
    const asked = await stage.fromShop('sendButtons', {
      title: 'Your table',
      description: 'Shall we keep it?',
      buttons,
    });
    const flow = asked.content.interactiveMessage ?? asked.content.viewOnceMessage?.message?.interactiveMessage;
    expect(flow?.nativeFlowMessage?.buttons?.map(({ name }) => name)).toEqual(['quick_reply']);
    const sections = [{ title: 'Warm', rows: [{ title: 'Soup', description: 'Leek', rowId: 'soup' }] }];
    const list = { title: 'Lunch', description: 'What?', buttonText: 'Menu', footerText: 'Until two', sections };
    const shown = await stage.fromShop('sendList', list);
    const menu = shown.content.interactiveMessage ?? shown.content.viewOnceMessage?.message?.interactiveMessage;
    expect(menu?.nativeFlowMessage?.buttons?.map(({ name }) => name)).toEqual(['single_select']);
  });

  it('a forwarded message and a pin', async () => {
    const data = await stage.fromClient({ conversation: 'pass it on' });
    const message = { key: at(data, 'key') };
    const { content } = await stage.fromShop('forward', { message });
    expect(content.extendedTextMessage).toMatchObject({ text: 'pass it on', contextInfo: { isForwarded: true } });
    const pin = await stage.fromShop('pin', { key: at(data, 'key'), duration: 86_400, number: undefined });
    expect(pin.content.pinInChatMessage).toMatchObject({ key: { id: textAt(data, 'key.id') } });
  });
});
