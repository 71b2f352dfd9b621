// Runs reproductions of docs/internals/upstream.md and upstream-encryption.md with the installed Baileys, without
// patches. When a version of Baileys no longer has a bug, its test fails: remove the section, and the patch.
import { globSync, readFileSync } from 'node:fs';
import {
  addTransactionCapability,
  type BaileysEventMap,
  BufferJSON,
  DEFAULT_CONNECTION_CONFIG,
  decodeBinaryNode,
  encodeBinaryNode,
  proto,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import { expect, it, onTestFinished } from 'vitest';
import { childOf, childrenOf, type Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { linkedCreds, readableLog, silent } from '../../support/session-fakes.ts';
import { COLLECTION, createPatches, syncKey, syncKeyId, syncNode } from './app-state-patches.ts';
import { createDevice, toKeyNode } from './contact-device.ts';
import { openRecordedSocket, useSilentServer } from './recorded-socket.ts';
import { createSignalPeer } from './signal-peer.ts';

const GROUP = '120363025246125486@g.us';
const [admin, ana, bob] = ['1@lid', '2@lid', '3@lid'] as const;
const [adminsNumber, anasNumber] = ['15550001@s.whatsapp.net', '15550002@s.whatsapp.net'] as const;

const sections = globSync('docs/internals/upstream*.md').flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^## (.+)$/gm)].map(([, title]) => title),
);

/** Declares a test that passes while Baileys has the bug of the section `title`. */
function itReproduces(title: string, reproduce: () => Promise<void>): void {
  it(`Baileys has the bug of the section "${title}"`, async () => {
    expect(sections).toContain(title);
    await reproduce();
  });
}

useSilentServer();

/** Returns the state of a linked account with keys in memory, in the form of Baileys' own useMultiFileAuthState(). */
function createAuth() {
  const stored = new Map<string, string>();
  const keys: SignalKeyStore = {
    async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids) {
        const text = stored.get(`${type}|${id}`);
        if (!text) continue;
        const value = JSON.parse(text, BufferJSON.reviver);
        found[id] = type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;
      }
      return found;
    },
    async set(data) {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value) stored.set(`${type}|${id}`, JSON.stringify(value, BufferJSON.replacer));
          else stored.delete(`${type}|${id}`);
        }
      }
    },
  };
  return { creds: { ...linkedCreds(), myAppStateKeyId: syncKeyId }, keys };
}

/** Opens a socket without patches. `answer` returns the answer to a query. */
function openSocket(answer?: (query: Stanza) => Stanza | undefined) {
  const { log, lines } = readableLog();
  const auth = createAuth();
  const { socket, stanzas, close } = openRecordedSocket({ auth, logger: log }, answer);
  onTestFinished(() => close());
  const events: Partial<BaileysEventMap>[] = [];
  socket.ev.process((event) => void events.push(event));
  return { socket, stanzas, lines, events, keys: auth.keys };
}

/** Resolves when Baileys has acknowledged a notification of `admin` with this change. */
async function notify(change: Stanza) {
  const opened = openSocket();
  const { socket, stanzas, events } = opened;
  const attrs = { id: 'N1', type: 'w:gp2', from: GROUP, participant: admin, participant_pn: adminsNumber, t: '1' };
  socket.ws.emit('CB:notification', { tag: 'notification', attrs, content: [change] });
  await expect.poll(() => stanzas('ack')).toMatchObject([{ attrs: { id: 'N1', class: 'notification' } }]);
  socket.ev.flush();
  return { ...opened, eventNames: events.flatMap((event) => Object.keys(event)) };
}

itReproduces('A changed number of a group member is not reported', async () => {
  const { eventNames, lines } = await notify({
    tag: 'modify',
    attrs: {},
    content: [{ tag: 'participant', attrs: { jid: ana } }],
  });
  expect(eventNames).not.toContain('group-participants.update');
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: "unexpected error in 'handling notification'",
      err: expect.objectContaining({ type: 'SyntaxError' }),
    }),
  );
});

itReproduces('A request to join a group names the wrong person', async () => {
  const people = [ana, bob].map((jid) => ({ tag: 'requested_user', attrs: { jid } }));
  const created = await notify({ tag: 'created_membership_requests', attrs: {}, content: people });
  const participants = people.map((person) => ({ ...person, tag: 'participant' }));
  const revoked = await notify({ tag: 'revoked_membership_requests', attrs: {}, content: participants });
  const requests = [created, revoked].flatMap(({ events }) =>
    events.flatMap((event) => event['group.join-request'] ?? []),
  );
  expect(requests).toMatchObject([
    { participant: admin, participantPn: adminsNumber, action: 'created' },
    { participant: ana, participantPn: adminsNumber, action: 'rejected' },
  ]);
});

itReproduces('One device without keys blocks a message', async () => {
  const withoutKeys = '222:1@lid';
  const error: Stanza = { tag: 'error', attrs: { code: '404', text: 'item-not-found' } };
  const { socket, keys } = openSocket((query) => {
    const users = childrenOf(childOf(query, 'key'), 'user').map(({ attrs }): Stanza => {
      return attrs.jid === withoutKeys
        ? { tag: 'user', attrs, content: [error] }
        : toKeyNode(attrs.jid, createDevice());
    });
    return { tag: 'iq', attrs: { type: 'result' }, content: [{ tag: 'list', attrs: {}, content: users }] };
  });
  await expect(socket.assertSessions(['222@lid', withoutKeys])).rejects.toThrow('item-not-found');
  expect(await keys.get('session', ['222_1.0', '222_1.1'])).toEqual({});
});

itReproduces('Texts that contain `@` are sent as addresses', async () => {
  const texts = ['Vendas_2026@matriz', 'Reunião 10:30 @ sala'];
  const subjects = texts.map(async (subject) => {
    const { attrs } = await decodeBinaryNode(Buffer.from(encodeBinaryNode({ tag: 'create', attrs: { subject } })));
    return attrs.subject;
  });
  expect(await Promise.all(subjects)).toEqual(['Vendas@matriz', 'Reunião 10:30@s.whatsapp.net']);
  const { socket, stanzas } = openSocket();
  socket.authState.creds.me = { ...linkedCreds().me, name: 'Shop @ home' };
  await socket.sendPresenceUpdate('unavailable');
  expect(await stanzas('presence')).toEqual([{ tag: 'presence', attrs: { name: 'Shop  home', type: 'unavailable' } }]);
});

itReproduces('A change of other credentials sends an empty presence', async () => {
  const { socket, stanzas } = openSocket();
  socket.ev.emit('creds.update', { nextPreKeyId: 7 });
  await expect.poll(() => stanzas('presence')).toEqual([{ tag: 'presence', attrs: {} }]);
});

itReproduces('A crash loses changes of the app state', async () => {
  const patches = await createPatches(1);
  const { socket, keys, events } = openSocket((query) =>
    query.attrs.xmlns === 'w:sync:app:state'
      ? { tag: 'iq', attrs: { type: 'result' }, content: [syncNode({ version: '1' }, patches)] }
      : undefined,
  );
  await keys.set({ 'app-state-sync-key': { [syncKeyId]: syncKey } });
  const { set } = keys;
  let eventsBeforeWrite: string[] | undefined;
  keys.set = async (data) => {
    if (data['app-state-sync-version']) eventsBeforeWrite = events.flatMap((event) => Object.keys(event));
    await set.call(keys, data);
  };
  await socket.resyncAppState([COLLECTION], false);
  socket.ev.flush();
  expect(eventsBeforeWrite).toEqual([]);
  expect(events).toEqual([{ 'chats.update': [expect.objectContaining({ archived: true })] }]);
});

/** Opens the Signal repository of Baileys and its keys. */
function openSignalRepository() {
  const auth = createAuth();
  const keys = addTransactionCapability(auth.keys, silent, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
  return {
    keys,
    account: DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: auth.creds, keys }, silent, async () => undefined),
  };
}

itReproduces('Sending a message undoes what a received message has changed', async () => {
  const { keys, account } = openSignalRepository();
  const peer = createSignalPeer();
  await account.injectE2ESession({ jid: ana, session: peer.bundle });
  const first = await account.encryptMessage({ jid: ana, data: Buffer.from('first') });
  await peer.decrypt({ ...first, ciphertext: Buffer.from(first.ciphertext) });
  const received = { jid: ana, ...(await peer.encrypt('received')) };
  const encrypted = Promise.withResolvers<void>();
  // This promise is created outside of the transaction.
  const decrypted = encrypted.promise.then(() => account.decryptMessage(received));
  await keys.transaction(async () => {
    await account.encryptMessage({ jid: ana, data: Buffer.from('second') });
    encrypted.resolve();
    await decrypted;
  }, 'account');
  expect((await account.decryptMessage(received)).toString()).toBe('received');
  await expect(account.decryptMessage(received)).rejects.toThrow();
});

itReproduces('The sessions of a number replace those of its LID', async () => {
  const { keys, account } = openSignalRepository();
  await account.injectE2ESession({ jid: anasNumber, session: createSignalPeer().bundle });
  await keys.set({ 'device-list': { 15550002: ['0'] } });
  const peer = createSignalPeer();
  await account.injectE2ESession({ jid: ana, session: peer.bundle });
  const first = await account.encryptMessage({ jid: ana, data: Buffer.from('first') });
  await peer.decrypt({ ...first, ciphertext: Buffer.from(first.ciphertext) });
  const answer = { jid: ana, ...(await peer.encrypt('answer')) };
  expect(await account.migrateSession(anasNumber, ana)).toMatchObject({ migrated: 1 });
  await expect(account.decryptMessage(answer)).rejects.toThrow('No matching sessions found for message');
});
