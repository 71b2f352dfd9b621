// The address of everything that goes to one person: the LID once it is known, the phone number with PLATFORM_ADDRESSING=pn.
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { setDisappearingTimer } from '../../src/whatsapp/chat/disappearing-messages.ts';
import { sendPresence } from '../../src/whatsapp/chat/send-presence.ts';
import { deleteForEveryone } from '../../src/whatsapp/message/delete.ts';
import { updateMessage } from '../../src/whatsapp/message/edit.ts';
import { sendLocation } from '../../src/whatsapp/message/location.ts';
import { markMessagesAsRead } from '../../src/whatsapp/message/mark-read.ts';
import { sendReaction } from '../../src/whatsapp/message/reaction.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { type Line, mine, text, theirs, useStage } from './stage.ts';

const stage = useStage();

const pn = () => pnJid(stage.phone(theirs).account);
const lid = () => lidJid(stage.phone(theirs).account);

/** The stanzas of `mine` with this tag, without those to the own account. */
function sent(tag: string): BinaryNode[] {
  const own = [pnJid, lidJid].map((jidOf) => jidOf(stage.phone(mine).account));
  return stage.stanzas.flatMap(({ number, node }) =>
    number === mine && node.tag === tag && !own.includes(node.attrs.to ?? '') ? [node] : [],
  );
}

const messages = () => sent('message').map(({ attrs: { to, peer_recipient_pn } }) => ({ to, peer_recipient_pn }));

/** The users of all device queries: one entry per user and query. */
const deviceQueries = () =>
  stage.stanzas.flatMap(({ node }) => {
    const usync = getBinaryNodeChild(node, 'usync');
    const isForDevices = getBinaryNodeChild(getBinaryNodeChild(usync, 'query'), 'devices') !== undefined;
    return isForDevices
      ? getBinaryNodeChildren(getBinaryNodeChild(usync, 'list'), 'user').map((user) => user.attrs.jid)
      : [];
  });

const delivered = (line: Line, id: string) => line.until(() => line.statuses(id).includes('DELIVERY_ACK'));

async function sendAndDeliver(line: Line, body: string): Promise<string> {
  const { key } = await sendText(line.session, text(body));
  await delivered(line, key.id);
  return key.id;
}

describe('the first message to a person', () => {
  it('goes to the LID, which one query finds together with the devices, and is stored by number', async () => {
    const line = await stage.openLinked();
    const message = await sendText(line.session, text('first'));
    expect(message.key).toMatchObject({ remoteJid: pn(), remoteJidAlt: lid() });
    await delivered(line, message.key.id);
    expect(messages()).toEqual([{ to: lid(), peer_recipient_pn: pn() }]);
    expect(deviceQueries().filter((jid) => jid === pn() || jid === lid())).toEqual([pn()]);
    const chats = line.events.flatMap((event) => (event.type === 'messages.update' ? [event.key.remoteJid] : []));
    expect(new Set(chats)).toEqual(new Set([pn()]));
    expect(stage.phone(theirs).messages()).toMatchObject([{ text: 'first', addressing: 'lid' }]);
    expect(stage.addressed).toEqual({ lid: 1, pn: 0 });
  });

  it('is looked up once, also when twenty are sent at the same time', async () => {
    const line = await stage.openLinked();
    await Promise.all(Array.from({ length: 20 }, (_, n) => sendText(line.session, text(`burst ${n}`))));
    await stage.phone(theirs).waitFor(() => stage.phone(theirs).receivedCount === 20);
    expect(deviceQueries().filter((jid) => jid === pn() || jid === lid())).toEqual([pn()]);
    expect(stage.addressed).toEqual({ lid: 20, pn: 0 });
  });

  it('goes to the number with PLATFORM_ADDRESSING=pn', async () => {
    const line = await stage.openLinked({ addressForm: 'pn' });
    await sendAndDeliver(line, 'by number');
    await sendAndDeliver(line, 'again');
    expect(messages()).toEqual([{ to: pn() }, { to: pn() }]);
    expect(stage.addressed).toEqual({ lid: 0, pn: 2 });
  });
});

describe('what follows in a chat', () => {
  it('uses the LID: edits, reactions, deletions, places, timers, typing, read receipts', async () => {
    const line = await stage.openLinked();
    const phone = stage.phone(theirs);
    const id = await sendAndDeliver(line, 'first');
    const key = { id, remoteJid: pn(), fromMe: true };
    await updateMessage(line.session, { key, text: 'better' });
    await sendReaction(line.session, { reactionMessage: { key, reaction: '👍' } });
    await sendLocation(line.session, {
      number: theirs,
      locationMessage: { latitude: 1, longitude: 2, name: 'here' },
    });
    await setDisappearingTimer(line.session, { number: theirs, expiration: 86_400 });
    await phone.waitFor(() => phone.messages().some(({ kind }) => kind === 'location'));
    expect(phone.messages()[0]).toMatchObject({ text: 'first', edited: 'better', reactions: { [mine]: '👍' } });
    await deleteForEveryone(line.session, key);
    await phone.waitFor(() => phone.messages()[0]?.deleted);
    expect(messages().filter(({ to }) => to !== lid())).toEqual([]);
    expect(messages()).toHaveLength(6);
    expect(new Set(messages().map((attrs) => attrs.peer_recipient_pn))).toEqual(new Set([pn()]));

    await sendPresence(line.session, { number: theirs, options: { presence: 'composing' } });
    await phone.waitFor(() => phone.typingPeers.get(mine) === 'composing');
    expect(sent('chatstate').map(({ attrs }) => attrs.to)).toEqual([lid()]);
    expect(sent('presence').flatMap(({ attrs }) => attrs.to ?? [])).toEqual([lid()]);

    const question = await phone.send(mine, { text: 'question' });
    const received = await line.until(() => line.received().find((message) => message.key.id === question));
    expect(received.key.remoteJid).toBe(pn());
    await markMessagesAsRead(line.session, [received.key]);
    await phone.waitFor(() =>
      phone
        .messages()
        .find((m) => m.id === question)
        ?.receipts.some(({ type }) => type === 'read'),
    );
    const read = sent('receipt').filter(({ attrs }) => attrs.type === 'read');
    expect(read.map(({ attrs }) => attrs.to)).toEqual([lid()]);
  });

  it('uses the number with PLATFORM_ADDRESSING=pn', async () => {
    const line = await stage.openLinked({ addressForm: 'pn' });
    const phone = stage.phone(theirs);
    const id = await sendAndDeliver(line, 'first');
    const key = { id, remoteJid: pn(), fromMe: true };
    await updateMessage(line.session, { key, text: 'better' });
    await sendReaction(line.session, { reactionMessage: { key, reaction: '👍' } });
    await sendPresence(line.session, { number: theirs, options: { presence: 'composing' } });
    const question = await phone.send(mine, { text: 'question' });
    const received = await line.until(() => line.received().find((message) => message.key.id === question));
    await markMessagesAsRead(line.session, [received.key]);
    await phone.waitFor(() =>
      phone
        .messages()
        .find((m) => m.id === question)
        ?.receipts.some(({ type }) => type === 'read'),
    );
    const addresses = ['message', 'chatstate', 'receipt'].flatMap((tag) => sent(tag).map(({ attrs }) => attrs.to));
    expect(new Set(addresses)).toEqual(new Set([pn()]));
  });

  it('shows typing at the LID before the first message too', async () => {
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, { ...text('slow'), options: { delay: 20 } });
    await delivered(line, key.id);
    expect(sent('chatstate').map(({ attrs }) => attrs.to)).toEqual([lid(), lid()]);
  });

  it('names the chat and the author of a quote by LID, and answers retry requests at the LID', async () => {
    const line = await stage.openLinked();
    const phone = stage.phone(theirs);
    const question = await phone.send(mine, { text: 'question' });
    await line.until(() => line.received().find((message) => message.key.id === question));
    const { key } = await sendText(line.session, { ...text('answer'), options: { quoted: { key: { id: question } } } });
    await delivered(line, key.id);
    const answer = phone.messages().find(({ id }) => id === key.id);
    expect(answer).toMatchObject({ quoted: question });
    expect(JSON.stringify(answer?.message)).toContain(lid());
    expect(JSON.stringify(answer?.message)).not.toContain(theirs);
  });
});

describe('several devices', () => {
  it('of the own account get a copy in the chat, also one that is linked after the first message', async () => {
    const line = await stage.openLinked();
    await sendAndDeliver(line, 'before');
    const own = stage.phone(mine);
    expect(own.messages()).toMatchObject([{ text: 'before', chat: theirs, fromMe: true, addressing: 'lid' }]);
    const companions = () => [...own.account.companions.values()];
    stage.sandbox.provision(mine);
    const second = companions().at(-1);
    await stage.stanza(({ node: { attrs } }) => attrs.class === 'notification' && attrs.type === 'devices');
    await sendAndDeliver(line, 'after');
    expect(second?.queue.map(({ node }) => node.attrs.recipient)).toContain(lid());
  });
});
