// Groups with the interop client and the instance in both addressing modes: messages, changes of messages, receipts,
// members and settings.
import { beforeAll, describe, expect, it } from 'vitest';
import { proto } from 'whatsapp-interop-client/proto-types';
import { at, textAt } from '../support/api.ts';
import { type ReceivedMessage, textOf } from './support/client.ts';
import { type Account, control, createAccount, sendAs } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

describe.each(['pn', 'lid'] as const)('groups that are addressed by %s', (mode) => {
  let group: string;
  let bob: Account;
  const jidOf = (account: Account) => (mode === 'lid' ? account.lid : account.jid);
  const sendFromClient = (content: proto.IMessage) => stage.sendFromClient(content, group);
  const sendFromInstance = (kind: string, body: object) => stage.sendFromInstance(kind, { ...body, number: group });
  const act = (account: Account, action: string, body: object) =>
    control(stage.platform, 'POST', `/phones/${account.number}/groups/${group}/${action}`, body);
  const groupUpdate = (type: string, after = 0) =>
    stage.client.event(
      'group_update',
      (data) => data.action.type === type && data.group_jid.user === group.split('@')[0],
      after,
    );

  beforeAll(async () => {
    bob = await createAccount(stage.platform, 'Bob');
    const participants = [stage.shop.number, bob.number];
    const body = { subject: `By ${mode}`, participants, mode };
    group = textAt(await control(stage.platform, 'POST', `/phones/${stage.ada.number}/groups`, body), 'id');
  });

  it('a new group is posted to the webhook and known to the interop client', async () => {
    await stage.waitForWebhook('groups.upsert', (body) => JSON.stringify(body).includes(group));
    const metadata = await stage.client.engine.getGroupMetadata(group);
    expect(metadata).toMatchObject({ subject: `By ${mode}`, addressingMode: mode });
    expect(metadata.participants.map(({ jid }) => jid).sort()).toEqual([stage.ada, stage.shop, bob].map(jidOf).sort());
  });

  it('texts in a group arrive at the instance and at the interop client, also from phones', async () => {
    for (const conversation of ['first', 'second', 'third']) {
      expect(await sendFromClient({ conversation })).toMatchObject({
        key: { remoteJid: group, fromMe: false },
        pushName: 'Ada',
        message: { conversation },
      });
      expect(textOf(await sendFromInstance('sendText', { text: conversation }))).toBe(conversation);
    }
    const id = await sendAs(stage.platform, bob, group, { text: 'from the phone' });
    expect((await stage.client.message(id)).info).toMatchObject({ chat: group, pushName: 'Bob' });
    expect(at(await stage.waitForMessage(id), 'data.message')).toMatchObject({ conversation: 'from the phone' });
  });

  it('a group message names its author in the addressing mode of the group', async () => {
    const { info } = await sendFromInstance('sendText', { text: 'who am I?' });
    expect(info).toMatchObject({ chat: group, isGroup: true, sender: jidOf(stage.shop) });
    const data = await sendFromClient({ conversation: 'and I?' });
    expect(JSON.stringify(at(data, 'key'))).toContain(stage.ada.number);
  });

  it('replies and mentions in a group arrive at the instance and at the interop client', async () => {
    const data = await sendFromClient({ conversation: 'When do you open?' });
    const reply = await sendFromInstance('sendText', {
      ...{ text: `@${stage.ada.number} at nine`, mentioned: [stage.ada.number], quoted: { key: at(data, 'key') } },
    });
    const context = reply.content.extendedTextMessage?.contextInfo;
    expect(context).toMatchObject({ stanzaId: textAt(data, 'key.id'), participant: jidOf(stage.ada) });
    // The text contains the number, so the mention contains the phone-number JID also in a LID group.
    expect(context?.mentionedJid).toEqual([stage.ada.jid]);
    const contextInfo = {
      ...{ stanzaId: reply.info.id, participant: reply.info.sender, mentionedJid: [jidOf(stage.shop)] },
      quotedMessage: { conversation: 'at nine' },
    };
    const answer = await sendFromClient({ extendedTextMessage: { text: 'thanks', contextInfo } });
    expect(at(answer, 'contextInfo')).toMatchObject({ stanzaId: reply.info.id });
  });

  it('reactions in a group arrive at the instance and at the interop client', async () => {
    const data = await sendFromClient({ conversation: 'like it?' });
    const put = await sendFromInstance('sendReaction', { key: at(data, 'key'), reaction: '👍', number: undefined });
    expect(put.content.reactionMessage).toMatchObject({ text: '👍', key: { id: textAt(data, 'key.id') } });
    const instanceMessage = await sendFromInstance('sendText', { text: 'and this?' });
    const target = { id: instanceMessage.info.id, fromMe: false, participant: instanceMessage.info.sender };
    const id = await stage.client.engine.sendReaction(group, target, '❤️');
    expect(at(await stage.waitForMessage(id), 'data.message.reactionMessage')).toMatchObject({
      text: '❤️',
      key: { id: instanceMessage.info.id },
    });
  });

  it('edits and deletions in a group arrive at the instance and at the interop client', async () => {
    const clientMessageId = textAt(await sendFromClient({ conversation: 'frist' }), 'key.id');
    const bytes = proto.Message.encode({ conversation: 'first' }).finish();
    await stage.client.engine.editMessageBytes(group, clientMessageId, bytes);
    await stage.waitForWebhook('messages.edited', (body) => JSON.stringify(body).includes(clientMessageId));
    await stage.client.engine.revokeMessage(group, clientMessageId);
    await stage.waitForWebhook('messages.delete', (body) => JSON.stringify(body).includes(clientMessageId));

    const { id } = (await sendFromInstance('sendText', { text: 'frist' })).info;
    const key = { remoteJid: group, fromMe: true, id };
    const changeOf = ({ content }: ReceivedMessage) =>
      content.protocolMessage ?? content.editedMessage?.message?.protocolMessage;
    const waitForChange = (type: number) =>
      stage.client.until(`change ${type}`, () =>
        stage.client.messages.find((message) => changeOf(message)?.type === type && changeOf(message)?.key?.id === id),
      );
    await stage.call('POST', '/chat/updateMessage/shop', { number: group, key, text: 'first' });
    await waitForChange(MESSAGE_EDIT);
    await stage.call('DELETE', '/chat/deleteMessageForEveryone/shop', key);
    await waitForChange(REVOKE);
  });

  it('the instance and the interop client decrypt the encrypted edits and reactions of a phone in a group', async () => {
    const id = await sendAs(stage.platform, bob, group, { text: 'frist' });
    await Promise.all([stage.client.message(id), stage.waitForMessage(id)]);
    await sendAs(stage.platform, bob, group, { edit: { id, text: 'first', encrypted: true } });
    const edited = await stage.waitForWebhook('messages.edited', (body) => at(body, 'data.key.id') === id);
    expect(at(edited, 'data.editedMessage')).toEqual({ extendedTextMessage: { text: 'first' } });
    await stage.client.until('the edit', () =>
      stage.client.messages.find(({ content }) => JSON.stringify(content.protocolMessage ?? {}).includes('"first"')),
    );
    const reactionId = await sendAs(stage.platform, bob, group, { reaction: { id, emoji: '👍', encrypted: true } });
    expect(at(await stage.waitForMessage(reactionId), 'data.message.reactionMessage')).toMatchObject({
      text: '👍',
      key: { id },
    });
    const { content } = await stage.client.message(reactionId);
    expect(content.reactionMessage).toMatchObject({ text: '👍', key: { id } });
  });

  it('votes in the group polls of the instance and of the interop client are posted to the webhook', async () => {
    const { engine } = stage.client;
    const values = ['today', 'never'];
    const { info, content } = await sendFromInstance('sendPoll', { name: 'When?', selectableCount: 1, values });
    const secret = content.messageContextInfo?.messageSecret;
    if (!secret) throw new Error('the poll has no secret');
    await engine.votePoll(group, info.id, info.sender, secret, ['never']);
    const isCounted = (id: string) => (body: unknown) =>
      JSON.stringify(body).includes('pollUpdates') && at(body, 'data.keyId') === id;
    const voteOfClient = await stage.waitForWebhook('messages.update', isCounted(info.id));
    expect(at(voteOfClient, 'data.vote')).toMatchObject({ voter: stage.ada.jid, options: ['never'] });
    const poll = await engine.createPoll(group, 'Where?', ['here', 'there'], 1);
    await stage.waitForMessage(poll.messageId);
    await sendAs(stage.platform, bob, group, { vote: { id: poll.messageId, options: ['here'] } });
    const voteOfPhone = await stage.waitForWebhook('messages.update', isCounted(poll.messageId));
    expect(at(voteOfPhone, 'data.vote')).toMatchObject({ voter: bob.jid, options: ['here'] });
  });

  it('the instance can download a file that the interop client sends to a group', async () => {
    const file = Buffer.from('%PDF-1.4 a menu');
    const stored = await stage.client.engine.uploadMedia(file, 'document');
    const data = await sendFromClient({
      documentMessage: { ...stored, mimetype: 'application/pdf', fileName: 'm.pdf' },
    });
    const body = { message: { key: at(data, 'key') } };
    const read = await stage.call('POST', '/chat/getBase64FromMediaMessage/shop', body);
    expect(Buffer.from(textAt(read, 'base64'), 'base64').equals(file)).toBe(true);
  });

  it('read receipts in a group arrive at the instance and at the interop client', async () => {
    const { info } = await sendFromInstance('sendText', { text: 'read me' });
    await stage.client.engine.readMessages([{ remoteJid: group, id: info.id, participant: info.sender }]);
    await control(stage.platform, 'POST', `/phones/${bob.number}/read`, { chat: group });
    await stage.waitForStatus(info.id, 'READ');
    const data = await sendFromClient({ conversation: 'read me' });
    await stage.call('POST', '/chat/markMessageAsRead/shop', { readMessages: [at(data, 'key')] });
    const id = textAt(data, 'key.id');
    await stage.client.event('receipt', (receipt) => receipt.message_ids.includes(id) && receipt.type === 'Read');
  });

  it('the instance and the interop client rotate their sender keys when a member leaves the group', async () => {
    const { client } = stage;
    client.engine.setRawNodeForwarding(true);
    /** Sends a message from the instance and resolves with the id of its sender key. */
    const keyIdOf = async () => {
      const { info } = await sendFromInstance('sendText', { text: 'which key?' });
      return senderKeyIdOf(client.events, info.id);
    };
    /** The sender key of the client. The store holds it by group and own device. */
    const readSenderKey = async () => {
      const [user] = jidOf(stage.ada).split('@');
      const name = client.store.keys('sender_key').find((key) => key.startsWith(`${group}:${user}`));
      return Buffer.from((name && (await client.store.callbacks.get('sender_key', name))) ?? []).toString('hex', 0, 8);
    };
    await sendFromClient({ conversation: 'before' });
    const before = {
      shop: await keyIdOf(),
      ada: Buffer.from(await readSenderKey())
        .subarray(0, 8)
        .toString('hex'),
    };
    expect(await keyIdOf()).toBe(before.shop);
    const since = client.events.length;
    await act(bob, 'leave', {});
    await groupUpdate('remove', since);
    await stage.waitForWebhook('group-participants.update', (body) => JSON.stringify(body).includes(bob.number));
    expect(await sendFromClient({ conversation: 'after' })).toMatchObject({ message: { conversation: 'after' } });
    expect(await keyIdOf()).not.toBe(before.shop);
    expect(await readSenderKey()).not.toBe(before.ada);
    client.engine.setRawNodeForwarding(false);
    await act(stage.ada, 'add', { participants: [bob.number] });
    const id = await client.send(group, { conversation: 'welcome back' });
    await stage.waitForMessage(id);
    const seen = await control(stage.platform, 'GET', `/phones/${bob.number}/messages`);
    expect(JSON.stringify(seen)).toContain('welcome back');
  });

  it('changes of a group by the interop client are posted to the webhook', async () => {
    const { engine } = stage.client;
    const waitForUpdate = (text: string) =>
      stage.waitForWebhook(
        'groups.update',
        (body) => JSON.stringify(body).includes(group) && JSON.stringify(body).includes(text),
      );
    await engine.groupUpdateSubject(group, `New ${mode}`);
    await waitForUpdate(`New ${mode}`);
    await engine.groupUpdateDescription(group, 'About us');
    await waitForUpdate('About us');
    await engine.groupSettingUpdate(group, 'announce', true);
    await waitForUpdate('"announce":true');
    await engine.groupSettingUpdate(group, 'announce', false);
    await waitForUpdate('"announce":false');
    await engine.groupToggleEphemeral(group, 86_400);
    await waitForUpdate('86400');
    await engine.groupToggleEphemeral(group, 0);
    await engine.groupParticipantsUpdate(group, [jidOf(stage.shop)], 'promote');
    await stage.waitForWebhook('group-participants.update', (body) => JSON.stringify(body).includes('"promote"'));
    const { participants } = await engine.getGroupMetadata(group);
    expect(participants).toHaveLength(3);
    expect(await engine.groupInviteCode(group)).toMatch(/\w{10,}/);
  });

  it('the interop client reports changes of a group by the instance', async () => {
    const query = `?groupJid=${group}`;
    const since = stage.client.events.length;
    await stage.call('POST', `/group/updateGroupSubject/shop${query}`, { subject: 'Ours' });
    expect((await groupUpdate('subject', since)).data.action).toMatchObject({ subject: 'Ours' });
    await stage.call('POST', `/group/updateGroupDescription/shop${query}`, { description: 'Opened at nine' });
    expect((await groupUpdate('description', since)).data.action).toMatchObject({ description: 'Opened at nine' });
    await stage.call('POST', `/group/updateSetting/shop${query}`, { action: 'locked' });
    await groupUpdate('locked', since);
    const eve = await createAccount(stage.platform, 'Eve');
    const change = (action: string) =>
      stage.call('POST', `/group/updateParticipant/shop${query}`, { action, participants: [eve.number] });
    for (const action of ['add', 'promote', 'demote', 'remove'] as const) {
      const after = stage.client.events.length;
      await change(action);
      await groupUpdate(action, after);
    }
    await stage.call('POST', `/group/revokeInviteCode/shop${query}`, {});
    await groupUpdate('invite', since);
  });

  it('the interop client leaves a group and joins it again with the invite code of the instance', async () => {
    const { engine } = stage.client;
    const invite = await stage.call('GET', `/group/inviteCode/shop?groupJid=${group}`);
    const after = stage.receiver.posts.length;
    await engine.groupLeave(group);
    const isAbout = (action: string) => (body: unknown) =>
      [`"${action}"`, stage.ada.number, group].every((part) => JSON.stringify(body).includes(part));
    await stage.waitForWebhook('group-participants.update', isAbout('remove'), after);
    expect(await engine.groupGetInviteInfo(textAt(invite, 'inviteCode'))).toMatchObject({ id: group, subject: 'Ours' });
    expect(await engine.groupAcceptInvite(textAt(invite, 'inviteCode'))).toBe(group);
    await stage.waitForWebhook('group-participants.update', isAbout('add'), after);
    expect(textOf(await sendFromInstance('sendText', { text: 'welcome back' }))).toBe('welcome back');
    await sendFromClient({ conversation: 'thanks' });
  });
});

/** Id of the sender key that encrypted the group message `id`, from the stanza that the client received. */
function senderKeyIdOf(events: { type: string; data: unknown }[], id: string): number {
  const stanza = events.find(
    ({ type, data }) => type === 'raw_node' && at(data, 'tag') === 'message' && at(data, 'attrs.id') === id,
  );
  const children = [stanza && at(stanza.data, 'content')].flat();
  const enc = children.find((child) => at(child, 'tag') === 'enc' && at(child, 'attrs.type') === 'skmsg');
  const bytes = enc && at(enc, 'content');
  if (!(bytes instanceof Uint8Array)) throw new Error(`no sender-key message ${id}`);
  // One byte of version, then protobuf: field 1 is the id, a varint.
  let value = 0;
  let shift = 0;
  for (const byte of bytes.subarray(2)) {
    value += (byte & 0x7f) * 2 ** shift;
    shift += 7;
    if (byte < 0x80) break;
  }
  return value;
}
