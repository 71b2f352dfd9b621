import { randomBytes } from 'node:crypto';
import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import type { Account, Companion } from '../src/world/model.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { type Identity, newIdentity, RealClient } from './real-client.ts';

const { DELIVERY_ACK, ERROR, READ } = proto.WebMessageInfo.Status;

let sandbox: Sandbox;
let nextNumber = 15_550_002_001;
let mine: Account;
let peer: Phone;
let companion: Companion;
let identity: Identity;
let client: RealClient;

const connect = async (as = identity, config = {}) => {
  const connected = new RealClient(sandbox, as, config);
  await connected.open();
  return connected;
};

function provision(): { account: Account; identity: Identity; companion: Companion } {
  const account = sandbox.world.account(String(nextNumber++));
  const creds = sandbox.provision(account.number);
  const linked = [...account.companions.values()].at(-1);
  if (!linked) throw new Error('provisioning left no companion');
  return { account, identity: { creds, keys: new Map() }, companion: linked };
}

/** Sends through the client and returns the id. */
async function send(
  content: Parameters<RealClient['sock']['sendMessage']>[1],
  to = pnJid(peer.account),
): Promise<string> {
  const sent = await client.sock.sendMessage(to, content);
  return sent?.key.id ?? '';
}

const seenBy = (phone: Phone, id: string) => phone.waitFor(() => phone.messages().find((message) => message.id === id));

// What libsignal prints about the sessions broken on purpose.
silenceConsole();
beforeAll(async () => {
  sandbox = await createLightSandbox();
});

afterAll(() => sandbox.close());

beforeEach(async () => {
  ({ account: mine, identity, companion } = provision());
  peer = sandbox.phones.phone(String(nextNumber++));
  client = await connect();
});

afterEach(async () => {
  await client.sock.end(undefined);
  expect(sandbox.unanswered).toEqual([]);
});

describe('a message of a real client to a phone', () => {
  it('is decrypted there and on the own phone, and the client gets delivery and read receipts', async () => {
    const id = await send({ text: 'hello' });
    const seen = await seenBy(peer, id);
    expect(seen).toMatchObject({ from: mine.number, chat: mine.number, kind: 'text', text: 'hello', fromMe: false });
    const copy = await seenBy(sandbox.phones.phone(mine.number), id);
    expect(copy).toMatchObject({ chat: peer.account.number, text: 'hello', fromMe: true });
    await client.until(() => client.status(id) === DELIVERY_ACK);
    expect(peer.read(mine.number)).toEqual([id]);
    await client.until(() => client.status(id) === READ);
  });

  it('can be addressed to the LID, and the answer comes from the LID', async () => {
    const id = await send({ text: 'by LID' }, lidJid(peer.account));
    await seenBy(peer, id);
    const update = await client.until(() => client.updates.find(({ key }) => key.id === id));
    expect(update.key.remoteJid).toBe(lidJid(peer.account));
  });

  it('keeps its order among many, and is shown once', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => send({ text: `burst ${n}` })));
    await peer.waitFor(() => peer.receivedCount === 50);
    expect(peer.messages().map(({ id }) => id)).toEqual(ids);
  });

  it('can be a quote, mention, reaction, edit, deletion, location or contact', async () => {
    const asked = await peer.send(mine.number, { text: 'question' });
    const { message } = await client.message(asked);
    const answer = await send({ text: 'answer', mentions: [pnJid(peer.account)] });
    const quoted = await client.sock.sendMessage(pnJid(peer.account), { text: 'quoting' }, { quoted: message });
    const key = { remoteJid: pnJid(peer.account), fromMe: true, id: answer };
    await send({ react: { text: '👍', key: message.key } });
    await send({ text: 'better answer', edit: key });
    await send({ delete: key });
    await send({ location: { degreesLatitude: 52.5, degreesLongitude: 13.4 } });
    await send({ contacts: { displayName: 'Ada', contacts: [{ vcard: 'BEGIN:VCARD' }] } });
    await peer.waitFor(() => peer.receivedCount === 7);
    expect(peer.messages().slice(1)).toMatchObject([
      { kind: 'text', text: 'answer', mentions: [pnJid(peer.account)] },
      { id: quoted?.key.id, kind: 'text', text: 'quoting', quoted: asked },
      { kind: 'reaction', text: '👍', target: asked },
      { kind: 'edit', text: 'better answer', target: answer },
      { kind: 'delete', target: answer },
      { kind: 'location', message: { locationMessage: { degreesLatitude: 52.5 } } },
      { kind: 'contact', message: { contactMessage: { vcard: 'BEGIN:VCARD' } } },
    ]);
  });

  it('is requested again when the phone cannot decrypt it, and arrives', async () => {
    await seenBy(peer, await send({ text: 'first' }));
    breakSession(identity, peer, 'chainKey');
    const id = await send({ text: 'garbled' });
    expect(await seenBy(peer, id)).toMatchObject({ text: 'garbled' });
    expect(peer.receivedCount).toBe(2);
  });

  it('is dropped when the number is not on WhatsApp, but the own phone keeps its copy', async () => {
    const id = await send({ text: 'nobody there' }, '15550020000@s.whatsapp.net');
    const copy = await seenBy(sandbox.phones.phone(mine.number), id);
    expect(copy).toMatchObject({ chat: '15550020000', fromMe: true, receipts: [] });
  });

  it('does not reach a phone that blocked the sender', async () => {
    peer.account.blocked.add(mine.number);
    await seenBy(sandbox.phones.phone(mine.number), await send({ text: 'blocked' }));
    expect(peer.messages()).toEqual([]);
  });
});

describe('the ack of a message', () => {
  /** The server's ack to a stanza written as it is. */
  async function ackOf(node: BinaryNode): Promise<BinaryNode['attrs']> {
    const answer = new Promise<BinaryNode>((resolve) => client.sock.ws.once(`CB:ack,class:message`, resolve));
    await client.sock.sendNode(node);
    return (await answer).attrs;
  }

  it('contains the error of the fault nack, and the message is not delivered', async () => {
    sandbox.faults.add({ kind: 'nack', number: mine.number, code: 463 });
    const id = await send({ text: 'refused' });
    const failed = await client.until(() => client.updates.find(({ key }) => key.id === id));
    expect(failed.update).toMatchObject({ status: ERROR, messageStubParameters: expect.arrayContaining(['463']) });
    expect(peer.messages()).toEqual([]);
  });

  it.each([
    { what: 'has no content', content: [] },
    {
      what: 'carries no ciphertext',
      content: [{ tag: 'participants', attrs: {}, content: [{ tag: 'to', attrs: {} }] }],
    },
    {
      what: 'has an unknown kind of encryption',
      content: [{ tag: 'enc', attrs: { v: '2', type: 'none' }, content: randomBytes(8) }],
    },
  ])('contains the error 479 when the stanza $what', async ({ content }) => {
    const to = pnJid(peer.account);
    const attrs = await ackOf({ tag: 'message', attrs: { id: 'BAD', to, type: 'text' }, content });
    expect(attrs).toMatchObject({ id: 'BAD', from: to, error: '479' });
  });
});

describe('a message of a phone to a real client', () => {
  it('arrives with name, both addresses and quote, and the phone gets delivery and read receipts', async () => {
    const asked = await send({ text: 'question' });
    await seenBy(peer, asked);
    peer.account.name = 'Ada';
    const id = await peer.send(mine.number, { text: 'answer', quoted: asked });
    const { message, type } = await client.message(id);
    expect(type).toBe('notify');
    expect(message.pushName).toBe('Ada');
    expect(message.key).toMatchObject({
      remoteJid: pnJid(peer.account),
      remoteJidAlt: lidJid(peer.account),
      fromMe: false,
    });
    expect(message.message?.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: asked,
      quotedMessage: { extendedTextMessage: { text: 'question' } },
    });
    await client.sock.readMessages([message.key]);
    const { receipts } = await peer.waitFor(() => peer.messages().find((m) => m.id === id && m.receipts.length === 2));
    expect(receipts.map(({ from, type }) => [from, type])).toEqual([
      [mine.number, 'delivered'],
      [mine.number, 'read'],
    ]);
    await waitFor(() => expect(companion.queue).toEqual([]));
  });

  it('can come from the LID', async () => {
    const { message } = await client.message(await peer.send(mine.number, { text: 'by LID' }, { addressing: 'lid' }));
    expect(message.key).toMatchObject({ remoteJid: lidJid(peer.account), remoteJidAlt: pnJid(peer.account) });
  });

  it('can be a reaction, edit, deletion, location or contact', async () => {
    const id = await peer.send(mine.number, { text: 'original' });
    await client.message(id);
    const sent = await Promise.all([
      peer.send(mine.number, { reaction: { id, emoji: '🎉' } }),
      peer.send(mine.number, { edit: { id, text: 'changed' } }),
      peer.send(mine.number, { delete: { id } }),
      peer.send(mine.number, { location: { latitude: 1, longitude: 2, name: 'Here' } }),
      peer.send(mine.number, { contact: { name: 'Ada', number: '15550009999' } }),
    ]);
    const contents = await Promise.all(sent.map(async (each) => (await client.message(each)).message.message));
    const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
    expect(contents).toMatchObject([
      { reactionMessage: { text: '🎉', key: { id } } },
      { protocolMessage: { type: MESSAGE_EDIT, key: { id }, editedMessage: { conversation: 'changed' } } },
      { protocolMessage: { type: REVOKE, key: { id } } },
      { locationMessage: { degreesLatitude: 1, name: 'Here' } },
      { contactMessage: { displayName: 'Ada' } },
    ]);
  });

  it('is sent again when the client cannot decrypt it, with a new session from the keys of the second request', async () => {
    await client.message(await peer.send(mine.number, { text: 'first' }));
    await seenBy(peer, await send({ text: 'so that both sides have a session' }));
    await client.message(await peer.send(mine.number, { text: 'second' }));
    breakSession(identity, peer, 'rootKey');
    breakSession(identity, peer, 'chainKey');
    const id = await peer.send(mine.number, { text: 'garbled' });
    expect((await client.message(id)).message.message?.conversation).toBe('garbled');
    const types = peer
      .messages()
      .find((message) => message.id === id)
      ?.receipts.map(({ type }) => type);
    expect(types?.filter((type) => type === 'retry')).toHaveLength(2);
    await waitFor(() => expect(companion.queue).toEqual([]));
  });

  it('is sent again by the own phone when the client requests it there', async () => {
    const id = await peer.send(mine.number, { text: 'lost' });
    await client.message(id);
    const key = { remoteJid: pnJid(peer.account), fromMe: false, id };
    const asked = await client.sock.sendPeerDataOperationMessage({
      placeholderMessageResendRequest: [{ messageKey: key }],
      peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
    });
    expect(asked).toBeTruthy();
    const copies = () => client.upserts.filter(({ message }) => message.key.id === id);
    await client.until(() => copies().length === 2);
    expect(copies()[1]?.message.message?.conversation).toBe('lost');
  });

  it('is queued while the client is offline and then arrives in order, as `append`', async () => {
    await client.sock.end(undefined);
    await waitFor(() => expect(companion.connection).toBeUndefined());
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push(await peer.send(mine.number, { text }));
    expect(companion.queue).toHaveLength(3);
    client = await connect();
    await client.message(ids[2] ?? '');
    expect(client.upserts.map(({ message }) => message.key.id)).toEqual(ids);
    expect(new Set(client.upserts.map(({ type }) => type))).toEqual(new Set(['append']));
    await waitFor(() => expect(companion.queue).toEqual([]));
  });

  it('reaches the client of the account that sent it with fromMe', async () => {
    const phone = sandbox.phones.phone(mine.number);
    const id = await phone.send(peer.account.number, { text: 'from the phone itself' });
    const { message } = await client.message(id);
    expect(message.key).toMatchObject({ remoteJid: pnJid(peer.account), fromMe: true });
    expect(message.message?.conversation).toBe('from the phone itself');
    await client.until(() => client.status(id) === DELIVERY_ACK);
    expect(await seenBy(peer, id)).toMatchObject({ from: mine.number, text: 'from the phone itself' });
  });
});

describe('two real clients', () => {
  it('exchange messages and receipts', async () => {
    const other = provision();
    const otherClient = await connect(other.identity, { markOnlineOnConnect: false });
    const id = await send({ text: 'client to client' }, pnJid(other.account));
    const { message } = await otherClient.message(id);
    expect(message.key).toMatchObject({ remoteJid: pnJid(mine), remoteJidAlt: lidJid(mine) });
    expect(message.message?.extendedTextMessage?.text).toBe('client to client');
    await client.until(() => client.status(id) === DELIVERY_ACK);
    await otherClient.sock.readMessages([message.key]);
    await client.until(() => client.status(id) === READ);
    const own = await seenBy(sandbox.phones.phone(mine.number), id);
    expect(own.receipts.map(({ type }) => type)).toEqual(['delivered', 'read']);
    await otherClient.sock.end(undefined);
  });

  it('request messages again that they cannot decrypt', async () => {
    const other = provision();
    const otherClient = await connect(other.identity);
    await otherClient.message(await send({ text: 'first' }, pnJid(other.account)));
    const address = `session|${mine.lid}_1.${companion.device}`;
    other.identity.keys.set(address, null);
    const id = await send({ text: 'second' }, pnJid(other.account));
    expect((await otherClient.message(id)).message.message?.extendedTextMessage?.text).toBe('second');
    await otherClient.sock.end(undefined);
  });

  it('of one account get the messages that the other sent', async () => {
    const creds = sandbox.provision(mine.number);
    const second = await connect({ creds, keys: new Map() });
    const id = await send({ text: 'from the first' });
    const { message } = await second.message(id);
    expect(message.key).toMatchObject({ remoteJid: pnJid(peer.account), fromMe: true });
    await second.sock.end(undefined);
  });
});

describe('typing and presence', () => {
  it('typing and recording are shown in both directions', async () => {
    await client.sock.sendPresenceUpdate('recording', pnJid(peer.account));
    await peer.waitFor(() => peer.typingAccounts.get(mine.number) === 'recording');
    await client.sock.sendPresenceUpdate('paused', pnJid(peer.account));
    await peer.waitFor(() => !peer.typingAccounts.has(mine.number));
    for (const state of ['composing', 'recording', 'paused'] as const) peer.setTyping(mine.number, state);
    await client.until(() => client.presences.length === 3);
    const states = client.presences.map(({ presences }) => presences[pnJid(peer.account)]?.lastKnownPresence);
    expect(states).toEqual(['composing', 'recording', 'available']);
  });

  it('typing is not shown to an account that blocked the author', async () => {
    peer.account.blocked.add(mine.number);
    mine.blocked.add(peer.account.number);
    await client.sock.sendPresenceUpdate('composing', pnJid(peer.account));
    peer.setTyping(mine.number, 'composing');
    mine.blocked.clear();
    peer.setTyping(mine.number, 'recording');
    await client.until(() => client.presences.length > 0);
    const states = client.presences.map(({ presences }) => presences[pnJid(peer.account)]?.lastKnownPresence);
    expect(states).toEqual(['recording']);
    await client.sock.fetchPrivacySettings(true);
    expect(peer.typingAccounts.size).toBe(0);
  });

  it('a subscriber gets the presence of a phone, now and at each change', async () => {
    await client.sock.presenceSubscribe(pnJid(peer.account));
    await client.until(() => client.presences.length === 1);
    peer.setPresence('available');
    await client.until(() => client.presences.length === 2);
    const states = client.presences.map(({ presences }) => presences[pnJid(peer.account)]?.lastKnownPresence);
    expect(states).toEqual(['unavailable', 'available']);
  });
});

describe('the first sync', () => {
  it('gives a new client its app state key and an empty history, once', async () => {
    const account = sandbox.world.account(String(nextNumber++));
    const fresh = newIdentity();
    const pairing = new RealClient(sandbox, fresh);
    const qr = await pairing.until(() => pairing.qr);
    const linked = await sandbox.pairing.scanQr(account.number, qr);
    expect(await pairing.closed()).toBe(515);
    const first = await connect(fresh);
    await first.until(() => fresh.creds.myAppStateKeyId !== undefined && fresh.creds.accountSyncCounter > 0);
    await waitFor(() => expect(linked.queue).toEqual([]));
    expect(fresh.creds.processedHistoryMessages).toHaveLength(3);
    await first.sock.end(undefined);
    const second = await connect(fresh);
    expect(linked.queue).toEqual([]);
    await second.sock.end(undefined);
  });
});

/** Spoils what the client keeps of its session with the phone, so that the next message one way cannot be decrypted. */
function breakSession({ keys }: Identity, { account }: Phone, part: 'rootKey' | 'chainKey'): void {
  const wrong = () => randomBytes(32).toString('base64');
  const record = keys.get(`session|${account.lid}_1.0`) as {
    _sessions: Record<
      string,
      { currentRatchet: { rootKey: string }; _chains: Record<string, { chainKey: { key?: string } }> }
    >;
  };
  for (const session of Object.values(record._sessions)) {
    if (part === 'rootKey') session.currentRatchet.rootKey = wrong();
    else for (const chain of Object.values(session._chains)) chain.chainKey.key &&= wrong();
  }
}
