// Groups between the client and the instance, in both addressing modes: messages, what follows them, members and settings.
import { beforeAll, describe, expect, it } from 'vitest';
import { proto } from 'whatsapp-interop-client/proto-types';
import { at, textAt } from '../support/api.ts';
import { type ReceivedMessage, textOf } from './support/client.ts';
import { type Account, control, createAccount, sendAs } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

describe.each(['pn', 'lid'] as const)('a group that is addressed by %s', (mode) => {
  let group: string;
  let bob: Account;
  const jidOf = (account: Account) => (mode === 'lid' ? account.lid : account.jid);
  const fromClient = (content: proto.IMessage) => stage.fromClient(content, group);
  const fromShop = (kind: string, body: object) => stage.fromShop(kind, { ...body, number: group });
  const act = (who: Account, action: string, body: object) =>
    control(stage.platform, 'POST', `/phones/${who.number}/groups/${group}/${action}`, body);
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

  it('is posted to the webhook and known to the client', async () => {
    await stage.webhook('groups.upsert', (body) => JSON.stringify(body).includes(group));
    const metadata = await stage.client.engine.getGroupMetadata(group);
    expect(metadata).toMatchObject({ subject: `By ${mode}`, addressingMode: mode });
    expect(metadata.participants.map(({ jid }) => jid).sort()).toEqual([stage.ada, stage.shop, bob].map(jidOf).sort());
  });

  it('carries texts in both directions and from phones', async () => {
    for (const conversation of ['first', 'second', 'third']) {
      expect(await fromClient({ conversation })).toMatchObject({
        key: { remoteJid: group, fromMe: false },
        pushName: 'Ada',
        message: { conversation },
      });
      expect(textOf(await fromShop('sendText', { text: conversation }))).toBe(conversation);
    }
    const id = await sendAs(stage.platform, bob, group, { text: 'from the phone' });
    expect((await stage.client.message(id)).info).toMatchObject({ chat: group, pushName: 'Bob' });
    expect(at(await stage.message(id), 'data.message')).toMatchObject({ conversation: 'from the phone' });
  });

  it('names the author of a message as the group addresses members', async () => {
    const { info } = await fromShop('sendText', { text: 'who am I?' });
    expect(info).toMatchObject({ chat: group, isGroup: true, sender: jidOf(stage.shop) });
    const data = await fromClient({ conversation: 'and I?' });
    expect(JSON.stringify(at(data, 'key'))).toContain(stage.ada.number);
  });

  it('carries replies and mentions', async () => {
    const data = await fromClient({ conversation: 'When do you open?' });
    const reply = await fromShop('sendText', {
      ...{ text: `@${stage.ada.number} at nine`, mentioned: [stage.ada.number], quoted: { key: at(data, 'key') } },
    });
    const context = reply.content.extendedTextMessage?.contextInfo;
    expect(context).toMatchObject({ stanzaId: textAt(data, 'key.id'), participant: jidOf(stage.ada) });
    // The text names the number, so the mention does, too.
    expect(context?.mentionedJid).toEqual([stage.ada.jid]);
    const contextInfo = {
      ...{ stanzaId: reply.info.id, participant: reply.info.sender, mentionedJid: [jidOf(stage.shop)] },
      quotedMessage: { conversation: 'at nine' },
    };
    const back = await fromClient({ extendedTextMessage: { text: 'thanks', contextInfo } });
    expect(at(back, 'contextInfo')).toMatchObject({ stanzaId: reply.info.id });
  });

  it('carries reactions', async () => {
    const data = await fromClient({ conversation: 'like it?' });
    const put = await fromShop('sendReaction', { key: at(data, 'key'), reaction: '👍', number: undefined });
    expect(put.content.reactionMessage).toMatchObject({ text: '👍', key: { id: textAt(data, 'key.id') } });
    const ours = await fromShop('sendText', { text: 'and this?' });
    const target = { id: ours.info.id, fromMe: false, participant: ours.info.sender };
    const id = await stage.client.engine.sendReaction(group, target, '❤️');
    expect(at(await stage.message(id), 'data.message.reactionMessage')).toMatchObject({
      text: '❤️',
      key: { id: ours.info.id },
    });
  });

  it('carries edits and deletions', async () => {
    const theirs = textAt(await fromClient({ conversation: 'frist' }), 'key.id');
    const bytes = proto.Message.encode({ conversation: 'first' }).finish();
    await stage.client.engine.editMessageBytes(group, theirs, bytes);
    await stage.webhook('messages.edited', (body) => JSON.stringify(body).includes(theirs));
    await stage.client.engine.revokeMessage(group, theirs);
    await stage.webhook('messages.delete', (body) => JSON.stringify(body).includes(theirs));

    const { id } = (await fromShop('sendText', { text: 'frist' })).info;
    const key = { remoteJid: group, fromMe: true, id };
    const changeOf = ({ content }: ReceivedMessage) =>
      content.protocolMessage ?? content.editedMessage?.message?.protocolMessage;
    const changed = (type: number) =>
      stage.client.until(`change ${type}`, () =>
        stage.client.messages.find((one) => changeOf(one)?.type === type && changeOf(one)?.key?.id === id),
      );
    await stage.call('POST', '/chat/updateMessage/shop', { number: group, key, text: 'first' });
    await changed(MESSAGE_EDIT);
    await stage.call('DELETE', '/chat/deleteMessageForEveryone/shop', key);
    await changed(REVOKE);
  });

  it('carries encrypted edits and reactions of a phone, which the client decrypts as the instance does', async () => {
    const id = await sendAs(stage.platform, bob, group, { text: 'frist' });
    await Promise.all([stage.client.message(id), stage.message(id)]);
    await sendAs(stage.platform, bob, group, { edit: { id, text: 'first', encrypted: true } });
    const edited = await stage.webhook('messages.edited', (body) => at(body, 'data.key.id') === id);
    expect(at(edited, 'data.editedMessage')).toEqual({ extendedTextMessage: { text: 'first' } });
    await stage.client.until('the edit', () =>
      stage.client.messages.find(({ content }) => JSON.stringify(content.protocolMessage ?? {}).includes('"first"')),
    );
    const reactionId = await sendAs(stage.platform, bob, group, { reaction: { id, emoji: '👍', encrypted: true } });
    expect(at(await stage.message(reactionId), 'data.message.reactionMessage')).toMatchObject({
      text: '👍',
      key: { id },
    });
    const { content } = await stage.client.message(reactionId);
    expect(content.reactionMessage).toMatchObject({ text: '👍', key: { id } });
  });

  it('counts votes of both sides', async () => {
    const { engine } = stage.client;
    const values = ['today', 'never'];
    const { info, content } = await fromShop('sendPoll', { name: 'When?', selectableCount: 1, values });
    const secret = content.messageContextInfo?.messageSecret;
    if (!secret) throw new Error('the poll has no secret');
    await engine.votePoll(group, info.id, info.sender, secret, ['never']);
    const isCounted = (id: string) => (body: unknown) =>
      JSON.stringify(body).includes('pollUpdates') && at(body, 'data.keyId') === id;
    const ours = await stage.webhook('messages.update', isCounted(info.id));
    expect(at(ours, 'data.vote')).toMatchObject({ voter: stage.ada.jid, options: ['never'] });
    const poll = await engine.createPoll(group, 'Where?', ['here', 'there'], 1);
    await stage.message(poll.messageId);
    await sendAs(stage.platform, bob, group, { vote: { id: poll.messageId, options: ['here'] } });
    const theirs = await stage.webhook('messages.update', isCounted(poll.messageId));
    expect(at(theirs, 'data.vote')).toMatchObject({ voter: bob.jid, options: ['here'] });
  });

  it('carries a file', async () => {
    const file = Buffer.from('%PDF-1.4 a menu');
    const stored = await stage.client.engine.uploadMedia(file, 'document');
    const data = await fromClient({ documentMessage: { ...stored, mimetype: 'application/pdf', fileName: 'm.pdf' } });
    const body = { message: { key: at(data, 'key') } };
    const read = await stage.call('POST', '/chat/getBase64FromMediaMessage/shop', body);
    expect(Buffer.from(textAt(read, 'base64'), 'base64').equals(file)).toBe(true);
  });

  it('carries receipts', async () => {
    const { info } = await fromShop('sendText', { text: 'read me' });
    await stage.client.engine.readMessages([{ remoteJid: group, id: info.id, participant: info.sender }]);
    await control(stage.platform, 'POST', `/phones/${bob.number}/read`, { chat: group });
    await stage.status(info.id, 'READ');
    const data = await fromClient({ conversation: 'read me' });
    await stage.call('POST', '/chat/markMessageAsRead/shop', { readMessages: [at(data, 'key')] });
    const id = textAt(data, 'key.id');
    await stage.client.event('receipt', (receipt) => receipt.message_ids.includes(id) && receipt.type === 'Read');
  });

  it('rotates the sender keys of both sides when a member leaves, and goes on', async () => {
    const { client } = stage;
    client.engine.setRawNodeForwarding(true);
    /** Id of the sender key of a message of the instance. */
    const keyIdOf = async () => {
      const { info } = await fromShop('sendText', { text: 'which key?' });
      return senderKeyIdOf(client.events, info.id);
    };
    /** The key with which the client sends; the store holds it by group and own device. */
    const own = async () => {
      const [user] = jidOf(stage.ada).split('@');
      const name = client.store.keys('sender_key').find((key) => key.startsWith(`${group}:${user}`));
      return Buffer.from((name && (await client.store.callbacks.get('sender_key', name))) ?? []).toString('hex', 0, 8);
    };
    await fromClient({ conversation: 'before' });
    const before = {
      shop: await keyIdOf(),
      ada: Buffer.from(await own())
        .subarray(0, 8)
        .toString('hex'),
    };
    expect(await keyIdOf()).toBe(before.shop);
    const since = client.events.length;
    await act(bob, 'leave', {});
    await groupUpdate('remove', since);
    await stage.webhook('group-participants.update', (body) => JSON.stringify(body).includes(bob.number));
    expect(await fromClient({ conversation: 'after' })).toMatchObject({ message: { conversation: 'after' } });
    expect(await keyIdOf()).not.toBe(before.shop);
    expect(await own()).not.toBe(before.ada);
    client.engine.setRawNodeForwarding(false);
    await act(stage.ada, 'add', { participants: [bob.number] });
    const id = await client.send(group, { conversation: 'welcome back' });
    await stage.message(id);
    const seen = await control(stage.platform, 'GET', `/phones/${bob.number}/messages`);
    expect(JSON.stringify(seen)).toContain('welcome back');
  });

  it('is changed by the client, which the webhook gets', async () => {
    const { engine } = stage.client;
    const updated = (text: string) =>
      stage.webhook(
        'groups.update',
        (body) => JSON.stringify(body).includes(group) && JSON.stringify(body).includes(text),
      );
    await engine.groupUpdateSubject(group, `New ${mode}`);
    await updated(`New ${mode}`);
    await engine.groupUpdateDescription(group, 'About us');
    await updated('About us');
    await engine.groupSettingUpdate(group, 'announce', true);
    await updated('"announce":true');
    await engine.groupSettingUpdate(group, 'announce', false);
    await updated('"announce":false');
    await engine.groupToggleEphemeral(group, 86_400);
    await updated('86400');
    await engine.groupToggleEphemeral(group, 0);
    await engine.groupParticipantsUpdate(group, [jidOf(stage.shop)], 'promote');
    await stage.webhook('group-participants.update', (body) => JSON.stringify(body).includes('"promote"'));
    const { participants } = await engine.getGroupMetadata(group);
    expect(participants).toHaveLength(3);
    expect(await engine.groupInviteCode(group)).toMatch(/\w{10,}/);
  });

  it('is changed by the instance, which the client reports', async () => {
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

  it('is left by the client, which joins again by the invite of the instance', async () => {
    const { engine } = stage.client;
    const invite = await stage.call('GET', `/group/inviteCode/shop?groupJid=${group}`);
    const left = stage.receiver.posts.length;
    await engine.groupLeave(group);
    const isAbout = (action: string) => (body: unknown) =>
      [`"${action}"`, stage.ada.number, group].every((part) => JSON.stringify(body).includes(part));
    await stage.webhook('group-participants.update', isAbout('remove'), left);
    expect(await engine.groupGetInviteInfo(textAt(invite, 'inviteCode'))).toMatchObject({ id: group, subject: 'Ours' });
    expect(await engine.groupAcceptInvite(textAt(invite, 'inviteCode'))).toBe(group);
    await stage.webhook('group-participants.update', isAbout('add'), left);
    expect(textOf(await fromShop('sendText', { text: 'welcome back' }))).toBe('welcome back');
    await fromClient({ conversation: 'thanks' });
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
