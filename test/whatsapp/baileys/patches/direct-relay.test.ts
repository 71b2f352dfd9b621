import { initAuthCreds, type proto } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, type SignalStorage } from 'libsignal';
import { describe, expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { DeviceSessions } from '../../../../src/whatsapp/baileys/auth/device-sessions.ts';
import { SessionSetup } from '../../../../src/whatsapp/baileys/auth/session-setup.ts';
import { createCaches } from '../../../../src/whatsapp/baileys/caches.ts';
import { patchDirectRelay } from '../../../../src/whatsapp/baileys/patches/direct-relay.ts';
import { withNewSessions } from '../../../../src/whatsapp/baileys/patches/new-sessions.ts';
import { createSignalRepository } from '../../../../src/whatsapp/baileys/socket.ts';
import { allChildrenOf, childOf, childrenOf, type Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { StanzaQueries } from '../../../../src/whatsapp/baileys/stanza-query.ts';
import { FakeKeys } from '../../../support/session-fakes.ts';
import { createDevice, type Receiver, toKeyNode, toPair } from '../contact-device.ts';
import { openRecordedSocket, useSilentServer } from '../recorded-socket.ts';

const ME = { pn: '15550001001', lid: '111111111111', device: 7 };
const FRIEND = { pn: '15550001002', lid: '222222222222' };
const FRIEND_PN = `${FRIEND.pn}@s.whatsapp.net`;
const FRIEND_LID = `${FRIEND.lid}@lid`;

/** The Signal addresses of the devices that get a message. */
const DEVICES = [`${ME.lid}_1.0`, `${FRIEND.lid}_1.0`, `${FRIEND.lid}_1.3`];

const createCreds = () => ({
  ...initAuthCreds(),
  me: { id: `${ME.pn}:${ME.device}@s.whatsapp.net`, lid: `${ME.lid}:${ME.device}@lid`, name: 'Shop' },
  account: {
    details: Buffer.from([1]),
    accountSignature: Buffer.from([2]),
    accountSignatureKey: Buffer.from([3]),
    deviceSignature: Buffer.from([4]),
  },
});

/** Creates the stored keys of an account that has sessions with DEVICES. */
async function createAccount() {
  const ownCreds = createCreds();
  const devices = DEVICES.map(() => createDevice());
  const sessions: Record<string, unknown> = {};
  for (const [index, address] of DEVICES.entries()) {
    const storage: SignalStorage = {
      loadSession: async () => undefined,
      storeSession: async (_, record) => {
        sessions[address] = JSON.parse(JSON.stringify(record.serialize()));
      },
      isTrustedIdentity: () => true,
      loadPreKey: async () => undefined,
      removePreKey: () => undefined,
      loadSignedPreKey: () => toPair(ownCreds.signedPreKey.keyPair),
      getOurRegistrationId: () => ownCreds.registrationId,
      getOurIdentity: () => toPair(ownCreds.signedIdentityKey),
    };
    const bundle = devices[index]?.bundle;
    if (bundle) await new SessionBuilder(storage, new ProtocolAddress('device', 0)).initOutgoing(bundle);
  }
  return { creds: ownCreds, devices, sessions };
}

type AccountKeys = Awaited<ReturnType<typeof createAccount>>;

useSilentServer();

const DEVICE_LISTS: Record<string, { user: string; server: string; device: number }[]> = {
  [ME.pn]: [{ user: ME.pn, server: 's.whatsapp.net', device: 0 }],
  [ME.lid]: [{ user: ME.lid, server: 'lid', device: 0 }],
  [FRIEND.pn]: [0, 3].map((number) => ({ user: FRIEND.pn, server: 's.whatsapp.net', device: number })),
  [FRIEND.lid]: [0, 3].map((number) => ({ user: FRIEND.lid, server: 'lid', device: number })),
};

const deviceListNode: Stanza = {
  tag: 'devices',
  attrs: {},
  content: [
    {
      tag: 'device-list',
      attrs: {},
      content: [
        { tag: 'device', attrs: { id: '0' } },
        { tag: 'device', attrs: { id: '3', 'key-index': '1' } },
      ],
    },
  ],
};

/** Returns WhatsApp's answer to a query for devices or keys; undefined for other stanzas. */
function answerTo(query: Stanza, { devices }: AccountKeys): Stanza | undefined {
  if (query.tag !== 'iq') return undefined;
  const usync = childOf(query, 'usync');
  const result = (content: Stanza[]): Stanza => ({ tag: 'iq', attrs: { type: 'result' }, content });
  if (usync) {
    const users = childrenOf(childOf(usync, 'list'), 'user').map(({ attrs }): Stanza => {
      const isNumber = attrs.jid?.endsWith('@s.whatsapp.net');
      const lid = isNumber ? [{ tag: 'lid', attrs: { val: FRIEND_LID } }] : [];
      return { tag: 'user', attrs, content: [deviceListNode, ...lid] };
    });
    return result([{ tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users }] }]);
  }
  const users = childrenOf(childOf(query, 'key'), 'user').map(({ attrs }) => {
    const friend = devices[attrs.jid?.includes(':3@') ? 2 : 1];
    if (!friend) throw new Error('no such device');
    return toKeyNode(attrs.jid, friend);
  });
  return result([{ tag: 'list', attrs: {}, content: users }]);
}

interface OpenOptions {
  isPatched: boolean;
  token?: object;
  /** True when neither the devices nor the sessions of the friend are known. */
  isFirstContact?: boolean;
  /** Called before WhatsApp answers a query. May return the answer. */
  onQuery?: (query: Stanza) => Stanza | undefined;
}

/** Opens a socket whose frames are recorded in plain text, because its handshake has not taken place. */
async function openSocket(account: AccountKeys, { isPatched, token, isFirstContact = false, onQuery }: OpenOptions) {
  const stored = new FakeKeys();
  stored.credsRow = encodeCreds(account.creds);
  const auth = await AuthState.open({
    keys: stored,
    instanceId: 'one',
    onFailure: (error) => expect.unreachable(String(error)),
  });
  const write: object = {
    session: Object.fromEntries(
      Object.entries(structuredClone(account.sessions)).filter(
        ([address]) => !isFirstContact || address.startsWith(ME.lid),
      ),
    ),
    'lid-mapping': {
      [ME.pn]: ME.lid,
      [FRIEND.pn]: FRIEND.lid,
      [`${ME.lid}_reverse`]: ME.pn,
      [`${FRIEND.lid}_reverse`]: FRIEND.pn,
    },
    ...(token ? { tctoken: { [FRIEND_LID]: token } } : {}),
  };
  await auth.set(write);
  const caches = createCaches()('one');
  for (const [user, list] of Object.entries(DEVICE_LISTS)) {
    const isKnown = !isFirstContact || user === ME.pn || user === ME.lid;
    if (isKnown) caches.userDevicesCache.set(user, list);
  }
  const sessions = new DeviceSessions(auth);
  const { socket, stanzas, close } = openRecordedSocket(
    {
      ...caches,
      auth: auth.state,
      enableRecentMessageCache: true,
      makeSignalRepository: isPatched ? withNewSessions(createSignalRepository, sessions) : createSignalRepository,
    },
    (stanza) => {
      if (!isFirstContact) return undefined;
      return (stanza.tag === 'iq' && onQuery?.(stanza)) || answerTo(stanza, account);
    },
  );
  if (isPatched) {
    const queries = new StanzaQueries(socket);
    const sessionSetup = new SessionSetup({ socket, queries, sessions });
    patchDirectRelay(socket, { auth, sessions, sessionSetup, queries, deviceLists: caches.userDevicesCache });
  }
  return { socket, auth, caches, stanzas, close };
}

/** Decrypts a message stanza. Returns it without ciphertexts, paddings and the reporting token. */
async function readMessage(stanza: Stanza | undefined, receivers: readonly Receiver[]) {
  const children = allChildrenOf(stanza).filter(({ tag }) => tag !== 'reporting');
  const recipients = allChildrenOf(childOf(stanza, 'participants'));
  const contents = [];
  for (const [index, recipient] of recipients.entries()) {
    const enc = childOf(recipient, 'enc');
    const content = enc && (await receivers[index]?.(enc));
    contents.push({ to: recipient.attrs, enc: enc?.attrs, content: content?.toJSON() });
  }
  return {
    attrs: stanza?.attrs,
    names: Object.keys(stanza?.attrs ?? {}),
    children: children.map(({ tag, attrs, content }) => ({
      tag,
      attrs,
      content: tag === 'participants' ? '' : content,
    })),
    contents,
  };
}

/** Returns the JIDs of the devices for which a message stanza is encrypted. */
const recipientsOf = (message: Stanza | undefined) =>
  allChildrenOf(childOf(message, 'participants')).map(({ attrs }) => attrs.jid);

const secret = { messageContextInfo: { messageSecret: Buffer.alloc(32, 5) } };
const MESSAGES: [name: string, content: proto.IMessage, attributes?: Record<string, string>][] = [
  ['a text', { conversation: 'Hello', ...secret }],
  ['an extended text', { extendedTextMessage: { text: 'Hello', contextInfo: { expiration: 86_400 } }, ...secret }],
  ['a picture', { imageMessage: { url: 'https://example.com', mimetype: 'image/png' }, ...secret }],
  ['a video', { videoMessage: { mimetype: 'video/mp4' }, ...secret }],
  ['a GIF', { videoMessage: { gifPlayback: true }, ...secret }],
  ['audio', { audioMessage: { seconds: 3 }, ...secret }],
  ['a voice note', { audioMessage: { ptt: true }, ...secret }],
  ['a contact', { contactMessage: { displayName: 'Ana' }, ...secret }],
  ['contacts', { contactsArrayMessage: { contacts: [] }, ...secret }],
  ['a document', { documentMessage: { fileName: 'a.pdf' }, ...secret }],
  ['a live location', { liveLocationMessage: { degreesLatitude: 1 }, ...secret }],
  ['a location', { locationMessage: { degreesLatitude: 1 }, ...secret }],
  ['a sticker', { stickerMessage: { mimetype: 'image/webp' }, ...secret }],
  ['a list', { listMessage: { title: 'a' }, ...secret }],
  ['a list response', { listResponseMessage: { title: 'a' }, ...secret }],
  ['a button response', { buttonsResponseMessage: { contextInfo: {} }, ...secret }],
  ['an order', { orderMessage: { orderId: 'a' }, ...secret }],
  ['a product', { productMessage: { body: 'a' }, ...secret }],
  ['a flow response', { interactiveResponseMessage: { contextInfo: {} }, ...secret }],
  ['an invitation', { groupInviteMessage: { groupName: 'a' }, ...secret }],
  ['a poll', { pollCreationMessageV3: { name: 'a' }, ...secret }],
  ['a vote', { pollUpdateMessage: { senderTimestampMs: 1 } }],
  ['an event', { eventMessage: { name: 'a' }, ...secret }],
  ['a reaction', { reactionMessage: { text: '👍' } }],
  ['a pin', { pinInChatMessage: { type: 1 } }, { edit: '2' }],
  ['a deletion', { protocolMessage: { type: 0, key: { id: 'A' } } }, { edit: '7' }],
  ['a picture to view once', { viewOnceMessageV2: { message: { imageMessage: { viewOnce: true } } }, ...secret }],
  ['a disappearing text', { ephemeralMessage: { message: { conversation: 'a' } }, ...secret }],
];

describe.each([FRIEND_PN, FRIEND_LID])('messages to %s', (jid) => {
  it.each(MESSAGES)('patchDirectRelay() sends %s as the same stanza as Baileys', async (_, content, attributes) => {
    const account = await createAccount();
    const options = {
      messageId: '3EB0AABBCCDDEEFF001122',
      additionalAttributes: { ...attributes, addressing_mode: 'pn' },
      additionalNodes: [{ tag: 'meta', attrs: { polltype: 'creation' } }],
    };
    const token = {
      token: Buffer.from('token'),
      timestamp: String(Math.floor(Date.now() / 1000)),
      senderTimestamp: 2 ** 32,
    };
    const results = [];
    for (const isPatched of [false, true]) {
      const { socket, stanzas, close } = await openSocket(account, { isPatched, token });
      try {
        expect(await socket.relayMessage(jid, content, options)).toBe(options.messageId);
        await socket.relayMessage(jid, content, options);
        const messages = await stanzas('message');
        expect(messages).toHaveLength(2);
        const receivers = account.devices.map(({ receiver }) => receiver());
        const [first, second] = messages;
        results.push([await readMessage(first, receivers), await readMessage(second, receivers)]);
      } finally {
        await close();
      }
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[1]?.[0]?.contents).toHaveLength(3);
  });
});

/**
 * Returns the namespaces of the queries before a first message. For a number, Baileys queries the keys of the LID as
 * soon as the LID is known, and then the keys of all devices.
 */
const expectedQueries = (jid: string) => (jid === FRIEND_LID ? ['usync', 'encrypt'] : ['usync', 'encrypt', 'encrypt']);

/** A token record in which the account has already issued its token, so that no query follows a message. */
const TOKEN = { token: Buffer.from('token'), timestamp: '1', senderTimestamp: 2 ** 32 };

describe.each([FRIEND_PN, FRIEND_LID])('first messages to %s', (jid) => {
  it('patchDirectRelay() sends the stanza of Baileys as first message, after one device query and the key queries', async () => {
    const account = await createAccount();
    const options = { messageId: '3EB0AABBCCDDEEFF001122', additionalAttributes: { addressing_mode: 'pn' } };
    const results = [];
    let queries: Stanza[] = [];
    for (const isPatched of [false, true]) {
      const { socket, stanzas, close } = await openSocket(account, { isPatched, token: TOKEN, isFirstContact: true });
      try {
        await socket.relayMessage(jid, { conversation: 'Hello', ...secret }, options);
        await socket.relayMessage(jid, { conversation: 'again', ...secret }, options);
        const receivers = account.devices.map(({ receiver }) => receiver());
        const messages = await stanzas('message');
        results.push([await readMessage(messages[0], receivers), await readMessage(messages[1], receivers)]);
        queries = await stanzas('iq');
      } finally {
        await close();
      }
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[1]?.[0]?.contents.map(({ content }) => content)).toEqual([
      { deviceSentMessage: { destinationJid: jid, message: expect.anything() }, messageContextInfo: expect.anything() },
      expect.objectContaining({ conversation: 'Hello' }),
      expect.objectContaining({ conversation: 'Hello' }),
    ]);
    expect(queries.map(({ attrs: { xmlns } }) => xmlns)).toEqual(expectedQueries(jid));
  });

  it('patchDirectRelay() queries devices and keys once when several first messages are sent at the same time', async () => {
    const account = await createAccount();
    const { socket, stanzas, close } = await openSocket(account, {
      isPatched: true,
      token: TOKEN,
      isFirstContact: true,
    });
    try {
      const ids = ['A', 'B', 'C'];
      await Promise.all(
        ids.map((messageId) => socket.relayMessage(jid, { conversation: messageId, ...secret }, { messageId })),
      );
      const queries = await stanzas('iq');
      expect(queries.map(({ attrs: { xmlns } }) => xmlns)).toEqual(expectedQueries(jid));
      // The send queue of the chat keeps the order.
      expect((await stanzas('message')).map(({ attrs }) => attrs.id).sort()).toEqual(ids);
    } finally {
      await close();
    }
  });
});

it('patchDirectRelay() rejects a message when WhatsApp returns no device of the recipient', async () => {
  const noDevices: Stanza = { tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content: [] }] };
  const { socket, stanzas, close } = await openSocket(await createAccount(), {
    isPatched: true,
    token: TOKEN,
    isFirstContact: true,
    onQuery: (query) =>
      childOf(query, 'usync') ? { tag: 'iq', attrs: { type: 'result' }, content: [noDevices] } : undefined,
  });
  try {
    const sent = socket.relayMessage(FRIEND_LID, { conversation: 'Hello' }, { messageId: 'A' });
    await expect(sent).rejects.toThrow('All encryptions failed');
    expect(await stanzas('message')).toEqual([]);
  } finally {
    await close();
  }
});

it('patchDirectRelay() reaches devices whose sessions are evicted from memory during a key query', async () => {
  const account = await createAccount();
  const session = (address: string) => ({ [address]: structuredClone(account.sessions[`${FRIEND.lid}_1.0`]) });
  let onQuery = (): undefined => undefined;
  const { socket, auth, stanzas, close } = await openSocket(account, {
    isPatched: true,
    token: TOKEN,
    isFirstContact: true,
    onQuery: () => onQuery(),
  });
  try {
    await auth.set({ session: session(`${FRIEND.lid}_1.0`) } as never);
    await auth.waitForWrites();
    // As many sessions with other people as fit in memory.
    const otherSessions = Array.from({ length: 128 }, (_, index) => session(`333${index}_1.0`));
    onQuery = () => void auth.set({ session: Object.assign({}, ...otherSessions) });
    await socket.relayMessage(FRIEND_LID, { conversation: 'Hello' }, { messageId: 'A' });
    const [message] = await stanzas('message');
    expect(recipientsOf(message)).toEqual([`${ME.lid}@lid`, FRIEND_LID, `${FRIEND.lid}:3@lid`]);
  } finally {
    await close();
  }
});

it('patchDirectRelay() reaches a device whose session is removed during a key query', async () => {
  const account = await createAccount();
  const address = `${FRIEND.lid}_1.0`;
  let onKeyQuery = () => {};
  const { socket, auth, stanzas, close } = await openSocket(account, {
    isPatched: true,
    token: TOKEN,
    isFirstContact: true,
    onQuery: ({ attrs }) => {
      if (attrs.xmlns === 'encrypt') onKeyQuery();
    },
  });
  try {
    await auth.set({ session: { [address]: structuredClone(account.sessions[address]) } } as never);
    onKeyQuery = () => {
      onKeyQuery = () => {};
      void auth.set({ session: { [address]: null } });
    };
    await socket.relayMessage(FRIEND_LID, { conversation: 'Hello' }, { messageId: 'A' });
    const [message] = await stanzas('message');
    expect(recipientsOf(message)).toEqual([`${ME.lid}@lid`, FRIEND_LID, `${FRIEND.lid}:3@lid`]);
  } finally {
    await close();
  }
});
