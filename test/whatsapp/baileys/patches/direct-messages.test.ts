import { DEFAULT_CONNECTION_CONFIG, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds, encodeKey } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { patchArrivalOrder } from '../../../../src/whatsapp/baileys/patches/arrival-order.ts';
import { patchDirectMessages } from '../../../../src/whatsapp/baileys/patches/direct-messages.ts';
import { KnownPairs, withLidMappings } from '../../../../src/whatsapp/baileys/patches/lid-mapping.ts';
import type { Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { HistoryNotices } from '../../../../src/whatsapp/inbound/history-notices.ts';
import { InboundBuffer } from '../../../../src/whatsapp/inbound/inbound-buffer.ts';
import { FakeKeys, linkedCreds } from '../../../support/session-fakes.ts';
import { createEncryption, receivingRecord, senderIdentityKey } from '../one-chain-session.ts';
import { openRecordedSocket, useSilentServer } from '../recorded-socket.ts';

const LID = '222@lid';
const NUMBER = '5511900000002@s.whatsapp.net';
const ADDRESS = '222_1.0';

const creds = linkedCreds();

useSilentServer();

/** Returns a simulated device that sends messages to the account. All such devices send the same bytes. */
function createSender({ isAnswered = true } = {}) {
  const encrypt = createEncryption(creds, isAnswered);
  let count = 0;
  return {
    /** Returns the stanza of the next message. */
    say(content: proto.IMessage, attrs: Record<string, string | undefined> = {}): Stanza {
      const padded = Buffer.concat([proto.Message.encode(content).finish(), Buffer.from([1])]);
      const { type, ciphertext } = encrypt(padded);
      count += 1;
      const allAttrs = { id: `A${count}`, from: LID, sender_pn: NUMBER, t: '1767225600', notify: 'Ana', ...attrs };
      const definedAttrs = Object.entries(allAttrs).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      );
      const enc = { tag: 'enc', attrs: { v: '2', type }, content: ciphertext };
      return { tag: 'message', attrs: Object.fromEntries(definedAttrs), content: [enc] };
    },
  };
}

interface AccountOptions {
  isPatched: boolean;
  /** Replaces the load of a session when it returns a promise. `count` is the number of loads, this one included. */
  load?: (load: { count: number }) => Promise<void> | undefined;
}

/** Opens an account that has a session with the person. `isPatched` selects the patch or the listener of Baileys. */
async function openAccount({ isPatched, load }: AccountOptions) {
  const keys = new FakeKeys();
  keys.credsRow = encodeCreds(creds);
  keys.rows.set(`session|${ADDRESS}`, encodeKey('session', receivingRecord()));
  keys.rows.set(`identity-key|${ADDRESS}`, senderIdentityKey);
  const auth = await AuthState.open({
    keys,
    instanceId: 'one',
    onFailure: (error) => expect.unreachable(String(error)),
  });
  const inbound = await InboundBuffer.open(auth, new HistoryNotices(() => true), new Set());
  const pairs = new KnownPairs();
  const { socket, stanzas, close } = openRecordedSocket({
    auth: { creds: auth.creds, keys: auth.state.keys },
    makeSignalRepository: inbound.wrapRepository(
      withLidMappings(DEFAULT_CONNECTION_CONFIG.makeSignalRepository, auth, pairs),
    ),
  });
  const ended = new AbortController();
  const failures: unknown[] = [];
  let loadCount = 0;
  if (isPatched) {
    patchDirectMessages(socket, {
      ended: ended.signal,
      account: () => ({ jid: '5511900000001@s.whatsapp.net', lid: '111@lid' }),
      loadSession: (message) => load?.({ count: ++loadCount }) ?? inbound.loadSession(message),
      decryptAndKeep: (message) => inbound.decryptAndKeep(message),
      isSettled: (sender) => pairs.isSettled(sender),
      onReceiptFailure: (error) => failures.push(error),
    });
    patchArrivalOrder(socket);
  }
  socket.ws.prependListener('CB:message', (stanza: Stanza) => inbound.onStanza(stanza));
  const events: [name: string, value: unknown][] = [];
  const messageIds: string[] = [];
  socket.ev.on('messages.upsert', ({ messages }) =>
    messageIds.push(...messages.map((message) => message.key.id ?? '')),
  );
  socket.ev.on('messages.upsert', (upsert) => events.push(['messages.upsert', JSON.parse(JSON.stringify(upsert))]));
  socket.ev.on('contacts.update', (contacts) => events.push(['contacts.update', JSON.parse(JSON.stringify(contacts))]));
  socket.ev.on('chats.update', (chats) => events.push(['chats.update', chats.map(({ archived }) => archived)]));
  /** Number of messages that Baileys has handled. */
  let handledByBaileys = 0;
  const { mutex } = socket.messageMutex;
  socket.messageMutex.mutex = (handle) => {
    handledByBaileys += 1;
    return mutex(handle);
  };
  return {
    auth,
    keys,
    socket,
    ended,
    failures,
    events,
    messageIds,
    receipts: async () => (await stanzas('receipt')).map(({ attrs }) => attrs),
    handledByBaileys: () => handledByBaileys,
    /** Passes a message to the listeners of the socket. Resolves when it is handled. */
    async receive(stanza: Stanza): Promise<void> {
      const copy = structuredClone(stanza);
      for (const listener of socket.ws.listeners('CB:message')) await listener(copy);
      await new Promise(setImmediate);
    },
    async close() {
      await auth.waitForWrites();
      await close();
    },
  };
}

type Account = Awaited<ReturnType<typeof openAccount>>;

interface Case {
  content: proto.IMessage;
  attrs?: Record<string, string | undefined>;
  /** Changes the stanza, or the account that receives it. */
  change?: (stanza: Stanza, account: Account) => void;
  isAnswered?: boolean;
}

const text: proto.IMessage = { conversation: 'hello' };
const key = { remoteJid: LID, fromMe: false, id: 'B1' };
const NUMBER_ATTRS = { from: NUMBER, sender_pn: undefined, sender_lid: LID };

const PATCHED_MESSAGES: readonly (readonly [name: string, message: Case])[] = [
  ['a text of a LID', { content: text }],
  ['a text of a number', { content: text, attrs: NUMBER_ATTRS }],
  ['a text with the addressing mode', { content: text, attrs: { addressing_mode: 'lid' } }],
  ['a text of a person without a name', { content: text, attrs: { notify: undefined } }],
  ['a text of a person with a user name', { content: text, attrs: { recipient_username: 'ana.b' } }],
  ['a text before the first answer', { content: text, isAnswered: false }],
  [
    'a text with a message secret',
    { content: { ...text, messageContextInfo: { messageSecret: Buffer.alloc(32, 1) } } },
  ],
  [
    'a reply',
    { content: { extendedTextMessage: { text: 'yes', contextInfo: { stanzaId: 'B1', expiration: 86400 } } } },
  ],
  ['a picture', { content: { imageMessage: { caption: 'us', url: 'https://mmg.whatsapp.net/1', height: 9 } } }],
  ['a location', { content: { locationMessage: { degreesLatitude: 1.5, degreesLongitude: -2.5 } } }],
  [
    'a text while the account is online',
    { content: text, change: (_, { socket }) => void socket.ev.emit('connection.update', { isOnline: true }) },
  ],
  [
    'a text that unarchives its chat',
    {
      content: text,
      change: (_, { auth }) => {
        auth.creds.accountSettings = { unarchiveChats: true };
      },
    },
  ],
];

const OTHER_MESSAGES: readonly (readonly [name: string, message: Case])[] = [
  ['a reaction', { content: { reactionMessage: { key, text: '+' } } }],
  ['a deletion', { content: { protocolMessage: { type: proto.Message.ProtocolMessage.Type.REVOKE, key } } }],
  ['a view-once picture', { content: { viewOnceMessage: { message: { imageMessage: { caption: 'us' } } } } }],
  ['a text and a sender key', { content: { ...text, senderKeyDistributionMessage: { groupId: '1@g.us' } } }],
  ['an empty message', { content: {} }],
  ['a message of another kind', { content: { pollUpdateMessage: { pollCreationMessageKey: key } } }],
  ['a text of a person with a new number', { content: text, attrs: { sender_pn: '5511900000003@s.whatsapp.net' } }],
  ['a text of a hosted device', { content: text, attrs: { from: '222:99@lid' } }],
  ['a text without the other address', { content: text, attrs: { sender_pn: undefined } }],
  ['a text from the offline backlog', { content: text, attrs: { offline: '0' } }],
  ['a text in a group', { content: text, attrs: { from: '120363000000000001@g.us', participant: LID } }],
  ['a text of a business', { content: text, change: ({ content }) => addElement(content, 'verified_name') }],
  ['a text with two encrypted elements', { content: text, change: ({ content }) => addElement(content, 'enc') }],
  [
    'a text that was sent again',
    {
      content: text,
      change: ({ content }) => changeElement(content, ({ attrs }) => Object.assign(attrs, { count: '1' })),
    },
  ],
];

function addElement(content: Stanza['content'], tag: string): void {
  if (!Array.isArray(content)) throw new TypeError('no elements');
  const bytes = proto.VerifiedNameCertificate.encode({
    details: proto.VerifiedNameCertificate.Details.encode({ verifiedName: 'Shop' }).finish(),
  }).finish();
  content.push({ tag, attrs: { v: '2', type: 'none' }, content: Buffer.from(bytes) });
}

function changeElement(content: Stanza['content'], change: (element: Stanza) => void): void {
  if (!Array.isArray(content)) throw new TypeError('no elements');
  for (const element of content) change(element);
}

/** Returns the ids of the reported messages. */
const idsIn = ({ messageIds }: Account): readonly string[] => messageIds;

/** Receives a text, which makes the person known, and then the message of the case. Returns the results. */
async function exchange({ content, attrs, change, isAnswered }: Case, isPatched: boolean) {
  const sender = createSender({ isAnswered });
  const account = await openAccount({ isPatched });
  await account.receive(sender.say(text, attrs?.sender_lid ? NUMBER_ATTRS : {}));
  const before = account.handledByBaileys();
  const stanza = sender.say(content, attrs);
  change?.(stanza, account);
  await account.receive(stanza);
  const handledByBaileys = account.handledByBaileys() - before;
  const receipts = await account.receipts();
  const { events, failures } = account;
  await account.close();
  const session = account.keys.rows.get(`session|${ADDRESS}`);
  return { events, receipts, failures, handledByBaileys, session: JSON.parse(Buffer.from(session ?? []).toString()) };
}

/** Sorts events by name. Removes the chat updates that do not change `archived`, because the gateway ignores them. */
const sortedEvents = (events: readonly [name: string, value: unknown][]) =>
  events
    .filter(([, value]) => !Array.isArray(value) || !value.includes(undefined))
    .toSorted(([one], [other]) => one.localeCompare(other));

/** Encodes a session without the time of its last use. */
const withoutTimes = (session: unknown) => JSON.stringify(session).replaceAll(/"used":\d+/g, '');

describe('patchDirectMessages', () => {
  it.each(
    PATCHED_MESSAGES,
  )('patchDirectMessages() handles %s with the events, the receipt and the session of Baileys', async (_, message) => {
    const [patchedResult, baileysResult] = [await exchange(message, true), await exchange(message, false)];
    expect(patchedResult.handledByBaileys).toBe(0);
    expect(baileysResult.handledByBaileys).toBe(1);
    expect(sortedEvents(patchedResult.events)).toEqual(sortedEvents(baileysResult.events));
    expect(patchedResult.receipts).toEqual(baileysResult.receipts);
    expect(patchedResult.receipts).toHaveLength(2);
    expect(withoutTimes(patchedResult.session)).toBe(withoutTimes(baileysResult.session));
    expect(patchedResult.failures).toEqual([]);
  });

  it.each(OTHER_MESSAGES)('patchDirectMessages() leaves %s to Baileys', async (_, message) => {
    const [patchedResult, baileysResult] = [await exchange(message, true), await exchange(message, false)];
    expect(patchedResult.handledByBaileys).toBe(baileysResult.handledByBaileys);
    expect(patchedResult.events).toEqual(baileysResult.events);
    expect(patchedResult.receipts).toEqual(baileysResult.receipts);
  });

  it('patchDirectMessages() leaves a damaged message and the message after it to Baileys, which reports both', async () => {
    const sender = createSender();
    const account = await openAccount({ isPatched: true });
    await account.receive(sender.say(text));
    const damaged = sender.say(text);
    changeElement(damaged.content, (element) => {
      if (element.content instanceof Uint8Array) element.content = element.content.map((byte) => byte ^ 1);
    });
    await account.receive(damaged);
    await account.receive(sender.say({ conversation: 'next' }));
    await account.close();
    expect(idsIn(account)).toEqual(['A1', 'A2', 'A3']);
    expect(account.handledByBaileys()).toBe(3);
  });

  it('patchDirectMessages() waits for the Signal session of a message, and keeps later messages behind it', async () => {
    const sender = createSender();
    const loaded = Promise.withResolvers<void>();
    const account = await openAccount({
      isPatched: true,
      load: ({ count }) => (count === 1 ? loaded.promise : undefined),
    });
    await account.receive(sender.say(text));
    const receptions = [sender.say(text), sender.say(text)].map((stanza) => account.receive(stanza));
    await new Promise(setImmediate);
    expect(idsIn(account)).toEqual(['A1']);
    loaded.resolve();
    await Promise.all(receptions);
    await account.close();
    expect(idsIn(account)).toEqual(['A1', 'A2', 'A3']);
    expect(account.handledByBaileys()).toBe(1);
  });

  it('patchDirectMessages() does not let a message overtake a message that Baileys still handles', async () => {
    const sender = createSender();
    const account = await openAccount({ isPatched: true });
    await account.receive(sender.say(text));
    const other = Promise.withResolvers<void>();
    const handled = account.socket.messageMutex.mutex(() => other.promise);
    const received = account.receive(sender.say(text));
    await new Promise(setImmediate);
    expect(idsIn(account)).toEqual(['A1']);
    other.resolve();
    await Promise.all([handled, received]);
    await account.receive(sender.say(text));
    await account.close();
    expect(idsIn(account)).toEqual(['A1', 'A2', 'A3']);
    // Baileys handles the first two messages. The mutex also counts the task of this test.
    expect(account.handledByBaileys()).toBe(3);
  });

  it('patchDirectMessages() emits the buffered events before the message', async () => {
    const sender = createSender();
    const account = await openAccount({ isPatched: true });
    await account.receive(sender.say(text));
    account.socket.ev.buffer();
    account.socket.ev.emit('contacts.update', [{ id: '333@lid', notify: 'Eva' }]);
    await account.receive(sender.say(text));
    await account.close();
    expect(account.events.map(([name]) => name).slice(-3)).toEqual([
      'contacts.update',
      'messages.upsert',
      'contacts.update',
    ]);
  });

  it('patchDirectMessages() reports a message whose receipt cannot be sent, and calls onReceiptFailure', async () => {
    const sender = createSender();
    const account = await openAccount({ isPatched: true });
    await account.receive(sender.say(text));
    account.socket.sendRawMessage = () => Promise.reject(new Error('the connection is lost'));
    await account.receive(sender.say(text));
    await account.close();
    expect(idsIn(account)).toEqual(['A1', 'A2']);
    expect(account.failures.map(String)).toEqual(['Error: the connection is lost']);
  });

  it('patchDirectMessages() leaves messages to Baileys after the end of the session', async () => {
    const sender = createSender();
    const account = await openAccount({ isPatched: true });
    await account.receive(sender.say(text));
    account.ended.abort();
    await account.receive(sender.say(text));
    await account.close();
    expect(account.handledByBaileys()).toBe(2);
  });
});
