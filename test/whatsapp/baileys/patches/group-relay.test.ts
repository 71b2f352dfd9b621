import { initAuthCreds, proto, WAMessageAddressingMode } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { createCaches } from '../../../../src/whatsapp/baileys/caches.ts';
import { patchGroupRelay } from '../../../../src/whatsapp/baileys/patches/group-relay.ts';
import { patchMissingKeys } from '../../../../src/whatsapp/baileys/patches/missing-keys.ts';
import { createSignalRepository } from '../../../../src/whatsapp/baileys/socket.ts';
import { childOf, childrenOf, type Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import type { GroupMetadata, Socket } from '../../../../src/whatsapp/baileys/types.ts';
import { FakeKeys } from '../../../support/session-fakes.ts';
import { openRecordedSocket, useSilentServer } from '../recorded-socket.ts';

const GROUP = '120363000000000001@g.us';
const ME = { id: '15550001001:7@s.whatsapp.net', lid: '111111111111:7@lid', name: 'Shop' };
/** Device numbers of the members, by the user part of their LIDs. The list lacks the account's own device. */
const DEVICES: Record<string, number[]> = { '111111111111': [0], '222222222222': [0, 3], '333333333333': [0, 99] };
/** The devices that get the sender key. Device 99 is hosted by WhatsApp and gets none. */
const RECIPIENTS = ['111111111111@lid', '222222222222@lid', '222222222222:3@lid', '333333333333@lid'];

const createMetadata = (changes: Partial<GroupMetadata> = {}): GroupMetadata => ({
  id: GROUP,
  subject: 'Team',
  owner: undefined,
  addressingMode: WAMessageAddressingMode.LID,
  participants: Object.keys(DEVICES).map((user) => ({ id: `${user}@lid` })),
  ...changes,
});

useSilentServer();

interface OpenOptions {
  isPatched: boolean;
  group?: GroupMetadata;
  /** The devices that have the sender key. */
  recipients?: readonly string[];
  /** Called before WhatsApp answers a query for keys. */
  onKeyQuery?: (caches: ReturnType<ReturnType<typeof createCaches>>) => void;
}

/** Returns WhatsApp's answer to a query for keys, in which no device has keys. */
function answerWithoutKeys(query: Stanza): Stanza | undefined {
  if (query.attrs.xmlns !== 'encrypt') return undefined;
  const error: Stanza = { tag: 'error', attrs: { code: '404', text: 'item-not-found' } };
  const users = childrenOf(childOf(query, 'key'), 'user').map(({ attrs }) => ({
    tag: 'user',
    attrs,
    content: [error],
  }));
  return { tag: 'iq', attrs: { type: 'result' }, content: [{ tag: 'list', attrs: {}, content: users }] };
}

/** Opens a socket whose frames are recorded in plain text, because its handshake has not taken place. */
async function openSocket({ isPatched, group = createMetadata(), recipients = RECIPIENTS, onKeyQuery }: OpenOptions) {
  const stored = new FakeKeys();
  stored.credsRow = encodeCreds({ ...initAuthCreds(), me: ME, account: { details: Buffer.of(1) } });
  const auth = await AuthState.open({
    keys: stored,
    instanceId: 'one',
    onFailure: (error) => expect.unreachable(String(error)),
  });
  const list = Object.fromEntries(recipients.map((jid) => [jid, true]));
  await auth.set({ 'sender-key-memory': { [GROUP]: list } });
  const caches = createCaches()('one');
  for (const [user, numbers] of Object.entries(DEVICES)) {
    caches.userDevicesCache.set(
      user,
      numbers.map((device) => ({ user, server: 'lid', device })),
    );
  }
  const current = { group, list: list as Record<string, boolean> | undefined };
  const config = {
    ...caches,
    auth: auth.state,
    defaultQueryTimeoutMs: 50,
    cachedGroupMetadata: async () => current.group,
    makeSignalRepository: createSignalRepository,
  };
  const { socket, stanzas, close } = openRecordedSocket(config, (query) => {
    if (query.attrs.xmlns === 'encrypt') onKeyQuery?.(caches);
    return answerWithoutKeys(query);
  });
  patchMissingKeys(socket);
  /** Ids of the messages that Baileys' own function gets. */
  const leftToBaileys: (string | undefined)[] = [];
  const { relayMessage } = socket;
  socket.relayMessage = (jid, message, options) => {
    leftToBaileys.push(options.messageId);
    return relayMessage(jid, message, options);
  };
  if (isPatched) {
    patchGroupRelay(socket, {
      group: async () => current.group,
      senderKeyDevices: async () => current.list,
      deviceLists: caches.userDevicesCache,
    });
  }
  return { socket, caches, current, leftToBaileys, stanzas: () => stanzas('message'), close };
}

type OpenSocket = Awaited<ReturnType<typeof openSocket>>;

/** Opens an account that sends, and a member with its sender key. `decrypt` decrypts a message as the member. */
async function withSender(
  options: OpenOptions,
  use: (sender: OpenSocket, decrypt: (stanza: Stanza | undefined) => Promise<unknown>) => Promise<void>,
) {
  const authorJid = options.group?.addressingMode === 'pn' ? ME.id : ME.lid;
  const sender = await openSocket(options);
  const member = await openSocket({ isPatched: false });
  try {
    const key = await sender.socket.signalRepository.getSenderKeyDistributionMessage({ group: GROUP, meId: authorJid });
    await member.socket.signalRepository.processSenderKeyDistributionMessage({
      item: { groupId: GROUP, axolotlSenderKeyDistributionMessage: key },
      authorJid,
    });
    await use(sender, async (stanza) => {
      const content = childOf(stanza, 'enc')?.content;
      if (!(content instanceof Uint8Array)) throw new Error('no ciphertext');
      const padded = await member.socket.signalRepository.decryptGroupMessage({
        group: GROUP,
        authorJid,
        msg: content,
      });
      return proto.Message.decode(padded.subarray(0, padded.length - (padded.at(-1) ?? 0))).toJSON();
    });
  } finally {
    await Promise.all([sender.close(), member.close()]);
  }
}

const secret = { messageContextInfo: { messageSecret: Buffer.alloc(32, 5) } };
const biz: Stanza = { tag: 'biz', attrs: { actual_actors: '2' } };
const MESSAGES: [name: string, content: proto.IMessage, attributes?: Record<string, string>, nodes?: Stanza[]][] = [
  ['a text', { conversation: 'Hello', ...secret }],
  ['a picture', { imageMessage: { url: 'https://example.com', mimetype: 'image/png' }, ...secret }],
  ['a voice note', { audioMessage: { ptt: true }, ...secret }],
  ['a poll', { pollCreationMessageV3: { name: 'a' }, ...secret }],
  ['a reaction', { reactionMessage: { text: '👍' } }],
  ['a pin', { pinInChatMessage: { type: 1 } }, { edit: '2' }],
  ['a deletion', { protocolMessage: { type: 0, key: { id: 'A' } } }, { edit: '7' }],
  ['buttons', { interactiveMessage: { body: { text: 'a' } }, ...secret }, {}, [biz]],
];
const GROUPS: [name: string, group: GroupMetadata][] = [
  ['a group with LIDs', createMetadata()],
  ['a group with phone numbers', createMetadata({ addressingMode: WAMessageAddressingMode.PN })],
  ['a group with a timer', createMetadata({ ephemeralDuration: 86_400 })],
];

describe.each(GROUPS)('messages to %s', (_, group) => {
  it.each(
    MESSAGES,
  )('patchGroupRelay() sends %s as the same stanza as Baileys', async (_name, content, attributes, nodes) => {
    const options = { messageId: 'A1', additionalAttributes: attributes, additionalNodes: nodes };
    const results: unknown[] = [];
    for (const isPatched of [true, false]) {
      await withSender({ isPatched, group }, async ({ socket, leftToBaileys, stanzas }, decrypt) => {
        await socket.relayMessage(GROUP, content, structuredClone(options));
        const [stanza] = await stanzas();
        // The reporting token depends on random padding.
        const children = Array.isArray(stanza?.content) ? stanza.content.filter(({ tag }) => tag !== 'reporting') : [];
        results.push({
          attrs: stanza?.attrs,
          names: Object.keys(stanza?.attrs ?? {}),
          children: children.map(({ tag, attrs }) => ({ tag, attrs })),
          content: await decrypt(stanza),
        });
        expect(leftToBaileys).toEqual(isPatched ? [] : ['A1']);
      });
    }
    expect(results[0]).toEqual(results[1]);
  });
});

it('patchGroupRelay() encrypts with the stored sender key, without encryptGroupMessage() of Baileys', async () => {
  await withSender({ isPatched: true }, async ({ socket, stanzas }, decrypt) => {
    const encrypt = vi.spyOn(socket.signalRepository, 'encryptGroupMessage');
    for (const id of ['A1', 'A2']) await socket.relayMessage(GROUP, { conversation: id }, { messageId: id });
    const contents = [];
    for (const stanza of await stanzas()) contents.push(await decrypt(stanza));
    expect(contents).toEqual([{ conversation: 'A1' }, { conversation: 'A2' }]);
    expect(encrypt).not.toHaveBeenCalled();
  });
});

it('patchGroupRelay() encrypts simultaneous messages with different keys, in the order of their frames', async () => {
  await withSender({ isPatched: true }, async ({ socket, stanzas }, decrypt) => {
    const ids = ['A1', 'A2', 'A3', 'A4'];
    await Promise.all(ids.map((id) => socket.relayMessage(GROUP, { conversation: id }, { messageId: id })));
    const contents = [];
    for (const stanza of await stanzas()) contents.push([stanza.attrs.id, await decrypt(stanza)]);
    expect(contents).toEqual(ids.map((id) => [id, { conversation: id }]));
  });
});

it('patchGroupRelay() sends a message when the only device without the sender key has no Signal keys', async () => {
  const recipients = RECIPIENTS.filter((jid) => jid !== '222222222222:3@lid');
  await withSender({ isPatched: true, recipients }, async ({ socket, stanzas }, decrypt) => {
    const ids = ['A1', 'A2'];
    for (const id of ids) await socket.relayMessage(GROUP, { conversation: id }, { messageId: id });
    const contents = [];
    for (const stanza of await stanzas()) contents.push([stanza.attrs.id, await decrypt(stanza)]);
    expect(contents).toEqual(ids.map((id) => [id, { conversation: id }]));
  });
});

it('patchGroupRelay() does not count a device that is added during a key query as a holder of the sender key', async () => {
  const [deviceWithoutSenderKey, newDevice] = ['222222222222:3@lid', '222222222222:4@lid'];
  const options: OpenOptions = {
    isPatched: true,
    recipients: RECIPIENTS.filter((jid) => jid !== deviceWithoutSenderKey),
    onKeyQuery: ({ userDevicesCache }) => {
      const devices = [0, 3, 4].map((device) => ({ user: '222222222222', server: 'lid', device }));
      userDevicesCache.set('222222222222', devices);
    },
  };
  await withSender(options, async ({ socket, stanzas }) => {
    await socket.relayMessage(GROUP, { conversation: 'Hello' }, { messageId: 'A1' });
    expect(await stanzas()).toHaveLength(1);
    const { [GROUP]: holders } = await socket.authState.keys.get('sender-key-memory', [GROUP]);
    expect(holders).toHaveProperty([deviceWithoutSenderKey]);
    expect(holders).not.toHaveProperty([newDevice]);
  });
});

it('patchGroupRelay() rejects a message when no device has the sender key or Signal keys', async () => {
  await withSender({ isPatched: true, recipients: [] }, async ({ socket, stanzas }) => {
    const sent = socket.relayMessage(GROUP, { conversation: 'Hello' }, { messageId: 'A1' });
    await expect(sent).rejects.toThrow('All encryptions failed');
    expect(await stanzas()).toEqual([]);
  });
});

describe('messages that patchGroupRelay() leaves to Baileys', () => {
  const text = { conversation: 'Hello' };
  const device = (number: number) => ({ user: '222222222222', server: 'lid', device: number });
  const isLeftToBaileys = async (sender: OpenSocket, jid: string, options: Parameters<Socket['relayMessage']>[2]) => {
    await sender.socket.relayMessage(jid, text, options).catch(() => undefined);
    return sender.leftToBaileys.length > 0;
  };

  it.each<[string, Parameters<Socket['relayMessage']>[2]]>([
    ['a message to a single device', { messageId: 'A1', participant: { jid: '222222222222@lid', count: 1 } }],
    ['a message without an id', {}],
    ['a message that requires a group query', { messageId: 'A1', useCachedGroupMetadata: false }],
    ['a message that requires a device query', { messageId: 'A1', useUserDevicesCache: false }],
  ])('patchGroupRelay() leaves %s to Baileys', async (_, options) => {
    await withSender({ isPatched: true }, async (sender) => {
      expect(await isLeftToBaileys(sender, GROUP, options)).toBe(true);
    });
  });

  it('patchGroupRelay() leaves a message to a person to Baileys', async () => {
    await withSender({ isPatched: true }, async (sender) => {
      expect(await isLeftToBaileys(sender, '222222222222@lid', { messageId: 'A1' })).toBe(true);
    });
  });

  it('patchGroupRelay() leaves a message to a group in which a device lacks the sender key to Baileys', async () => {
    await withSender({ isPatched: true, recipients: RECIPIENTS.slice(1) }, async (sender) => {
      expect(await isLeftToBaileys(sender, GROUP, { messageId: 'A1' })).toBe(true);
    });
  });

  it.each<[string, (sender: OpenSocket) => void]>([
    ['a member has a new device', ({ caches }) => caches.userDevicesCache.set('222222222222', [device(0), device(4)])],
    ['the devices of a member are unknown', ({ caches }) => void caches.userDevicesCache.del('222222222222')],
    [
      'the group needs a new sender key',
      ({ current }) => {
        current.list = undefined;
      },
    ],
    [
      'the group has a new member',
      ({ current }) => {
        const participants = [...current.group.participants, { id: '444444444444@lid' }];
        current.group = createMetadata({ participants });
      },
    ],
  ])('patchGroupRelay() leaves the next message to Baileys when %s', async (_, change) => {
    await withSender({ isPatched: true }, async (sender) => {
      for (const messageId of ['A1', 'A2']) await sender.socket.relayMessage(GROUP, text, { messageId });
      expect(sender.leftToBaileys).toEqual([]);
      change(sender);
      expect(await isLeftToBaileys(sender, GROUP, { messageId: 'A3' })).toBe(true);
    });
  });
});
