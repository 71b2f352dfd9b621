import { createHash } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textAt } from '../../../test/support/api.ts';
import { type Client, connect, createAuth, pair } from '../../../test/support/client.ts';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { type Control, createControl } from '../src/control/control.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { lidJid, pnJid } from '../src/world/world.ts';

const ownNumber = '15550009301';
const otherNumber = '15550009302';

let sandbox: Sandbox;
let control: Control;
let url: string;

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const bytesAt = async (path: string) => Buffer.from(await (await fetch(`${url}${path}`)).arrayBuffer());

/** Connects a client of `ownNumber` for one test. */
async function open(): Promise<Client> {
  const client = connect(sandbox, createAuth(sandbox.provision(ownNumber)));
  await client.open();
  return client;
}

const otherJid = () => pnJid(sandbox.world.account(otherNumber));

silenceConsole();
beforeAll(async () => {
  sandbox = await createLightSandbox();
  control = createControl(sandbox);
  url = await control.listen(0);
});
afterEach(() => expect(sandbox.unanswered).toEqual([]));
afterAll(async () => {
  await control.close();
  await sandbox.close();
});

describe('phones', () => {
  it('POST /phones/{number}/messages sends a file of every kind, which the recipient downloads', async () => {
    const bytes = Buffer.from('the bytes of a file');
    for (const kind of ['image', 'audio', 'video', 'document', 'sticker']) {
      const file = { to: otherNumber, [kind]: bytes.toString('base64'), mimetype: 'image/x-test' };
      const sent = await ask('POST', `/phones/${ownNumber}/messages`, file);
      expect(sent.status, kind).toBe(201);
      const { body: messages } = await ask('GET', `/phones/${otherNumber}/messages`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(messages).toContainEqual(
        expect.objectContaining({
          id: textAt(sent.body, 'id'),
          kind,
          media: expect.objectContaining({ mediatype: kind, mimetype: 'image/x-test', sha256 }),
        }),
      );
      const read = await bytesAt(`/phones/${otherNumber}/messages/${textAt(sent.body, 'id')}/media`);
      expect(read.equals(bytes)).toBe(true);
    }
  });

  it.each([
    [{ image: 'not base64!' }, /base64/],
    [{ image: '' }, /image is missing/],
    [{ image: 'AAAA', seconds: 'x' }, /seconds must be a number/],
    [{ image: 'AAAA', text: 'two kinds' }, /exactly one/],
    [{ poll: { name: 'x', options: ['a'] } }, /at least two/],
  ])('POST /phones/{number}/messages rejects %j with an error that matches %s', async (draft, sentence) => {
    const answer = await ask('POST', `/phones/${ownNumber}/messages`, { to: otherNumber, ...draft });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(sentence) } });
  });

  it('the control API changes chats, contacts and labels, and the client of the phone gets the changes', async () => {
    const client = await pair(sandbox, ownNumber, { appStateMacVerification: { patch: true, snapshot: true } });
    const { RECENT } = proto.HistorySync.HistorySyncType;
    await client.event('messaging-history.set', ({ syncType }) => syncType === RECENT);
    const archived = client.event('chats.update', (chats) => chats.some(({ archived }) => archived));
    const named = client.event('contacts.upsert', ([contact]) => contact?.name === 'Bob');
    const label = client.event('labels.edit');
    const labeled = client.event('labels.association');
    await ask('POST', `/phones/${ownNumber}/chats/${otherNumber}`, {
      archive: true,
      pin: true,
      mute: 1,
      read: true,
      name: 'Bob',
    });
    await ask('POST', `/phones/${ownNumber}/labels`, { id: '3', name: 'New', color: 2 });
    const { body: state } = await ask('POST', `/phones/${ownNumber}/chats/${otherNumber}`, { label: '3' });
    await Promise.all([archived, named, label, labeled]);
    expect(state).toContainEqual(expect.objectContaining({ index: ['archive', otherJid()] }));
    expect(state).toContainEqual(expect.objectContaining({ index: ['label_jid', '3', otherJid()] }));
  });

  it('POST /phones/{number}/profile changes the profile that others can query, and null removes the picture', async () => {
    const client = await open();
    const picture = Buffer.from('a picture');
    const changes = { name: 'Ada', status: 'out', picture: picture.toString('base64') };
    await ask('POST', `/phones/${otherNumber}/profile`, changes);
    const { body: shown } = await ask('GET', `/phones/${otherNumber}`);
    expect(shown).toMatchObject({ name: 'Ada', status: 'out', picture: expect.any(String) });
    expect((await bytesAt(`/phones/${otherNumber}/picture`)).equals(picture)).toBe(true);
    const seen = await client.socket.profilePictureUrl(otherJid(), 'image');
    expect(Buffer.from(await (await fetch(seen ?? '')).arrayBuffer()).equals(picture)).toBe(true);
    await ask('POST', `/phones/${otherNumber}/profile`, { picture: null });
    expect(await ask('GET', `/phones/${otherNumber}/picture`)).toMatchObject({ status: 404 });
  });

  it('GET /phones/{number} shows the status text that a client sets', async () => {
    const client = await open();
    await client.socket.updateProfileStatus('busy');
    expect((await ask('GET', `/phones/${ownNumber}`)).body).toMatchObject({ status: 'busy' });
  });

  it('POST /phones/{number}/profile with a status text clears the emoji and the duration of the earlier text', async () => {
    const account = sandbox.world.account(otherNumber);
    Object.assign(account, { statusText: 'at lunch', statusEmoji: '🍕', statusDuration: 3600 });
    await ask('POST', `/phones/${otherNumber}/profile`, { status: 'back' });
    expect(account).toMatchObject({ statusText: 'back', statusEmoji: '', statusDuration: 0 });
  });

  it('POST /phones/{number}/blocked blocks only numbers that are on the platform, and clients get the change', async () => {
    const client = await open();
    const lid = lidJid(sandbox.world.account(otherNumber));
    const refused = await ask('POST', `/phones/${ownNumber}/blocked`, { add: [otherNumber, '15550000000'] });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('15550000000') } });
    expect(await client.socket.fetchBlocklist()).toEqual([]);
    const added = client.event('blocklist.update');
    expect(await ask('POST', `/phones/${ownNumber}/blocked`, { add: [otherNumber] })).toMatchObject({
      body: { blocked: [otherNumber] },
    });
    expect(await added).toEqual({ blocklist: [lid], type: 'add' });
    expect(await client.socket.fetchBlocklist()).toEqual([lid]);
    const removed = client.event('blocklist.update');
    await ask('POST', `/phones/${ownNumber}/blocked`, { remove: [otherNumber] });
    expect(await removed).toEqual({ blocklist: [lid], type: 'remove' });
    expect(await client.socket.fetchBlocklist()).toEqual([]);
  });

  it('a phone gets no message from a number that it blocked', async () => {
    const client = await open();
    await ask('POST', `/phones/${otherNumber}/blocked`, { add: [ownNumber] });
    const before = sandbox.phones.phone(otherNumber).messages().length;
    const blockedMessage = await client.socket.sendMessage(otherJid(), { text: 'shut out' });
    // The server handles stanzas in order. When it answers this query, it has dropped the message.
    await client.socket.fetchBlocklist();
    await ask('POST', `/phones/${otherNumber}/blocked`, { remove: [ownNumber] });
    const received = await client.socket.sendMessage(otherJid(), { text: 'received' });
    const phone = sandbox.phones.phone(otherNumber);
    await phone.waitFor(() => phone.messages().some(({ id }) => id === received?.key.id));
    expect(phone.messages().some(({ id }) => id === blockedMessage?.key.id)).toBe(false);
    expect(phone.messages()).toHaveLength(before + 1);
  });
});

describe('privacy', () => {
  it('the privacy settings of an account hide its picture and presence from other accounts', async () => {
    const watcher = connect(sandbox, createAuth(sandbox.provision('15550009310')));
    await watcher.open();
    const hidden = '15550009311';
    await ask('POST', `/phones/${hidden}/profile`, { picture: Buffer.from('p').toString('base64') });
    const jid = pnJid(sandbox.world.account(hidden));
    const { privacy } = sandbox.world.account(hidden);
    sandbox.phones.phone(hidden).setPresence('available');
    const waitForPresence = () => watcher.event('presence.update');
    const visiblePresence = waitForPresence();
    await watcher.socket.presenceSubscribe(jid);
    expect(Object.values((await visiblePresence).presences)).toMatchObject([{ lastKnownPresence: 'available' }]);
    expect(await watcher.socket.profilePictureUrl(jid, 'image')).toBeTruthy();
    privacy.set('last', 'none').set('profile', 'none');
    const hiddenPresence = waitForPresence();
    await watcher.socket.presenceSubscribe(jid);
    expect(Object.values((await hiddenPresence).presences)).toMatchObject([{ lastKnownPresence: 'unavailable' }]);
    await expect(watcher.socket.profilePictureUrl(jid, 'image')).rejects.toThrow();
  });
});

describe('restrictions', () => {
  it('POST /phones/{number}/restrictions sets and removes restrictions, which clients can query', async () => {
    const path = `/phones/${ownNumber}/restrictions`;
    const lock = { reason: 'BIZ_QUALITY', minutes: 60 };
    const set = await ask('POST', path, { lock, quota: { total: 5, used: 5, minutes: 60 } });
    const time = expect.any(Number);
    const restrictions = { lock: { reason: 'BIZ_QUALITY', until: time }, quota: { total: 5, used: 5, end: time } };
    expect(set).toEqual({ status: 200, body: restrictions });
    const client = await open();
    expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: true });
    expect(await ask('POST', path, { lock: null, quota: null })).toEqual({
      status: 200,
      body: { lock: null, quota: null },
    });
    expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
  });

  it('POST /phones/{number}/restrictions rejects a lock without minutes', async () => {
    const answer = await ask('POST', `/phones/${ownNumber}/restrictions`, { lock: {} });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('lock.minutes') } });
  });
});
