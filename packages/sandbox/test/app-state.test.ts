import { type Chat, type ChatModification, proto } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, pair } from '../../../test/support/client.ts';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { encryptFile } from '../src/crypto/media-cipher.ts';
import { createMediaHost, type MediaHost } from '../src/media/media-host.ts';
import { createStarPatch, PhoneAppState, type SyncedEntry } from '../src/phone/app-state.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { AppStatePatches } from '../src/world/app-state.ts';
import { Faults } from '../src/world/faults.ts';
import type { Account } from '../src/world/model.ts';
import { createWorld, pnJid } from '../src/world/world.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let nextNumber = 15_550_007_001;
let account: Account;
let friend: string;
let client: Client;

const CHECK_MACS = { appStateMacVerification: { patch: true, snapshot: true } };

silenceConsole();
beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterAll(() => sandbox.close());
/** Creates a number and a friend for each test, and links a client to the number. */
function linkClientBeforeEach(): void {
  beforeEach(async () => {
    account = sandbox.world.account(String(nextNumber++));
    friend = pnJid(sandbox.world.account(String(nextNumber++)));
    client = await pair(sandbox, account.number, CHECK_MACS);
    await client.event(
      'messaging-history.set',
      ({ syncType }) => syncType === proto.HistorySync.HistorySyncType.RECENT,
    );
  });
}
afterEach(() => expect(sandbox.unanswered).toEqual([]));

const isAbout = (index: string) => (entry: { index: string[] }) => entry.index[0] === index;

describe('app state changes by a phone', () => {
  linkClientBeforeEach();

  it('a phone sends the name of a contact to its client', async () => {
    const received = client.event('contacts.upsert');
    await sandbox.phones.phoneAppState.change(account, { contact: { fullName: 'Ada' } }, friend);
    expect(await received).toMatchObject([{ id: friend, name: 'Ada' }]);
  });

  it('a phone informs its client that a chat is pinned, muted, archived or unread', async () => {
    const key = { remoteJid: friend, fromMe: false, id: 'A' };
    const lastMessages = [{ key, messageTimestamp: sandbox.world.now() }];
    const changes: [ChatModification, (chat: Partial<Chat>) => boolean][] = [
      [{ pin: true }, ({ pinned }) => Boolean(pinned)],
      [{ mute: 1_900_000_000_000 }, ({ muteEndTime }) => Number(muteEndTime) === 1_900_000_000_000],
      [{ archive: true, lastMessages }, ({ archived }) => archived === true],
      [{ markRead: false, lastMessages }, ({ unreadCount }) => unreadCount === -1],
    ];
    for (const [change, isSeen] of changes) {
      const received = client.event('chats.update', (chats) =>
        chats.some((chat) => chat.id === friend && isSeen(chat)),
      );
      await sandbox.phones.phoneAppState.change(account, change, friend);
      await received;
    }
  });

  it('a phone writes a star to the collection that devices read, and ignores stars in another collection', async () => {
    const key = { remoteJid: friend, fromMe: false, id: 'A' };
    const received = client.event('messages.update', (updates) =>
      updates.some(({ update }) => update.starred === true),
    );
    await sandbox.phones.phoneAppState.change(account, createStarPatch(key, true));
    expect(await received).toMatchObject([{ key, update: { starred: true } }]);
    await client.socket.chatModify({ star: { messages: [{ id: 'B', fromMe: false }], star: true } }, friend);
    const starred = (await sandbox.phones.phoneAppState.read(account)).filter(({ index }) => index[0] === 'star');
    expect(starred.map(({ index }) => index[2])).toEqual(['A']);
  });

  it('a phone sends a label and the chats that have it to its client', async () => {
    const { phoneAppState: synced } = sandbox.phones;
    const edited = client.event('labels.edit');
    await synced.change(account, { addLabel: { id: '7', name: 'Customers', color: 3, deleted: false } });
    expect(await edited).toMatchObject({ id: '7', name: 'Customers', color: 3, deleted: false });
    const labeled = client.event('labels.association');
    await synced.change(account, { addChatLabel: { labelId: '7' } }, friend);
    expect(await labeled).toMatchObject({ type: 'add', association: { chatId: friend, labelId: '7' } });
  });
});

describe('app state changes by a client', () => {
  linkClientBeforeEach();

  it('the profile name that a client sets becomes the name of its account', async () => {
    await client.socket.updateProfileName('New name');
    const { phoneAppState: synced } = sandbox.phones;
    await synced.waitFor(account, ({ value }) => value.pushNameSetting?.name === 'New name');
    expect(account.name).toBe('New name');
  });

  it('a client archives a chat, the phone pins it, and the client unarchives it', async () => {
    const { phoneAppState: synced } = sandbox.phones;
    const lastMessages = [{ key: { remoteJid: friend, fromMe: false, id: 'A' }, messageTimestamp: 1 }];
    await client.socket.chatModify({ archive: true, lastMessages }, friend);
    expect(await synced.waitFor(account, isAbout('archive'))).toMatchObject({
      value: { archiveChatAction: { archived: true } },
    });
    const pinned = client.event('chats.update', ([chat]) => chat?.pinned !== undefined);
    await synced.change(account, { pin: true }, friend);
    await pinned;
    await client.socket.chatModify({ archive: false, lastMessages }, friend);
    await synced.waitFor(
      account,
      ({ index, value }) => index[0] === 'archive' && value.archiveChatAction?.archived === false,
    );
    expect((await synced.read(account)).filter(isAbout('archive'))).toHaveLength(1);
  });
});

describe('a new linked client', () => {
  it('a new client gets the app state key and history although its phone cannot read a patch of another client', async () => {
    account = sandbox.world.account(String(nextNumber++));
    const other = await RawClient.connect(sandbox.platformUrl, sandbox.provision(account.number));
    const bytes = Buffer.alloc(32, 1);
    const record = { index: { blob: bytes }, value: { blob: bytes }, keyId: { id: bytes } };
    const patch = { keyId: { id: bytes }, snapshotMac: bytes, patchMac: bytes, mutations: [{ operation: 0, record }] };
    for (const name of ['critical_block', 'regular']) {
      const content = [{ tag: 'patch', attrs: {}, content: proto.SyncdPatch.encode(patch).finish() }];
      const sync = { tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs: { name, version: '0' }, content }] };
      const answer = await other.ask({ xmlns: 'w:sync:app:state', type: 'set' }, [sync]);
      expect(answer.attrs.type).toBe('result');
    }
    client = await pair(sandbox, account.number);
    const { RECENT } = proto.HistorySync.HistorySyncType;
    await client.event('messaging-history.set', ({ syncType }) => syncType === RECENT);
    expect(client.auth.creds.myAppStateKeyId).toBeDefined();
  });
});

describe('app state patches of other devices', () => {
  const jid = '15550009002@s.whatsapp.net';

  /** Reads the state of a phone after a patch of another device, which pins a chat. `change` alters the patch. */
  async function read(
    change: (patch: proto.SyncdPatch, mediaHost: MediaHost) => proto.ISyncdPatch,
  ): Promise<SyncedEntry[]> {
    const world = createWorld({ faults: new Faults() });
    const mediaHost = createMediaHost(new Faults());
    const [written, received] = [new AppStatePatches(), new AppStatePatches()];
    const writer = new PhoneAppState(world, written, mediaHost);
    const reader = new PhoneAppState(world, received, mediaHost);
    const phone = world.account('15550009001');
    vi.spyOn(reader, 'syncKey').mockReturnValue(writer.syncKey(phone));
    await writer.change(phone, { pin: true }, jid);
    const patch = proto.SyncdPatch.decode(written.list(phone, 'regular_low')[0] ?? new Uint8Array());
    received.append(phone, 'regular_low', change(patch, mediaHost));
    return reader.read(phone);
  }

  /** Moves the changes of a patch to a file, which is stored under the direct path that `store` returns. */
  function toExternal(patch: proto.SyncdPatch, store: (body: Buffer) => string): proto.ISyncdPatch {
    const { body, ...keys } = encryptFile(proto.SyncdMutations.encode(patch).finish(), 'md-app-state');
    return { ...patch, mutations: [], externalMutations: { ...keys, directPath: store(body) } };
  }

  it('a phone reads app state changes that another device stored in a file on the media host', async () => {
    const entries = await read((patch, mediaHost) => toExternal(patch, (body) => mediaHost.store(body).directPath));
    expect(entries).toMatchObject([{ index: ['pin_v1', jid], value: { pinAction: { pinned: true } } }]);
  });

  it('a phone reads no app state changes from another host than the media host', async () => {
    const reading = read((patch) => toExternal(patch, () => '.example.com/v/changes'));
    await expect(reading).rejects.toThrow('the media host has no file with these changes');
  });

  it.each([
    ['patch MAC', (patch: proto.SyncdPatch) => patch.patchMac],
    ['snapshot MAC', (patch: proto.SyncdPatch) => patch.snapshotMac],
    ['value', (patch: proto.SyncdPatch) => patch.mutations[0]?.record?.value?.blob],
    ['index', (patch: proto.SyncdPatch) => patch.mutations[0]?.record?.index?.blob],
  ])('a phone rejects an app state patch whose %s was changed', async (_what, part) => {
    const reading = read((patch) => {
      const bytes = part(patch) ?? new Uint8Array();
      bytes[3] = (bytes[3] ?? 0) ^ 1;
      return patch;
    });
    await expect(reading).rejects.toThrow();
  });
});
