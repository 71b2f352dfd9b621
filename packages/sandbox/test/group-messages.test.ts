import { randomBytes } from 'node:crypto';
import { type BinaryNode, encodeSignedDeviceIdentity, encodeWAMessage, proto } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silenceConsole } from '../../../test/support/console.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Group } from '../src/world/group.ts';
import type { Account } from '../src/world/model.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { GroupStage, type Member, seenBy } from './group-stage.ts';

const { ERROR } = proto.WebMessageInfo.Status;

let stage: GroupStage;
let me: Member;
let you: Member;
let ada: Phone;
let group: Group;

const groups = () => stage.sandbox.groups;
const phoneOf = (member: Member) => stage.sandbox.phones.phone(member.account.number);

/** The refusal of a message, as its sender gets it. */
const refused = ({ client }: Member, id: string) =>
  client.until(() => client.updates.find(({ key, update }) => key.id === id && update.status === ERROR));

// What libsignal prints about the sessions broken on purpose.
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
  await stage.rest();
  expect(stage.sandbox.unanswered).toEqual([]);
});

describe('the name of an author that ends with an @', () => {
  it('arrives with the messages and the changes of phones and clients', async () => {
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

describe('the subject of a group', () => {
  it.each(['Team @ home', 'Ask us @', 'Open 9:30 @ home', 'me@g.us'])('%s is the same for clients', async (subject) => {
    groups().setSubject(group, ada.account, subject);
    await me.event('groups.update', ([update]) => update?.subject === subject);
    expect(await me.sock.groupMetadata(group.id)).toMatchObject({ subject });
  });
});

describe.each(['lid', 'pn'] as const)('in a group addressed by %s', (mode) => {
  const jidOf = (account: Account) => (mode === 'lid' ? lidJid(account) : pnJid(account));
  const otherOf = (account: Account) => (mode === 'lid' ? pnJid(account) : lidJid(account));

  beforeEach(() => {
    group = ada.createGroup('Friends', [me.account.number, you.account.number], { addressing: mode });
  });

  it('a client’s messages reach every phone and every client', async () => {
    const ids = [await me.send(group.id, 'first'), await me.send(group.id, 'second')];
    for (const reader of [ada, phoneOf(me), phoneOf(you)]) {
      await seenBy(reader, ids[1] ?? '');
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

  it('a phone’s messages reach every client and every other phone', async () => {
    for (const text of ['first', 'second']) {
      const id = await ada.send(group.id, { text });
      for (const reader of [me, you]) {
        const { message } = await reader.client.message(id);
        expect(message.message?.conversation).toBe(text);
        const key = { remoteJid: group.id, participant: jidOf(ada.account), participantAlt: otherOf(ada.account) };
        expect(message.key).toMatchObject(key);
        expect(await seenBy(phoneOf(reader), id)).toMatchObject({ text, from: ada.account.number });
      }
    }
  });

  it('a phone’s own clients get its messages as their own', async () => {
    const id = await phoneOf(me).send(group.id, { text: 'from my phone' });
    const { message } = await me.client.message(id);
    expect(message.key).toMatchObject({ fromMe: true, remoteJid: group.id });
  });

  it('quotes, mentions and reactions contain JIDs in the form of the group', async () => {
    const asked = await ada.send(group.id, { text: 'who comes?', mentions: [me.account.number] });
    const { message } = await me.client.message(asked);
    expect(message.message?.extendedTextMessage?.contextInfo?.mentionedJid).toEqual([jidOf(me.account)]);
    const answer = await me.sock.sendMessage(group.id, { text: 'I do' }, { quoted: message });
    expect(await seenBy(ada, answer?.key.id ?? '')).toMatchObject({ text: 'I do', quoted: asked });
    const liked = await ada.send(group.id, { reaction: { id: answer?.key.id ?? '', emoji: '👍' } });
    const reaction = await me.client.message(liked);
    expect(reaction.message.message?.reactionMessage?.key?.participant).toBe(jidOf(me.account));
  });

  it('receipts name the members who received and read a message', async () => {
    const id = await me.send(group.id, 'read me');
    await seenBy(ada, id);
    const of = (field: 'receiptTimestamp' | 'readTimestamp') =>
      me.event('message-receipt.update', ([update]) => {
        const { userJid = '' } = update?.receipt ?? {};
        return update?.key.id === id && userJid === jidOf(ada.account) && Boolean(update.receipt[field]);
      });
    await of('receiptTimestamp');
    expect(ada.read(group.id)).toEqual([id]);
    await of('readTimestamp');
    const asked = await ada.send(group.id, { text: 'and you?' });
    const { message } = await me.client.message(asked);
    await me.sock.readMessages([message.key]);
    const read = { from: me.account.number, type: 'read' };
    await ada.waitFor(() => ada.messages().some(({ receipts }) => receipts.some((each) => each.from === read.from)));
    await ada.waitFor(() => ada.messages().some(({ receipts }) => receipts.some(({ type }) => type === 'read')));
    expect(ada.messages().at(-1)?.receipts).toContainEqual(expect.objectContaining(read));
  });
});

describe('sender keys', () => {
  it('are sent to new members, who cannot decrypt earlier messages', async () => {
    const bob = stage.phone();
    const before = await me.send(group.id, 'before');
    await seenBy(ada, before);
    groups().add(group, ada.account, [pnJid(bob.account)]);
    await me.event('group-participants.update');
    const after = await me.send(group.id, 'after');
    expect(await seenBy(bob, after)).toMatchObject({ text: 'after' });
    expect(bob.messages()).toHaveLength(1);
  });

  it('are replaced after a member is removed', async () => {
    const before = await ada.send(group.id, { text: 'before' });
    await me.client.message(before);
    groups().change(group, ada.account, 'remove', [pnJid(you.account)]);
    const after = await ada.send(group.id, { text: 'after' });
    expect((await me.client.message(after)).message.message?.conversation).toBe('after');
    expect(
      phoneOf(you)
        .messages()
        .map(({ id }) => id),
    ).toEqual([before]);
    expect(you.client.upserts.some(({ message }) => message.key.id === after)).toBe(false);
  });
});

describe('a group message that cannot be decrypted', () => {
  it('is requested again by a phone, which then decrypts it', async () => {
    const first = await me.send(group.id, 'first');
    await seenBy(ada, first);
    // The client believes that all members hold its key, and makes another.
    for (const name of me.identity.keys.keys()) if (name.startsWith('sender-key|')) me.identity.keys.delete(name);
    const second = await me.send(group.id, 'second');
    expect(await seenBy(ada, second)).toMatchObject({ text: 'second' });
    expect(await seenBy(phoneOf(you), second)).toMatchObject({ text: 'second' });
    expect(ada.messages().filter(({ id }) => id === second)).toHaveLength(1);
  });

  it('is requested again by a client, and sent again to that client only', async () => {
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

  it('is requested again by one client from another client', async () => {
    await you.client.message(await me.send(group.id, 'first'));
    for (const name of you.identity.keys.keys()) if (name.startsWith('sender-key|')) you.identity.keys.delete(name);
    const second = await me.send(group.id, 'second');
    const { message } = await you.client.message(second);
    expect(message.message?.extendedTextMessage?.text).toBe('second');
  });

  it('is queued for a client that is offline', async () => {
    await you.sock.end(undefined);
    const ids = [await ada.send(group.id, { text: 'one' }), await ada.send(group.id, { text: 'two' })];
    const back = await stage.connect(you.account, you.companion, you.identity);
    for (const id of ids) expect((await back.client.message(id)).type).toBe('append');
  });
});

describe('the server', () => {
  it('refuses messages of non-members, and of non-admins where only admins can write', async () => {
    groups().setAnnouncement(group, ada.account, true);
    const muted = await me.send(group.id, 'may I?');
    await refused(me, muted);
    groups().setAnnouncement(group, ada.account, false);
    const metadata = await me.sock.groupMetadata(group.id);
    groups().change(group, ada.account, 'remove', [pnJid(me.account)]);
    const cached = await stage.connect(me.account, me.companion, me.identity, {
      cachedGroupMetadata: async () => metadata,
    });
    const outside = await cached.send(group.id, 'still there?');
    await refused(cached, outside);
    expect(ada.messages()).toEqual([]);
  });

  it('refuses messages of a phone that is not allowed to write', async () => {
    groups().setAnnouncement(group, ada.account, true);
    await expect(phoneOf(me).send(group.id, { text: 'may I?' })).rejects.toMatchObject({ code: 403 });
    await expect(stage.phone().send(group.id, { text: 'hello?' })).rejects.toMatchObject({ code: 403 });
    await expect(ada.send('120363999999999999@g.us', { text: 'hello?' })).rejects.toMatchObject({ code: 404 });
  });

  it('refuses the next message for the fault nack', async () => {
    stage.sandbox.faults.add({ kind: 'nack', number: me.account.number, code: 463 });
    const id = await me.send(group.id, 'refused');
    expect((await refused(me, id)).update.messageStubParameters).toContain('463');
  });
});

describe('the stanza of a group message', () => {
  /** The answer to a message that the client makes by hand. */
  const answerTo = (attrs: Record<string, string>, content: BinaryNode[]): Promise<BinaryNode> =>
    me.sock.query({ tag: 'message', attrs: { to: group.id, type: 'text', ...attrs }, content });
  const enc = { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: Buffer.alloc(80) };

  it('is malformed without encrypted content', async () => {
    await expect(answerTo({ id: 'M1' }, [])).resolves.toMatchObject({ attrs: { error: '479' } });
  });

  it.each([
    ['a type for single devices', { v: '2', type: 'msg' }, {}],
    ['an unknown type', { v: '2', type: 'none' }, {}],
    ['another version', { v: '3', type: 'skmsg' }, {}],
    ['no version', { type: 'skmsg' }, {}],
    ['the type for all members, when it is for one device', { v: '2', type: 'skmsg' }, { participant: '1@lid' }],
  ])('is malformed when its content has %s', async (_what, encAttrs, attrs) => {
    const { attrs: answer } = await answerTo({ id: 'M7', ...attrs }, [{ ...enc, attrs: encAttrs }]);
    expect(answer.error).toBe('479');
  });

  it('is refused when it names an addressing mode that is not that of the group', async () => {
    const numbers = [me.account.number, you.account.number];
    for (const addressing of ['lid', 'pn'] as const) {
      group = ada.createGroup('Friends', numbers, { addressing });
      const errorFor = async (mode: string) =>
        (await answerTo({ id: `M8-${addressing}-${mode}`, addressing_mode: mode }, [enc])).attrs.error;
      expect(await errorFor(addressing)).toBeUndefined();
      expect(await errorFor(addressing === 'lid' ? 'pn' : 'lid')).toBe('421');
    }
  });

  it('is acknowledged with the correct device hash when the client’s is wrong', async () => {
    const { attrs } = await answerTo({ id: 'M2', phash: '2:wrong' }, [enc]);
    expect(attrs.phash).toMatch(/^2:/);
    const again = await answerTo({ id: 'M3', phash: attrs.phash ?? '' }, [enc]);
    expect(again.attrs.phash).toBeUndefined();
  });

  it('can be for one phone only, as clients send a message again', async () => {
    await seenBy(ada, await me.send(group.id, 'first'));
    const data = encodeWAMessage({ conversation: 'once more' });
    const jid = lidJid(ada.account);
    const { type, ciphertext } = await me.sock.signalRepository.encryptMessage({ jid, data });
    const again = { tag: 'enc', attrs: { v: '2', type, count: '1' }, content: ciphertext };
    const unproven = await answerTo({ id: 'M5', participant: jid }, [again]);
    expect(unproven.attrs.error).toBe('479');
    const { account = {} } = me.identity.creds;
    const identity = { tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) };
    const taken = await answerTo({ id: 'M6', participant: jid }, [again, identity]);
    expect(taken.attrs.error).toBeUndefined();
    expect(await seenBy(ada, 'M6')).toMatchObject({ text: 'once more', chat: group.id, from: me.account.number });
    expect(phoneOf(you).messages()).toHaveLength(1);
  });

  it('with invalid ciphertext is requested again at most five times', async () => {
    for (let n = 0; n < 7; n++) await answerTo({ id: 'M4' }, [{ ...enc, content: randomBytes(80) }]);
    const id = await ada.send(group.id, { text: 'still here' });
    await me.client.message(id);
    expect(ada.messages()).toHaveLength(1);
  });
});

describe('typing', () => {
  it('is shown to the other members, both ways', async () => {
    await me.sock.sendPresenceUpdate('composing', group.id);
    await ada.waitFor(() => ada.typingAccounts.get(me.account.number) === 'composing');
    ada.setTyping(group.id, 'recording');
    const shown = await me.client.until(() => me.client.presences.find(({ id }) => id === group.id));
    expect(shown.presences[lidJid(ada.account)]?.lastKnownPresence).toBe('recording');
  });
});
