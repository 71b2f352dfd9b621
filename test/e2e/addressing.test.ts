// The address of stanzas to one contact: the LID by default, the phone number with PLATFORM_ADDRESSING=pn.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getBinaryNodeChildString,
} from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { setDisappearingTimer } from '../../src/whatsapp/chat/disappearing-messages.ts';
import { sendPresence } from '../../src/whatsapp/chat/send-presence.ts';
import { deleteForEveryone } from '../../src/whatsapp/message/delete.ts';
import { updateMessage } from '../../src/whatsapp/message/edit.ts';
import { sendLocation } from '../../src/whatsapp/message/location.ts';
import { markMessagesAsRead } from '../../src/whatsapp/message/mark-read.ts';
import { sendReaction } from '../../src/whatsapp/message/reaction.ts';
import { sendText } from '../../src/whatsapp/message/text.ts';
import { connect, createAuth } from '../support/client.ts';
import { contact, ownNumber, type SessionProbe, textBody, useStage } from './session-stage.ts';

const stage = useStage();

const pn = () => pnJid(stage.phone(contact).account);
const lid = () => lidJid(stage.phone(contact).account);

/** The stanzas with this tag that `mine` sent to other accounts. */
function sent(tag: string): BinaryNode[] {
  const own = [pnJid, lidJid].map((jidOf) => jidOf(stage.phone(ownNumber).account));
  return stage.stanzas.flatMap(({ number, node }) =>
    number === ownNumber && node.tag === tag && !own.includes(node.attrs.to ?? '') ? [node] : [],
  );
}

const messages = () => sent('message').map(({ attrs: { to, peer_recipient_pn } }) => ({ to, peer_recipient_pn }));

/** The users of all device queries, as JIDs or numbers: one entry per user and query. */
const deviceQueries = () =>
  stage.stanzas.flatMap(({ node }) => {
    const usync = getBinaryNodeChild(node, 'usync');
    const isForDevices = getBinaryNodeChild(getBinaryNodeChild(usync, 'query'), 'devices') !== undefined;
    return isForDevices
      ? getBinaryNodeChildren(getBinaryNodeChild(usync, 'list'), 'user').map(
          (user) => user.attrs.jid ?? getBinaryNodeChildString(user, 'contact'),
        )
      : [];
  });

/** The users of all device queries, without the own account. */
const otherDeviceQueries = () => {
  const own = [pnJid, lidJid].map((jidOf) => jidOf(stage.phone(ownNumber).account));
  return deviceQueries().filter((user) => user && !own.includes(user));
};

const waitForDelivery = (line: SessionProbe, id: string) =>
  line.until(() => line.statuses(id).includes('DELIVERY_ACK'));

async function sendAndDeliver(line: SessionProbe, body: string): Promise<string> {
  const { key } = await sendText(line.session, textBody(body));
  await waitForDelivery(line, key.id);
  return key.id;
}

describe('first messages to a contact', () => {
  it('the first message to a contact goes to the LID after a single lookup and is stored under the phone number', async () => {
    const line = await stage.openLinked();
    const message = await sendText(line.session, textBody('first'));
    expect(message.key).toMatchObject({ remoteJid: pn(), remoteJidAlt: lid() });
    await waitForDelivery(line, message.key.id);
    expect(messages()).toEqual([{ to: lid(), peer_recipient_pn: pn() }]);
    expect(otherDeviceQueries()).toEqual([`+${contact}`]);
    expect(sent('iq').filter(({ attrs }) => attrs.xmlns === 'usync')).toHaveLength(2);
    const chats = line.events.flatMap((event) => (event.type === 'messages.update' ? [event.key.remoteJid] : []));
    expect(new Set(chats)).toEqual(new Set([pn()]));
    expect(stage.phone(contact).messages()).toMatchObject([{ text: 'first', addressing: 'lid' }]);
    expect(stage.addressed).toEqual({ lid: 1, pn: 0 });
  });

  it('twenty simultaneous first messages to a contact cause a single lookup', async () => {
    const line = await stage.openLinked();
    await Promise.all(Array.from({ length: 20 }, (_, n) => sendText(line.session, textBody(`burst ${n}`))));
    await stage.phone(contact).waitFor(() => stage.phone(contact).receivedCount === 20);
    expect(otherDeviceQueries()).toEqual([`+${contact}`]);
    expect(stage.addressed).toEqual({ lid: 20, pn: 0 });
  });

  it('messages to a contact go to the phone number with PLATFORM_ADDRESSING=pn', async () => {
    const line = await stage.openLinked({ addressForm: 'pn' });
    await sendAndDeliver(line, 'by number');
    await sendAndDeliver(line, 'again');
    expect(messages()).toEqual([{ to: pn() }, { to: pn() }]);
    expect(stage.addressed).toEqual({ lid: 0, pn: 2 });
  });
});

describe('later stanzas of a chat', () => {
  it('edits, reactions, deletions, locations, timers, typing and read receipts go to the LID', async () => {
    const line = await stage.openLinked();
    const phone = stage.phone(contact);
    const id = await sendAndDeliver(line, 'first');
    const key = { id, remoteJid: pn(), fromMe: true };
    await updateMessage(line.session, { key, text: 'better' });
    await sendReaction(line.session, { reactionMessage: { key, reaction: '👍' } });
    await sendLocation(line.session, {
      number: contact,
      locationMessage: { latitude: 1, longitude: 2, name: 'here' },
    });
    await setDisappearingTimer(line.session, { number: contact, expiration: 86_400 });
    await phone.waitFor(() => phone.messages().some(({ kind }) => kind === 'location'));
    expect(phone.messages()[0]).toMatchObject({ text: 'first', edited: 'better', reactions: { [ownNumber]: '👍' } });
    await deleteForEveryone(line.session, key);
    await phone.waitFor(() => phone.messages()[0]?.deleted);
    expect(messages().filter(({ to }) => to !== lid())).toEqual([]);
    expect(messages()).toHaveLength(6);
    expect(new Set(messages().map((attrs) => attrs.peer_recipient_pn))).toEqual(new Set([pn()]));

    await sendPresence(line.session, { number: contact, options: { presence: 'composing' } });
    await phone.waitFor(() => phone.typingAccounts.get(ownNumber) === 'composing');
    expect(sent('chatstate').map(({ attrs }) => attrs.to)).toEqual([lid()]);
    expect(sent('presence').flatMap(({ attrs }) => attrs.to ?? [])).toEqual([lid()]);

    const question = await phone.send(ownNumber, { text: 'question' });
    const received = await line.until(() => line.received().find((message) => message.key.id === question));
    expect(received.key.remoteJid).toBe(pn());
    await markMessagesAsRead(line.session, [received.key]);
    await phone.waitFor(() =>
      phone
        .messages()
        .find((m) => m.id === question)
        ?.receipts.some(({ type }) => type === 'read'),
    );
    const readReceipts = sent('receipt').filter(({ attrs }) => attrs.type === 'read');
    expect(readReceipts.map(({ attrs }) => attrs.to)).toEqual([lid()]);
  });

  it('edits, reactions, typing and read receipts go to the phone number with PLATFORM_ADDRESSING=pn', async () => {
    const line = await stage.openLinked({ addressForm: 'pn' });
    const phone = stage.phone(contact);
    const id = await sendAndDeliver(line, 'first');
    const key = { id, remoteJid: pn(), fromMe: true };
    await updateMessage(line.session, { key, text: 'better' });
    await sendReaction(line.session, { reactionMessage: { key, reaction: '👍' } });
    await sendPresence(line.session, { number: contact, options: { presence: 'composing' } });
    const question = await phone.send(ownNumber, { text: 'question' });
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

  it('typing before the first message to a contact goes to the LID', async () => {
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, { ...textBody('slow'), options: { delay: 20 } });
    await waitForDelivery(line, key.id);
    expect(sent('chatstate').map(({ attrs }) => attrs.to)).toEqual([lid(), lid()]);
  });

  it('a reply that quotes a message of a contact names the contact by LID', async () => {
    const line = await stage.openLinked();
    const phone = stage.phone(contact);
    const question = await phone.send(ownNumber, { text: 'question' });
    await line.until(() => line.received().find((message) => message.key.id === question));
    const { key } = await sendText(line.session, {
      ...textBody('answer'),
      options: { quoted: { key: { id: question } } },
    });
    await waitForDelivery(line, key.id);
    const answer = phone.messages().find(({ id }) => id === key.id);
    expect(answer).toMatchObject({ quoted: question });
    expect(JSON.stringify(answer?.message)).toContain(lid());
    expect(JSON.stringify(answer?.message)).not.toContain(contact);
  });

  it('a message that the recipient could not decrypt is sent again to the LID', async () => {
    const line = await stage.openLinked();
    const phone = stage.phone(contact);
    const decrypt = vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const { key } = await sendText(line.session, textBody('once more'));
    await waitForDelivery(line, key.id);
    expect(decrypt).toHaveBeenCalledTimes(2);
    expect(messages().map(({ to }) => to)).toEqual([lid(), lid()]);
    expect(phone.messages()).toMatchObject([{ text: 'once more', addressing: 'lid' }]);
  });

  it('a second message to a contact needs no query', async () => {
    const line = await stage.openLinked();
    await sendAndDeliver(line, 'first');
    // The first message is followed by a token for the contact. The query of type `get` reads the privacy settings.
    await stage.stanza(({ node: { attrs } }) => attrs.xmlns === 'privacy' && attrs.type === 'set');
    const before = stage.stanzas.length;
    await sendAndDeliver(line, 'second');
    expect(stage.stanzas.slice(before).filter(({ node }) => node.tag === 'iq')).toEqual([]);
  });

  it('a session sends to the phone number after the platform refused to list the devices of the LID', async () => {
    const firstLine = await stage.openLinked();
    await sendAndDeliver(firstLine, 'known');
    await firstLine.session.close();
    const line = await stage.openLinked();
    stage.sandbox.faults.add({ kind: 'failNext', xmlns: 'usync', number: ownNumber });
    await sendAndDeliver(line, 'by number');
    await sendAndDeliver(line, 'again');
    expect(messages().map(({ to }) => to)).toEqual([lid(), pn(), pn()]);
  });
});

describe('messages to the own account', () => {
  it('a message to the own account goes to the own LID and appears in the own chat', async () => {
    const line = await stage.openLinked();
    const { key } = await sendText(line.session, textBody('note to self', ownNumber));
    const own = stage.phone(ownNumber);
    await own.waitFor(() => own.messages().some(({ id }) => id === key.id));
    expect(key.remoteJid).toBe(pnJid(own.account));
    expect(own.messages()).toMatchObject([{ text: 'note to self', chat: ownNumber, addressing: 'lid' }]);
    // The acks of the receipts have the id of the message, too.
    const stanzas = stage.stanzas.filter(({ node: { tag, attrs } }) => tag === 'message' && attrs.id === key.id);
    expect(stanzas.map(({ node: { attrs } }) => [attrs.to, attrs.peer_recipient_pn])).toEqual([
      [lidJid(own.account), pnJid(own.account)],
    ]);
  });
});

describe('accounts with several devices', () => {
  /** Links another device and waits until the session has processed the notification about it. */
  async function linkDevice(number: string) {
    const { account } = stage.phone(number);
    stage.sandbox.provision(number);
    const isAck = ({ attrs }: BinaryNode) => attrs.class === 'notification' && attrs.type === 'devices';
    await stage.stanza(({ node }) => isAck(node));
    return [...account.companions.values()].at(-1);
  }

  it('all devices of the own account receive a copy of a sent message, also a device linked after the first message', async () => {
    const line = await stage.openLinked();
    await sendAndDeliver(line, 'before');
    const own = stage.phone(ownNumber);
    expect(own.messages()).toMatchObject([{ text: 'before', chat: contact, fromMe: true, addressing: 'lid' }]);
    const newDevice = await linkDevice(ownNumber);
    await sendAndDeliver(line, 'after');
    expect(newDevice?.queue.map(({ node }) => node.attrs.recipient)).toContain(lid());
  });

  it('all devices of the recipient receive a message, also a device linked after the first message', async () => {
    const line = await stage.openLinked();
    await sendAndDeliver(line, 'before');
    const newDevice = await linkDevice(contact);
    await sendAndDeliver(line, 'after');
    expect(newDevice?.queue.map(({ node }) => node.attrs.sender_pn)).toContain(pnJid(stage.phone(ownNumber).account));
  });

  it('a message that another device of the account sends to a LID appears in the chat of the phone number', async () => {
    const line = await stage.openLinked();
    const known = stage.phone(contact);
    const unknown = stage.phone('15550009003');
    await sendAndDeliver(line, 'makes the LID known');
    const other = connect(stage.sandbox, createAuth(stage.sandbox.provision(ownNumber)));
    await other.open();
    for (const { account } of [known, unknown]) {
      const id = await other.socket.relayMessage(lidJid(account), { conversation: 'from my other device' }, {});
      const copy = await line.until(() => line.received().find((message) => message.key.id === id));
      expect(copy.key).toMatchObject({ fromMe: true, remoteJid: pnJid(account), remoteJidAlt: lidJid(account) });
      const key = { remoteJid: lidJid(account), id: id ?? '', fromMe: true };
      const reactionMessage = { key, text: '👍' };
      const reactionId = await other.socket.relayMessage(lidJid(account), { reactionMessage }, {});
      const reaction = await line.until(() => line.received().find((message) => message.key.id === reactionId));
      expect(reaction.messageType).toBe('reactionMessage');
      expect(reaction.key).toMatchObject({ fromMe: true, remoteJid: pnJid(account) });
    }
  });
});
