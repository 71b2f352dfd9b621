import { randomBytes } from 'node:crypto';
import { type BinaryNode, encodeSignedDeviceIdentity, encodeWAMessage, proto } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silenceConsole } from '../../../test/support/console.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Group } from '../src/world/group.ts';
import type { Account } from '../src/world/model.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { GroupStage, type Member, waitForMessage } from './group-setup.ts';

const { ERROR } = proto.WebMessageInfo.Status;

let stage: GroupStage;
let me: Member;
let you: Member;
let ada: Phone;
let group: Group;

const groups = () => stage.sandbox.groups;
const phoneOf = (member: Member) => stage.sandbox.phones.phone(member.account.number);

/** Waits until the client of the sender reports that a message was refused. */
const waitForRefusal = ({ client }: Member, id: string) =>
  client.until(() => client.updates.find(({ key, update }) => key.id === id && update.status === ERROR));

// libsignal prints messages about the sessions that these tests break.
silenceConsole();
beforeAll(async () => {
  stage = await GroupStage.open(15_550_006_001);
});

afterAll(() => stage.sandbox.close());

beforeEach(async () => {
  me = await stage.member();
  you = await stage.member();
  ada = stage.phone();
  group = ada.createGroup('Friends', [me.account.number, you.account.number]);
});

afterEach(async () => {
  await stage.disconnectClients();
  expect(stage.sandbox.unanswered).toEqual([]);
});

describe('author names that end with an @', () => {
  it('an author name that ends with an @ arrives with the messages and changes of phones and clients', async () => {
    ada.account.name = 'Ada @';
    me.account.name = 'Me @';
    const ids = [await ada.send(group.id, { text: 'from the phone' }), await me.send(group.id, 'from the client')];
    groups().setSubject(group, ada.account, 'Old friends');
    const nameOf = (id: string | undefined) =>
      you.client.until(() => you.client.upserts.find(({ message: { key } }) => key.id === id)?.message.pushName);
    expect([await nameOf(ids[0]), await nameOf(ids[1])]).toEqual(['Ada @', 'Me @']);
    await you.event('groups.update', ([update]) => update?.subject === 'Old friends');
  });
});

describe('subjects of groups', () => {
  it.each([
    'Team @ home',
    'Ask us @',
    'Open 9:30 @ home',
    'me@g.us',
  ])('clients receive the group subject %s unchanged', async (subject) => {
    groups().setSubject(group, ada.account, subject);
    await me.event('groups.update', ([update]) => update?.subject === subject);
    expect(await me.sock.groupMetadata(group.id)).toMatchObject({ subject });
  });
});

describe.each(['lid', 'pn'] as const)('messages in groups addressed by %s', (mode) => {
  const jidOf = (account: Account) => (mode === 'lid' ? lidJid(account) : pnJid(account));
  const otherOf = (account: Account) => (mode === 'lid' ? pnJid(account) : lidJid(account));

  beforeEach(() => {
    group = ada.createGroup('Friends', [me.account.number, you.account.number], { addressing: mode });
  });

  it('a group message of a client reaches every phone and every client', async () => {
    const ids = [await me.send(group.id, 'first'), await me.send(group.id, 'second')];
    for (const reader of [ada, phoneOf(me), phoneOf(you)]) {
      await waitForMessage(reader, ids[1] ?? '');
      expect(reader.messages()).toMatchObject([
        { id: ids[0], chat: group.id, from: me.account.number, text: 'first', fromMe: reader === phoneOf(me) },
        { id: ids[1], chat: group.id, from: me.account.number, text: 'second' },
      ]);
    }
    for (const [n, text] of ['first', 'second'].entries()) {
      const { message } = await you.client.message(ids[n] ?? '');
      expect(message.message?.extendedTextMessage?.text).toBe(text);
      expect(message.key).toMatchObject({ remoteJid: group.id, participantAlt: otherOf(me.account) });
      expect(message.key.participant?.replace(/:\d+@/, '@')).toBe(jidOf(me.account));
    }
  });

  it('a group message of a phone reaches every client and every other phone', async () => {
    for (const text of ['first', 'second']) {
      const id = await ada.send(group.id, { text });
      for (const reader of [me, you]) {
        const { message } = await reader.client.message(id);
        expect(message.message?.conversation).toBe(text);
        const key = { remoteJid: group.id, participant: jidOf(ada.account), participantAlt: otherOf(ada.account) };
        expect(message.key).toMatchObject(key);
        expect(await waitForMessage(phoneOf(reader), id)).toMatchObject({ text, from: ada.account.number });
      }
    }
  });

  it('a client gets the group messages of its own phone as own messages', async () => {
    const id = await phoneOf(me).send(group.id, { text: 'from my phone' });
    const { message } = await me.client.message(id);
    expect(message.key).toMatchObject({ fromMe: true, remoteJid: group.id });
  });

  it('quotes, mentions and reactions in a group contain JIDs in the form of the group', async () => {
    const questionId = await ada.send(group.id, { text: 'who comes?', mentions: [me.account.number] });
    const { message } = await me.client.message(questionId);
    expect(message.message?.extendedTextMessage?.contextInfo?.mentionedJid).toEqual([jidOf(me.account)]);
    const answer = await me.sock.sendMessage(group.id, { text: 'I do' }, { quoted: message });
    expect(await waitForMessage(ada, answer?.key.id ?? '')).toMatchObject({ text: 'I do', quoted: questionId });
    const reactionId = await ada.send(group.id, { reaction: { id: answer?.key.id ?? '', emoji: '👍' } });
    const reaction = await me.client.message(reactionId);
    expect(reaction.message.message?.reactionMessage?.key?.participant).toBe(jidOf(me.account));
  });

  it('the receipts of a group message name the members who received and read it', async () => {
    const id = await me.send(group.id, 'read me');
    await waitForMessage(ada, id);
    // One event can contain the receipts of several members, in any order.
    const waitForReceipt = (field: 'receiptTimestamp' | 'readTimestamp') =>
      me.event('message-receipt.update', (updates) =>
        updates.some(
          ({ key, receipt }) => key.id === id && receipt.userJid === jidOf(ada.account) && Boolean(receipt[field]),
        ),
      );
    await waitForReceipt('receiptTimestamp');
    expect(ada.read(group.id)).toEqual([id]);
    await waitForReceipt('readTimestamp');
    const questionId = await ada.send(group.id, { text: 'and you?' });
    const { message } = await me.client.message(questionId);
    await me.sock.readMessages([message.key]);
    const read = { from: me.account.number, type: 'read' };
    await ada.waitFor(() =>
      ada.messages().some(({ receipts }) => receipts.some((receipt) => receipt.from === read.from)),
    );
    await ada.waitFor(() => ada.messages().some(({ receipts }) => receipts.some(({ type }) => type === 'read')));
    expect(ada.messages().at(-1)?.receipts).toContainEqual(expect.objectContaining(read));
  });
});

describe('sender keys', () => {
  /** The ids of all sender keys for the group that a client has received. */
  const receivedKeyIds = ({ identity }: Member): unknown[] =>
    [...identity.keys]
      .filter(([name]) => name.startsWith(`sender-key|${group.id}`))
      .flatMap(([, states]) => JSON.parse(String(states)))
      .map(({ senderKeyId }) => senderKeyId);

  it('a client sends its sender key to a new member, who cannot decrypt earlier messages', async () => {
    const bob = stage.phone();
    const before = await me.send(group.id, 'before');
    await waitForMessage(ada, before);
    groups().add(group, ada.account, [pnJid(bob.account)]);
    await me.event('group-participants.update');
    const after = await me.send(group.id, 'after');
    expect(await waitForMessage(bob, after)).toMatchObject({ text: 'after' });
    expect(bob.messages()).toHaveLength(1);
  });

  it('a phone replaces its sender key after a member is removed, who receives no later messages of the group', async () => {
    const before = await ada.send(group.id, { text: 'before' });
    await me.client.message(before);
    const sameKey = await ada.send(group.id, { text: 'same key' });
    await Promise.all([me.client.message(sameKey), you.client.message(sameKey)]);
    const [firstKeyId, ...others] = receivedKeyIds(me);
    expect([firstKeyId, others]).toEqual([expect.any(Number), []]);
    groups().change(group, ada.account, 'remove', [pnJid(you.account)]);
    const after = await ada.send(group.id, { text: 'after' });
    expect((await me.client.message(after)).message.message?.conversation).toBe('after');
    expect(receivedKeyIds(me).filter((id) => id !== firstKeyId)).toEqual([expect.any(Number)]);
    // A client handles messages in order, so it would have the message to the group before this one.
    const alone = await ada.send(you.account.number, { text: 'to you alone' });
    await you.client.message(alone);
    expect(receivedKeyIds(you)).toEqual([firstKeyId]);
    expect(
      phoneOf(you)
        .messages()
        .map(({ id }) => id),
    ).toEqual([before, sameKey, alone]);
    expect(you.client.upserts.some(({ message }) => message.key.id === after)).toBe(false);
  });
});

describe('group messages that cannot be decrypted', () => {
  it('a phone requests a group message again that it cannot decrypt, and then decrypts it', async () => {
    const first = await me.send(group.id, 'first');
    await waitForMessage(ada, first);
    // The client still has a record that all members hold its sender key, so it does not send them the new one.
    for (const name of me.identity.keys.keys()) if (name.startsWith('sender-key|')) me.identity.keys.delete(name);
    const second = await me.send(group.id, 'second');
    expect(await waitForMessage(ada, second)).toMatchObject({ text: 'second' });
    expect(await waitForMessage(phoneOf(you), second)).toMatchObject({ text: 'second' });
    expect(ada.messages().filter(({ id }) => id === second)).toHaveLength(1);
  });

  it('a client sends a retry receipt for a group message that it cannot decrypt, and then decrypts it', async () => {
    await me.client.message(await ada.send(group.id, { text: 'first' }));
    for (const name of me.identity.keys.keys()) if (name.startsWith('sender-key|')) me.identity.keys.delete(name);
    const second = await ada.send(group.id, { text: 'second' });
    const { message } = await me.client.message(second);
    expect(message.message?.conversation).toBe('second');
    expect(ada.messages().at(-1)?.receipts).toContainEqual(
      expect.objectContaining({ from: me.account.number, type: 'retry' }),
    );
    const third = await ada.send(group.id, { text: 'third' });
    expect((await me.client.message(third)).message.message?.conversation).toBe('third');
  });

  it('a client requests a group message again from another client, and then decrypts it', async () => {
    await you.client.message(await me.send(group.id, 'first'));
    for (const name of you.identity.keys.keys()) if (name.startsWith('sender-key|')) you.identity.keys.delete(name);
    const second = await me.send(group.id, 'second');
    const { message } = await you.client.message(second);
    expect(message.message?.extendedTextMessage?.text).toBe('second');
  });

  it('the sandbox queues group messages for a client that is offline', async () => {
    await you.sock.end(undefined);
    const ids = [await ada.send(group.id, { text: 'one' }), await ada.send(group.id, { text: 'two' })];
    const reconnected = await stage.connect(you.account, you.companion, you.identity);
    for (const id of ids) expect((await reconnected.client.message(id)).type).toBe('append');
  });
});

describe('refused group messages', () => {
  it('the sandbox rejects group messages of non-members, and of non-admins where only admins can write', async () => {
    groups().setAnnouncement(group, ada.account, true);
    const messageId = await me.send(group.id, 'may I?');
    await waitForRefusal(me, messageId);
    groups().setAnnouncement(group, ada.account, false);
    const metadata = await me.sock.groupMetadata(group.id);
    groups().change(group, ada.account, 'remove', [pnJid(me.account)]);
    const cached = await stage.connect(me.account, me.companion, me.identity, {
      cachedGroupMetadata: async () => metadata,
    });
    const outsiderMessageId = await cached.send(group.id, 'still there?');
    await waitForRefusal(cached, outsiderMessageId);
    expect(ada.messages()).toEqual([]);
  });

  it('a phone cannot write to an unknown group, as a non-member, or as a non-admin where only admins can write', async () => {
    groups().setAnnouncement(group, ada.account, true);
    await expect(phoneOf(me).send(group.id, { text: 'may I?' })).rejects.toMatchObject({ code: 403 });
    await expect(stage.phone().send(group.id, { text: 'hello?' })).rejects.toMatchObject({ code: 403 });
    await expect(ada.send('120363999999999999@g.us', { text: 'hello?' })).rejects.toMatchObject({ code: 404 });
  });

  it('the fault nack answers the next group message of the number with its error code', async () => {
    stage.sandbox.faults.add({ kind: 'nack', number: me.account.number, code: 463 });
    const id = await me.send(group.id, 'refused');
    expect((await waitForRefusal(me, id)).update.messageStubParameters).toContain('463');
  });
});

describe('stanzas of group messages', () => {
  /** Sends a message stanza with these attributes and this content, and resolves with the answer. */
  const answerTo = (attrs: Record<string, string>, content: BinaryNode[]): Promise<BinaryNode> =>
    me.sock.query({ tag: 'message', attrs: { to: group.id, type: 'text', ...attrs }, content });
  const enc = { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: Buffer.alloc(80) };

  it('the sandbox rejects a group message without encrypted content as malformed', async () => {
    await expect(answerTo({ id: 'M1' }, [])).resolves.toMatchObject({ attrs: { error: '479' } });
  });

  it.each([
    ['a type for single devices', { v: '2', type: 'msg' }, {}],
    ['an unknown type', { v: '2', type: 'none' }, {}],
    ['another version', { v: '3', type: 'skmsg' }, {}],
    ['no version', { type: 'skmsg' }, {}],
    ['the type for all members and is for one device', { v: '2', type: 'skmsg' }, { participant: '1@lid' }],
  ])('the sandbox rejects a group message as malformed when its content has %s', async (_what, encAttrs, attrs) => {
    const { attrs: answer } = await answerTo({ id: 'M7', ...attrs }, [{ ...enc, attrs: encAttrs }]);
    expect(answer.error).toBe('479');
  });

  it('the sandbox rejects a group message that names an addressing mode other than that of the group', async () => {
    const numbers = [me.account.number, you.account.number];
    for (const addressing of ['lid', 'pn'] as const) {
      group = ada.createGroup('Friends', numbers, { addressing });
      const errorFor = async (mode: string) =>
        (await answerTo({ id: `M8-${addressing}-${mode}`, addressing_mode: mode }, [enc])).attrs.error;
      expect(await errorFor(addressing)).toBeUndefined();
      expect(await errorFor(addressing === 'lid' ? 'pn' : 'lid')).toBe('421');
    }
  });

  it('the ack of a group message contains the correct device hash when the client’s is wrong', async () => {
    const { attrs } = await answerTo({ id: 'M2', phash: '2:wrong' }, [enc]);
    expect(attrs.phash).toMatch(/^2:/);
    const secondAnswer = await answerTo({ id: 'M3', phash: attrs.phash ?? '' }, [enc]);
    expect(secondAnswer.attrs.phash).toBeUndefined();
  });

  it('a group message that is sent again to one phone requires the device identity of the client', async () => {
    await waitForMessage(ada, await me.send(group.id, 'first'));
    const data = encodeWAMessage({ conversation: 'once more' });
    const jid = lidJid(ada.account);
    const { type, ciphertext } = await me.sock.signalRepository.encryptMessage({ jid, data });
    const resent = { tag: 'enc', attrs: { v: '2', type, count: '1' }, content: ciphertext };
    const withoutIdentity = await answerTo({ id: 'M5', participant: jid }, [resent]);
    expect(withoutIdentity.attrs.error).toBe('479');
    const { account = {} } = me.identity.creds;
    const identity = { tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) };
    const withIdentity = await answerTo({ id: 'M6', participant: jid }, [resent, identity]);
    expect(withIdentity.attrs.error).toBeUndefined();
    expect(await waitForMessage(ada, 'M6')).toMatchObject({
      text: 'once more',
      chat: group.id,
      from: me.account.number,
    });
    expect(phoneOf(you).messages()).toHaveLength(1);
  });

  it('a phone requests a group message with invalid ciphertext at most five times, and still sends messages', async () => {
    const requesters: unknown[] = [];
    me.sock.ws.on('CB:receipt,type:retry', ({ attrs }: BinaryNode) => requesters.push(attrs.participant));
    for (let n = 0; n < 7; n++) await answerTo({ id: 'M4' }, [{ ...enc, content: randomBytes(80) }]);
    const id = await ada.send(group.id, { text: 'still here' });
    await me.client.message(id);
    const adasRequests = requesters.filter((participant) => participant === lidJid(ada.account));
    expect(adasRequests).toHaveLength(5);
    expect(ada.messages()).toHaveLength(1);
  });
});

describe('typing in groups', () => {
  it('typing in a group is shown to the other members, from clients to phones and from phones to clients', async () => {
    await me.sock.sendPresenceUpdate('composing', group.id);
    await ada.waitFor(() => ada.typingAccounts.get(me.account.number) === 'composing');
    ada.setTyping(group.id, 'recording');
    const shown = await me.client.until(() => me.client.presences.find(({ id }) => id === group.id));
    expect(shown.presences[lidJid(ada.account)]?.lastKnownPresence).toBe('recording');
  });
});
