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
let ownAccount: Account;
let peer: Phone;
let companion: Companion;
let identity: Identity;
let client: RealClient;

const connect = async (clientIdentity = identity, config = {}) => {
  const connected = new RealClient(sandbox, clientIdentity, config);
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

/** Sends a message through the client and resolves with its id. */
async function send(
  content: Parameters<RealClient['sock']['sendMessage']>[1],
  to = pnJid(peer.account),
): Promise<string> {
  const sent = await client.sock.sendMessage(to, content);
  return sent?.key.id ?? '';
}

const waitForMessage = (phone: Phone, id: string) =>
  phone.waitFor(() => phone.messages().find((message) => message.id === id));

// libsignal prints messages about the sessions that these tests break.
silenceConsole();
beforeAll(async () => {
  sandbox = await createLightSandbox();
});

afterAll(() => sandbox.close());

beforeEach(async () => {
  ({ account: ownAccount, identity, companion } = provision());
  peer = sandbox.phones.phone(String(nextNumber++));
  client = await connect();
});

afterEach(async () => {
  await client.sock.end(undefined);
  expect(sandbox.unanswered).toEqual([]);
});

describe('messages from a client to a phone', () => {
  it('a client’s message reaches the recipient and the own phone, and the client gets delivery and read receipts', async () => {
    const id = await send({ text: 'hello' });
    const received = await waitForMessage(peer, id);
    expect(received).toMatchObject({
      from: ownAccount.number,
      chat: ownAccount.number,
      kind: 'text',
      text: 'hello',
      fromMe: false,
    });
    const copy = await waitForMessage(sandbox.phones.phone(ownAccount.number), id);
    expect(copy).toMatchObject({ chat: peer.account.number, text: 'hello', fromMe: true });
    await client.until(() => client.status(id) === DELIVERY_ACK);
    expect(peer.read(ownAccount.number)).toEqual([id]);
    await client.until(() => client.status(id) === READ);
  });

  it('a client’s message can be addressed to a LID, and its receipts come from the LID', async () => {
    const id = await send({ text: 'by LID' }, lidJid(peer.account));
    await waitForMessage(peer, id);
    const update = await client.until(() => client.updates.find(({ key }) => key.id === id));
    expect(update.key.remoteJid).toBe(lidJid(peer.account));
  });

  it('a phone shows 50 messages that a client sends at the same time once and in order', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => send({ text: `burst ${n}` })));
    await peer.waitFor(() => peer.receivedCount === 50);
    expect(peer.messages().map(({ id }) => id)).toEqual(ids);
  });

  it('a client’s message can be a quote, mention, reaction, edit, deletion, location or contact', async () => {
    const questionId = await peer.send(ownAccount.number, { text: 'question' });
    const { message } = await client.message(questionId);
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
      { id: quoted?.key.id, kind: 'text', text: 'quoting', quoted: questionId },
      { kind: 'reaction', text: '👍', target: questionId },
      { kind: 'edit', text: 'better answer', target: answer },
      { kind: 'delete', target: answer },
      { kind: 'location', message: { locationMessage: { degreesLatitude: 52.5 } } },
      { kind: 'contact', message: { contactMessage: { vcard: 'BEGIN:VCARD' } } },
    ]);
  });

  it('a phone requests a client’s message again that it cannot decrypt, and receives it', async () => {
    await waitForMessage(peer, await send({ text: 'first' }));
    breakSession(identity, peer, 'chainKey');
    const id = await send({ text: 'garbled' });
    expect(await waitForMessage(peer, id)).toMatchObject({ text: 'garbled' });
    expect(peer.receivedCount).toBe(2);
  });

  it('a client’s message to a number that is not on WhatsApp reaches only the own phone', async () => {
    const id = await send({ text: 'nobody there' }, '15550020000@s.whatsapp.net');
    const copy = await waitForMessage(sandbox.phones.phone(ownAccount.number), id);
    expect(copy).toMatchObject({ chat: '15550020000', fromMe: true, receipts: [] });
  });

  it('a client’s message does not reach a phone that blocked the sender', async () => {
    peer.account.blocked.add(ownAccount.number);
    await waitForMessage(sandbox.phones.phone(ownAccount.number), await send({ text: 'blocked' }));
    // The own phone gets its copy first. The server answers this query after it has handled all copies.
    await client.sock.fetchBlocklist();
    expect(peer.messages()).toEqual([]);
  });
});

describe('acks of messages', () => {
  /** Sends a stanza unchanged and resolves with the attributes of its ack. */
  async function ackOf(node: BinaryNode): Promise<BinaryNode['attrs']> {
    const answer = new Promise<BinaryNode>((resolve) => client.sock.ws.once(`CB:ack,class:message`, resolve));
    await client.sock.sendNode(node);
    return (await answer).attrs;
  }

  it('the fault nack adds its code to the ack of a message, and the message is not delivered', async () => {
    sandbox.faults.add({ kind: 'nack', number: ownAccount.number, code: 463 });
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
  ])('the ack of a message contains the error 479 when the stanza $what', async ({ content }) => {
    const to = pnJid(peer.account);
    const attrs = await ackOf({ tag: 'message', attrs: { id: 'BAD', to, type: 'text' }, content });
    expect(attrs).toMatchObject({ id: 'BAD', from: to, error: '479' });
  });
});

describe('messages from a phone to a client', () => {
  it('a phone’s message arrives with name, both addresses and quote, and the phone gets both receipts', async () => {
    const questionId = await send({ text: 'question' });
    await waitForMessage(peer, questionId);
    peer.account.name = 'Ada';
    const id = await peer.send(ownAccount.number, { text: 'answer', quoted: questionId });
    const { message, type } = await client.message(id);
    expect(type).toBe('notify');
    expect(message.pushName).toBe('Ada');
    expect(message.key).toMatchObject({
      remoteJid: pnJid(peer.account),
      remoteJidAlt: lidJid(peer.account),
      fromMe: false,
    });
    expect(message.message?.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: questionId,
      quotedMessage: { extendedTextMessage: { text: 'question' } },
    });
    await client.sock.readMessages([message.key]);
    const { receipts } = await peer.waitFor(() =>
      peer.messages().find((entry) => entry.id === id && entry.receipts.length === 2),
    );
    expect(receipts.map(({ from, type }) => [from, type])).toEqual([
      [ownAccount.number, 'delivered'],
      [ownAccount.number, 'read'],
    ]);
    await waitFor(() => expect(companion.queue).toEqual([]));
  });

  it('a phone’s message can come from its LID', async () => {
    const { message } = await client.message(
      await peer.send(ownAccount.number, { text: 'by LID' }, { addressing: 'lid' }),
    );
    expect(message.key).toMatchObject({ remoteJid: lidJid(peer.account), remoteJidAlt: pnJid(peer.account) });
  });

  it('a phone’s message can be a reaction, edit, deletion, location or contact', async () => {
    const id = await peer.send(ownAccount.number, { text: 'original' });
    await client.message(id);
    const sent = await Promise.all([
      peer.send(ownAccount.number, { reaction: { id, emoji: '🎉' } }),
      peer.send(ownAccount.number, { edit: { id, text: 'changed' } }),
      peer.send(ownAccount.number, { delete: { id } }),
      peer.send(ownAccount.number, { location: { latitude: 1, longitude: 2, name: 'Here' } }),
      peer.send(ownAccount.number, { contact: { name: 'Ada', number: '15550009999' } }),
    ]);
    const contents = await Promise.all(sent.map(async (sentId) => (await client.message(sentId)).message.message));
    const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
    expect(contents).toMatchObject([
      { reactionMessage: { text: '🎉', key: { id } } },
      { protocolMessage: { type: MESSAGE_EDIT, key: { id }, editedMessage: { conversation: 'changed' } } },
      { protocolMessage: { type: REVOKE, key: { id } } },
      { locationMessage: { degreesLatitude: 1, name: 'Here' } },
      { contactMessage: { displayName: 'Ada' } },
    ]);
  });

  it('a phone sends a message again to a client that cannot decrypt it, with a new session at the second request', async () => {
    await client.message(await peer.send(ownAccount.number, { text: 'first' }));
    await waitForMessage(peer, await send({ text: 'so that both sides have a session' }));
    await client.message(await peer.send(ownAccount.number, { text: 'second' }));
    breakSession(identity, peer, 'rootKey');
    breakSession(identity, peer, 'chainKey');
    const id = await peer.send(ownAccount.number, { text: 'garbled' });
    expect((await client.message(id)).message.message?.conversation).toBe('garbled');
    const types = peer
      .messages()
      .find((message) => message.id === id)
      ?.receipts.map(({ type }) => type);
    expect(types?.filter((type) => type === 'retry')).toHaveLength(2);
    await waitFor(() => expect(companion.queue).toEqual([]));
  });

  it('the own phone sends a message again when its client requests it from the phone', async () => {
    const id = await peer.send(ownAccount.number, { text: 'lost' });
    await client.message(id);
    const key = { remoteJid: pnJid(peer.account), fromMe: false, id };
    const requestId = await client.sock.sendPeerDataOperationMessage({
      placeholderMessageResendRequest: [{ messageKey: key }],
      peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
    });
    expect(requestId).toBeTruthy();
    const copies = () => client.upserts.filter(({ message }) => message.key.id === id);
    await client.until(() => copies().length === 2);
    expect(copies()[1]?.message.message?.conversation).toBe('lost');
  });

  it('messages to an offline client are queued and arrive in order at the next login, as `append`', async () => {
    await client.sock.end(undefined);
    await waitFor(() => expect(companion.connection).toBeUndefined());
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push(await peer.send(ownAccount.number, { text }));
    expect(companion.queue).toHaveLength(3);
    client = await connect();
    await client.message(ids[2] ?? '');
    expect(client.upserts.map(({ message }) => message.key.id)).toEqual(ids);
    expect(new Set(client.upserts.map(({ type }) => type))).toEqual(new Set(['append']));
    await waitFor(() => expect(companion.queue).toEqual([]));
  });

  it('a phone’s message reaches the client of its own account with fromMe', async () => {
    const phone = sandbox.phones.phone(ownAccount.number);
    const id = await phone.send(peer.account.number, { text: 'from the phone itself' });
    const { message } = await client.message(id);
    expect(message.key).toMatchObject({ remoteJid: pnJid(peer.account), fromMe: true });
    expect(message.message?.conversation).toBe('from the phone itself');
    await client.until(() => client.status(id) === DELIVERY_ACK);
    expect(await waitForMessage(peer, id)).toMatchObject({ from: ownAccount.number, text: 'from the phone itself' });
  });
});

describe('messages between clients', () => {
  it('two clients exchange messages and receipts', async () => {
    const other = provision();
    const otherClient = await connect(other.identity, { markOnlineOnConnect: false });
    const id = await send({ text: 'client to client' }, pnJid(other.account));
    const { message } = await otherClient.message(id);
    expect(message.key).toMatchObject({ remoteJid: pnJid(ownAccount), remoteJidAlt: lidJid(ownAccount) });
    expect(message.message?.extendedTextMessage?.text).toBe('client to client');
    await client.until(() => client.status(id) === DELIVERY_ACK);
    await otherClient.sock.readMessages([message.key]);
    await client.until(() => client.status(id) === READ);
    const own = await waitForMessage(sandbox.phones.phone(ownAccount.number), id);
    expect(own.receipts.map(({ type }) => type)).toEqual(['delivered', 'read']);
    await otherClient.sock.end(undefined);
  });

  it('a client requests a message of another client again that it cannot decrypt', async () => {
    const other = provision();
    const otherClient = await connect(other.identity);
    await otherClient.message(await send({ text: 'first' }, pnJid(other.account)));
    const address = `session|${ownAccount.lid}_1.${companion.device}`;
    other.identity.keys.set(address, null);
    const id = await send({ text: 'second' }, pnJid(other.account));
    expect((await otherClient.message(id)).message.message?.extendedTextMessage?.text).toBe('second');
    await otherClient.sock.end(undefined);
  });

  it('a client gets the messages that another client of its account sends', async () => {
    const creds = sandbox.provision(ownAccount.number);
    const second = await connect({ creds, keys: new Map() });
    const id = await send({ text: 'from the first' });
    const { message } = await second.message(id);
    expect(message.key).toMatchObject({ remoteJid: pnJid(peer.account), fromMe: true });
    await second.sock.end(undefined);
  });
});

describe('typing and presence', () => {
  it('typing and recording are shown from clients to phones and from phones to clients', async () => {
    await client.sock.sendPresenceUpdate('recording', pnJid(peer.account));
    await peer.waitFor(() => peer.typingAccounts.get(ownAccount.number) === 'recording');
    await client.sock.sendPresenceUpdate('paused', pnJid(peer.account));
    await peer.waitFor(() => !peer.typingAccounts.has(ownAccount.number));
    for (const state of ['composing', 'recording', 'paused'] as const) peer.setTyping(ownAccount.number, state);
    await client.until(() => client.presences.length === 3);
    const states = client.presences.map(({ presences }) => presences[pnJid(peer.account)]?.lastKnownPresence);
    expect(states).toEqual(['composing', 'recording', 'available']);
  });

  it('typing is not shown to an account that blocked the author', async () => {
    peer.account.blocked.add(ownAccount.number);
    ownAccount.blocked.add(peer.account.number);
    await client.sock.sendPresenceUpdate('composing', pnJid(peer.account));
    peer.setTyping(ownAccount.number, 'composing');
    ownAccount.blocked.clear();
    peer.setTyping(ownAccount.number, 'recording');
    await client.until(() => client.presences.length > 0);
    const states = client.presences.map(({ presences }) => presences[pnJid(peer.account)]?.lastKnownPresence);
    expect(states).toEqual(['recording']);
    await client.sock.fetchPrivacySettings(true);
    expect(peer.typingAccounts.size).toBe(0);
  });

  it('a client that subscribes to a phone gets its presence, now and at each change', async () => {
    await client.sock.presenceSubscribe(pnJid(peer.account));
    await client.until(() => client.presences.length === 1);
    peer.setPresence('available');
    await client.until(() => client.presences.length === 2);
    const states = client.presences.map(({ presences }) => presences[pnJid(peer.account)]?.lastKnownPresence);
    expect(states).toEqual(['unavailable', 'available']);
  });
});

describe('first sync', () => {
  it('a new client gets its app state key and its history at the first login only', async () => {
    const account = sandbox.world.account(String(nextNumber++));
    const freshIdentity = newIdentity();
    const pairing = new RealClient(sandbox, freshIdentity);
    const qr = await pairing.until(() => pairing.qr);
    const linked = await sandbox.pairing.scanQr(account.number, qr);
    expect(await pairing.closed()).toBe(515);
    const first = await connect(freshIdentity);
    await first.until(
      () => freshIdentity.creds.myAppStateKeyId !== undefined && freshIdentity.creds.accountSyncCounter > 0,
    );
    await waitFor(() => expect(linked.queue).toEqual([]));
    // The client acknowledges a chunk of the history before it processes the chunk.
    await first.until(() => freshIdentity.creds.processedHistoryMessages.length >= 3);
    expect(freshIdentity.creds.processedHistoryMessages).toHaveLength(3);
    await first.sock.end(undefined);
    const second = await connect(freshIdentity);
    expect(linked.queue).toEqual([]);
    await second.sock.end(undefined);
  });
});

/** Corrupts a key in the client's session with the phone, so that the next message in one direction fails. */
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
