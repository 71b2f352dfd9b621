// Edits, deletions, polls, receipts, presence and calls between the interop client and the instance.
import { describe, expect, it } from 'vitest';
import { proto } from 'whatsapp-interop-client/proto-types';
import { at, textAt } from '../support/api.ts';
import { textOf } from './support/client.ts';
import { control, sendAs } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** Waits for the webhook `event` whose JSON contains `id`, and resolves with its `data`. */
const waitForWebhookData = async (event: string, id: string) =>
  at(await stage.waitForWebhook(event, (body) => JSON.stringify(body).includes(id)), 'data');

const sendTargets = async () => ({
  clientMessageId: textAt(await stage.sendFromClient({ conversation: 'first' }), 'key.id'),
  instanceMessage: await stage.sendFromInstance('sendText', { text: 'first' }),
});

describe('edits', () => {
  it('an edit by the interop client is posted to the webhook', async () => {
    const { clientMessageId } = await sendTargets();
    const bytes = proto.Message.encode({ conversation: 'second' }).finish();
    await stage.client.engine.editMessageBytes(stage.shop.jid, clientMessageId, bytes);
    expect(JSON.stringify(await waitForWebhookData('messages.edited', clientMessageId))).toContain('second');
  });

  it('an edit by the instance arrives at the interop client', async () => {
    const { instanceMessage } = await sendTargets();
    const { id } = instanceMessage.info;
    const key = { remoteJid: stage.ada.jid, fromMe: true, id };
    await stage.call('POST', '/chat/updateMessage/shop', { number: stage.ada.number, key, text: 'second' });
    const edit = await stage.client.until('the edit', () =>
      stage.client.messages.find(({ content: { protocolMessage, editedMessage } }) => {
        const change = protocolMessage ?? editedMessage?.message?.protocolMessage;
        return change?.type === MESSAGE_EDIT && change.key?.id === id;
      }),
    );
    const change = edit.content.protocolMessage ?? edit.content.editedMessage?.message?.protocolMessage;
    expect(textOf({ ...edit, content: change?.editedMessage ?? {} })).toBe('second');
  });
});

describe('deletions for everyone', () => {
  it('a deletion for everyone by the interop client is posted to the webhook', async () => {
    const { clientMessageId } = await sendTargets();
    await stage.client.engine.revokeMessage(stage.shop.jid, clientMessageId);
    expect(await waitForWebhookData('messages.delete', clientMessageId)).toMatchObject({ id: clientMessageId });
  });

  it('a deletion for everyone by the instance arrives at the interop client', async () => {
    const { id } = (await sendTargets()).instanceMessage.info;
    const key = { remoteJid: stage.ada.jid, fromMe: true, id };
    await stage.call('DELETE', '/chat/deleteMessageForEveryone/shop', key);
    await stage.client.until('the deletion', () =>
      stage.client.messages.find(
        ({ content: { protocolMessage } }) => protocolMessage?.type === REVOKE && protocolMessage.key?.id === id,
      ),
    );
  });
});

describe('polls', () => {
  it('a vote of the interop client in its own poll is counted and posted to the webhook', async () => {
    const { engine } = stage.client;
    const poll = await engine.createPoll(stage.shop.jid, 'When?', ['today', 'tomorrow', 'never'], 2);
    expect(at(await stage.waitForMessage(poll.messageId), 'data.message')).toMatchObject({
      pollCreationMessage: { name: 'When?' },
    });
    const after = stage.receiver.posts.length;
    await engine.votePoll(stage.shop.jid, poll.messageId, stage.ada.jid, poll.messageSecret, ['today', 'never']);
    const counted = await stage.waitForWebhook(
      'messages.update',
      (body) => JSON.stringify(body).includes('pollUpdates'),
      after,
    );
    expect(at(counted, 'data')).toMatchObject({
      keyId: poll.messageId,
      vote: { voter: stage.ada.jid, options: ['today', 'never'] },
      pollUpdates: [{ voters: [stage.ada.jid] }, { voters: [] }, { voters: [stage.ada.jid] }],
    });
  });

  it('the interop client votes in a poll of the instance and changes its vote, and the webhook reports each vote', async () => {
    const values = ['today', 'tomorrow', 'never'];
    const { info, content } = await stage.sendFromInstance('sendPoll', { name: 'When?', selectableCount: 1, values });
    const poll = content.pollCreationMessage ?? content.pollCreationMessageV3;
    expect(poll?.options?.map(({ optionName }) => optionName)).toEqual(values);
    const secret = content.messageContextInfo?.messageSecret;
    if (!secret) throw new Error('the poll has no secret');
    for (const choice of [['tomorrow'], ['never'], []]) {
      const after = stage.receiver.posts.length;
      await stage.client.engine.votePoll(stage.shop.jid, info.id, stage.shop.jid, secret, choice);
      const counted = await stage.waitForWebhook(
        'messages.update',
        (body) => JSON.stringify(body).includes('pollUpdates'),
        after,
      );
      expect(at(counted, 'data.vote')).toMatchObject({ voter: stage.ada.jid, options: choice });
    }
  });
});

describe('receipts', () => {
  it('the receipts of the interop client make a message of the instance delivered, read and played', async () => {
    const { info } = await stage.sendFromInstance('sendText', { text: 'read me' });
    await stage.waitForStatus(info.id, 'DELIVERY_ACK');
    await stage.client.engine.readMessages([{ remoteJid: stage.shop.jid, id: info.id }]);
    await stage.waitForStatus(info.id, 'READ');
    await stage.client.engine.markPlayed([{ remoteJid: stage.shop.jid, id: info.id }]);
    await stage.waitForStatus(info.id, 'PLAYED');
  });

  it('the receipts of the instance make a message of the interop client delivered and read', async () => {
    const data = await stage.sendFromClient({ conversation: 'read me' });
    const id = textAt(data, 'key.id');
    const isAbout = (type: string) => (receipt: { message_ids: string[]; type: unknown }) =>
      receipt.message_ids.includes(id) && receipt.type === type;
    await stage.client.event('receipt', isAbout('Delivered'));
    await stage.call('POST', '/chat/markMessageAsRead/shop', { readMessages: [at(data, 'key')] });
    await stage.client.event('receipt', isAbout('Read'));
  });
});

describe('presence', () => {
  it('the webhook reports the interop client as available, composing, recording, paused and unavailable', async () => {
    const { engine } = stage.client;
    await stage.call('POST', '/chat/sendPresence/shop', { number: stage.ada.number, presence: 'paused', delay: 0 });
    // The webhook reports the end of typing as `available`.
    const steps: [() => Promise<void>, string][] = [
      [() => engine.sendPresence('available'), 'available'],
      [() => engine.sendChatState(stage.shop.jid, 'composing'), 'composing'],
      [() => engine.sendChatState(stage.shop.jid, 'recording'), 'recording'],
      [() => engine.sendChatState(stage.shop.jid, 'paused'), 'available'],
      [() => engine.sendPresence('unavailable'), 'unavailable'],
    ];
    for (const [act, presence] of steps) {
      const after = stage.receiver.posts.length;
      await act();
      await stage.waitForWebhook('presence.update', (body) => JSON.stringify(body).includes(`"${presence}"`), after);
    }
  });

  it('the interop client reports the instance as available, composing and recording', async () => {
    const { engine } = stage.client;
    await engine.sendPresence('available');
    await engine.presenceSubscribe(stage.shop.jid);
    await stage.call('POST', '/instance/setPresence/shop', { presence: 'available' });
    await stage.client.event('presence', ({ unavailable }) => !unavailable);
    for (const [presence, media] of [
      ['composing', ''],
      ['recording', 'audio'],
    ] as const) {
      await stage.call('POST', '/chat/sendPresence/shop', { number: stage.ada.number, presence, delay: 0 });
      await stage.client.event('chat_presence', (update) => update.state === 'composing' && update.media === media);
    }
  });
});

describe('calls', () => {
  it('the interop client rejects a call, and a call to the instance is posted to the webhook', async () => {
    const { shop, ada, platform } = stage;
    const ring = (from: string, to: string) => control(platform, 'POST', `/phones/${from}/calls`, { to });
    const toClient = textAt(await ring(shop.number, ada.number), 'id');
    const { data } = await stage.client.event('incoming_call', ({ action }) => action.call_id === toClient);
    const creator = `${data.action.call_creator.user}@${data.action.call_creator.server}`;
    await stage.client.engine.rejectCall(toClient, creator, creator);
    const toShop = textAt(await ring(ada.number, shop.number), 'id');
    expect(await waitForWebhookData('call', toShop)).toMatchObject({ id: toShop });
    const calls = await control(platform, 'GET', `/phones/${ada.number}/calls`);
    expect([calls].flat().find((call) => at(call, 'id') === toClient)).toMatchObject({ state: 'rejected' });
    await control(platform, 'DELETE', `/phones/${ada.number}/calls/${toShop}`);
  });
});

describe('calls to an instance that rejects calls', () => {
  it('an instance with rejectCall rejects a call, and the caller gets the text in msgCall', async () => {
    const { shop, ada, platform } = stage;
    await stage.call('POST', '/settings/set/shop', { rejectCall: true, msgCall: 'Please write' });
    const createdCall = await control(platform, 'POST', `/phones/${ada.number}/calls`, { to: shop.number });
    await stage.client.until('the text', () =>
      stage.client.messages.find((message) => textOf(message) === 'Please write'),
    );
    const calls = await control(platform, 'GET', `/phones/${ada.number}/calls`);
    expect([calls].flat().find((call) => at(call, 'id') === at(createdCall, 'id'))).toMatchObject({
      state: 'rejected',
    });
  });
});

describe('messages of phones', () => {
  it('a message of a phone reaches the instance and the interop client of the two accounts', async () => {
    const id = await sendAs(stage.platform, stage.shop, stage.ada.number, { text: 'from the phone' });
    expect(textOf(await stage.client.message(id))).toBe('from the phone');
    expect(at(await stage.waitForMessage(id), 'data.key')).toMatchObject({ fromMe: true, remoteJid: stage.ada.jid });
    const answerId = await sendAs(stage.platform, stage.ada, stage.shop.number, { text: 'and back' });
    expect((await stage.client.message(answerId)).info).toMatchObject({ isFromMe: true, chat: stage.shop.jid });
    expect(at(await stage.waitForMessage(answerId), 'data.key')).toMatchObject({
      fromMe: false,
      remoteJid: stage.ada.jid,
    });
  });
});
