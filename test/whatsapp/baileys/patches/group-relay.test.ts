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
import { FakeKeys } from '../../fakes.ts';
import { openRecordedSocket, useSilentServer } from '../recorded-socket.ts';

const GROUP = '120363000000000001@g.us';
const ME = { id: '15550001001:7@s.whatsapp.net', lid: '111111111111:7@lid', name: 'Shop' };
/** Numbers of the devices of the members, by the user part of their LIDs. The account's own device is not in the list. */
const DEVICES: Record<string, number[]> = { '111111111111': [0], '222222222222': [0, 3], '333333333333': [0, 99] };
/** The devices that get the sender key. Device 99 is hosted by WhatsApp and gets none. */
const RECIPIENTS = ['111111111111@lid', '222222222222@lid', '222222222222:3@lid', '333333333333@lid'];

const metadata = (changes: Partial<GroupMetadata> = {}): GroupMetadata => ({
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

/** WhatsApp's answer to a query for keys: no device has keys. */
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
async function open({ isPatched, group = metadata(), recipients = RECIPIENTS, onKeyQuery }: OpenOptions) {
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

type Opened = Awaited<ReturnType<typeof open>>;

/** Passes a sender with the account's sender key to `use`, with a function that decrypts a message as a member does. */
async function withSender(
  options: OpenOptions,
  use: (sender: Opened, decrypt: (stanza: Stanza | undefined) => Promise<unknown>) => Promise<void>,
) {
  const authorJid = options.group?.addressingMode === 'pn' ? ME.id : ME.lid;
  const sender = await open(options);
  const member = await open({ isPatched: false });
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
  ['a group with LIDs', metadata()],
  ['a group with phone numbers', metadata({ addressingMode: WAMessageAddressingMode.PN })],
  ['a group with a timer', metadata({ ephemeralDuration: 86_400 })],
];

describe.each(GROUPS)('to %s', (_, group) => {
  it.each(MESSAGES)('%s has the stanza of Baileys', async (_name, content, attributes, nodes) => {
    const options = { messageId: 'A1', additionalAttributes: attributes, additionalNodes: nodes };
    const seen: unknown[] = [];
    for (const isPatched of [true, false]) {
      await withSender({ isPatched, group }, async ({ socket, leftToBaileys, stanzas }, decrypt) => {
        await socket.relayMessage(GROUP, content, structuredClone(options));
        const [stanza] = await stanzas();
        // The reporting token depends on random padding.
        const children = Array.isArray(stanza?.content) ? stanza.content.filter(({ tag }) => tag !== 'reporting') : [];
        seen.push({
          attrs: stanza?.attrs,
          names: Object.keys(stanza?.attrs ?? {}),
          children: children.map(({ tag, attrs }) => ({ tag, attrs })),
          content: await decrypt(stanza),
        });
        expect(leftToBaileys).toEqual(isPatched ? [] : ['A1']);
      });
    }
    expect(seen[0]).toEqual(seen[1]);
  });
});

it('a message is encrypted with the stored sender key, which Baileys does not parse', async () => {
  await withSender({ isPatched: true }, async ({ socket, stanzas }, decrypt) => {
    const encrypt = vi.spyOn(socket.signalRepository, 'encryptGroupMessage');
    for (const id of ['A1', 'A2']) await socket.relayMessage(GROUP, { conversation: id }, { messageId: id });
    const contents = [];
    for (const stanza of await stanzas()) contents.push(await decrypt(stanza));
    expect(contents).toEqual([{ conversation: 'A1' }, { conversation: 'A2' }]);
    expect(encrypt).not.toHaveBeenCalled();
  });
});

it('messages at the same time have different keys, in the order of their frames', async () => {
  await withSender({ isPatched: true }, async ({ socket, stanzas }, decrypt) => {
    const ids = ['A1', 'A2', 'A3', 'A4'];
    await Promise.all(ids.map((id) => socket.relayMessage(GROUP, { conversation: id }, { messageId: id })));
    const contents = [];
    for (const stanza of await stanzas()) contents.push([stanza.attrs.id, await decrypt(stanza)]);
    expect(contents).toEqual(ids.map((id) => [id, { conversation: id }]));
  });
});

it('a message is sent to the other devices when the only device without the sender key has no keys', async () => {
  const recipients = RECIPIENTS.filter((jid) => jid !== '222222222222:3@lid');
  await withSender({ isPatched: true, recipients }, async ({ socket, stanzas }, decrypt) => {
    const ids = ['A1', 'A2'];
    for (const id of ids) await socket.relayMessage(GROUP, { conversation: id }, { messageId: id });
    const contents = [];
    for (const stanza of await stanzas()) contents.push([stanza.attrs.id, await decrypt(stanza)]);
    expect(contents).toEqual(ids.map((id) => [id, { conversation: id }]));
  });
});

it('a device that is added while the keys of another device are queried gets the sender key later', async () => {
  const [lacking, added] = ['222222222222:3@lid', '222222222222:4@lid'];
  const options: OpenOptions = {
    isPatched: true,
    recipients: RECIPIENTS.filter((jid) => jid !== lacking),
    onKeyQuery: ({ userDevicesCache }) => {
      const devices = [0, 3, 4].map((device) => ({ user: '222222222222', server: 'lid', device }));
      userDevicesCache.set('222222222222', devices);
    },
  };
  await withSender(options, async ({ socket, stanzas }) => {
    await socket.relayMessage(GROUP, { conversation: 'Hello' }, { messageId: 'A1' });
    expect(await stanzas()).toHaveLength(1);
    const { [GROUP]: holders } = await socket.authState.keys.get('sender-key-memory', [GROUP]);
    expect(holders).toHaveProperty([lacking]);
    expect(holders).not.toHaveProperty([added]);
  });
});

it('a message is refused when no device has the sender key or keys', async () => {
  await withSender({ isPatched: true, recipients: [] }, async ({ socket, stanzas }) => {
    const sent = socket.relayMessage(GROUP, { conversation: 'Hello' }, { messageId: 'A1' });
    await expect(sent).rejects.toThrow('All encryptions failed');
    expect(await stanzas()).toEqual([]);
  });
});

describe('Baileys sends', () => {
  const text = { conversation: 'Hello' };
  const device = (number: number) => ({ user: '222222222222', server: 'lid', device: number });
  const isLeft = async (sender: Opened, jid: string, options: Parameters<Socket['relayMessage']>[2]) => {
    await sender.socket.relayMessage(jid, text, options).catch(() => undefined);
    return sender.leftToBaileys.length > 0;
  };

  it.each<[string, Parameters<Socket['relayMessage']>[2]]>([
    ['a message to a single device', { messageId: 'A1', participant: { jid: '222222222222@lid', count: 1 } }],
    ['a message without an id', {}],
    ['a message that asks for the group', { messageId: 'A1', useCachedGroupMetadata: false }],
    ['a message that asks for the devices', { messageId: 'A1', useUserDevicesCache: false }],
  ])('%s', async (_, options) => {
    await withSender({ isPatched: true }, async (sender) => {
      expect(await isLeft(sender, GROUP, options)).toBe(true);
    });
  });

  it('a message to a person', async () => {
    await withSender({ isPatched: true }, async (sender) => {
      expect(await isLeft(sender, '222222222222@lid', { messageId: 'A1' })).toBe(true);
    });
  });

  it('a message to a group in which a device lacks the sender key', async () => {
    await withSender({ isPatched: true, recipients: RECIPIENTS.slice(1) }, async (sender) => {
      expect(await isLeft(sender, GROUP, { messageId: 'A1' })).toBe(true);
    });
  });

  it.each<[string, (sender: Opened) => void]>([
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
        current.group = metadata({ participants });
      },
    ],
  ])('a message after others when %s', async (_, change) => {
    await withSender({ isPatched: true }, async (sender) => {
      for (const messageId of ['A1', 'A2']) await sender.socket.relayMessage(GROUP, text, { messageId });
      expect(sender.leftToBaileys).toEqual([]);
      change(sender);
      expect(await isLeft(sender, GROUP, { messageId: 'A3' })).toBe(true);
    });
  });
});
