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

const mine = '15550009301';
const theirs = '15550009302';

let sandbox: Sandbox;
let control: Control;
let url: string;

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const bytesAt = async (path: string) => Buffer.from(await (await fetch(`${url}${path}`)).arrayBuffer());

/** A client of `mine` for one test. */
async function open(): Promise<Client> {
  const client = connect(sandbox, createAuth(sandbox.provision(mine)));
  await client.open();
  return client;
}

const them = () => pnJid(sandbox.world.account(theirs));

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

describe('a phone, over HTTP', () => {
  it('sends files of every kind, which others download', async () => {
    const bytes = Buffer.from('the bytes of a file');
    for (const kind of ['image', 'audio', 'video', 'document', 'sticker']) {
      const file = { to: theirs, [kind]: bytes.toString('base64'), mimetype: 'image/x-test' };
      const sent = await ask('POST', `/phones/${mine}/messages`, file);
      expect(sent.status, kind).toBe(201);
      const { body: messages } = await ask('GET', `/phones/${theirs}/messages`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(messages).toContainEqual(
        expect.objectContaining({
          id: textAt(sent.body, 'id'),
          kind,
          media: expect.objectContaining({ mediatype: kind, mimetype: 'image/x-test', sha256 }),
        }),
      );
      const read = await bytesAt(`/phones/${theirs}/messages/${textAt(sent.body, 'id')}/media`);
      expect(read.equals(bytes)).toBe(true);
    }
  });

  it.each([
    [{ image: 'not base64!' }, /base64/],
    [{ image: '' }, /image is missing/],
    [{ image: 'AAAA', seconds: 'x' }, /seconds must be a number/],
    [{ image: 'AAAA', text: 'two kinds' }, /exactly one/],
    [{ poll: { name: 'x', options: ['a'] } }, /at least two/],
  ])('refuses %j with a message that names the field', async (draft, sentence) => {
    const answer = await ask('POST', `/phones/${mine}/messages`, { to: theirs, ...draft });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(sentence) } });
  });

  it('changes chats, contacts and labels, and its client gets the changes', async () => {
    const client = await pair(sandbox, mine, { appStateMacVerification: { patch: true, snapshot: true } });
    const { RECENT } = proto.HistorySync.HistorySyncType;
    await client.event('messaging-history.set', ({ syncType }) => syncType === RECENT);
    const archived = client.event('chats.update', (chats) => chats.some(({ archived }) => archived));
    const named = client.event('contacts.upsert', ([contact]) => contact?.name === 'Bob');
    const label = client.event('labels.edit');
    const stuck = client.event('labels.association');
    await ask('POST', `/phones/${mine}/chats/${theirs}`, {
      archive: true,
      pin: true,
      mute: 1,
      read: true,
      name: 'Bob',
    });
    await ask('POST', `/phones/${mine}/labels`, { id: '3', name: 'New', color: 2 });
    const { body: state } = await ask('POST', `/phones/${mine}/chats/${theirs}`, { label: '3' });
    await Promise.all([archived, named, label, stuck]);
    expect(state).toContainEqual(expect.objectContaining({ index: ['archive', them()] }));
    expect(state).toContainEqual(expect.objectContaining({ index: ['label_jid', '3', them()] }));
  });

  it('has a profile that others can query', async () => {
    const client = await open();
    const picture = Buffer.from('a picture');
    const changes = { name: 'Ada', status: 'out', picture: picture.toString('base64') };
    await ask('POST', `/phones/${theirs}/profile`, changes);
    const { body: shown } = await ask('GET', `/phones/${theirs}`);
    expect(shown).toMatchObject({ name: 'Ada', status: 'out', picture: expect.any(String) });
    expect((await bytesAt(`/phones/${theirs}/picture`)).equals(picture)).toBe(true);
    const seen = await client.socket.profilePictureUrl(them(), 'image');
    expect(Buffer.from(await (await fetch(seen ?? '')).arrayBuffer()).equals(picture)).toBe(true);
    await ask('POST', `/phones/${theirs}/profile`, { picture: null });
    expect(await ask('GET', `/phones/${theirs}/picture`)).toMatchObject({ status: 404 });
  });

  it('has the status text that its client sets', async () => {
    const client = await open();
    await client.socket.updateProfileStatus('busy');
    expect((await ask('GET', `/phones/${mine}`)).body).toMatchObject({ status: 'busy' });
  });

  it('has a status text without the emoji and the duration of the text before', async () => {
    const account = sandbox.world.account(theirs);
    Object.assign(account, { statusText: 'at lunch', statusEmoji: '🍕', statusDuration: 3600 });
    await ask('POST', `/phones/${theirs}/profile`, { status: 'back' });
    expect(account).toMatchObject({ statusText: 'back', statusEmoji: '', statusDuration: 0 });
  });

  it('blocks only numbers that are on the platform, and its clients get the change', async () => {
    const client = await open();
    const lid = lidJid(sandbox.world.account(theirs));
    const refused = await ask('POST', `/phones/${mine}/blocked`, { add: [theirs, '15550000000'] });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('15550000000') } });
    expect(await client.socket.fetchBlocklist()).toEqual([]);
    const added = client.event('blocklist.update');
    expect(await ask('POST', `/phones/${mine}/blocked`, { add: [theirs] })).toMatchObject({
      body: { blocked: [theirs] },
    });
    expect(await added).toEqual({ blocklist: [lid], type: 'add' });
    expect(await client.socket.fetchBlocklist()).toEqual([lid]);
    const removed = client.event('blocklist.update');
    await ask('POST', `/phones/${mine}/blocked`, { remove: [theirs] });
    expect(await removed).toEqual({ blocklist: [lid], type: 'remove' });
    expect(await client.socket.fetchBlocklist()).toEqual([]);
  });

  it('gets no message of a blocked number', async () => {
    const client = await open();
    await ask('POST', `/phones/${theirs}/blocked`, { add: [mine] });
    const before = sandbox.phones.phone(theirs).messages().length;
    const shut = await client.socket.sendMessage(them(), { text: 'shut out' });
    await ask('POST', `/phones/${theirs}/blocked`, { remove: [mine] });
    const received = await client.socket.sendMessage(them(), { text: 'received' });
    const phone = sandbox.phones.phone(theirs);
    await phone.waitFor(() => phone.messages().some(({ id }) => id === received?.key.id));
    expect(phone.messages().some(({ id }) => id === shut?.key.id)).toBe(false);
    expect(phone.messages()).toHaveLength(before + 1);
  });
});

describe('privacy', () => {
  it('hides picture and presence from other accounts', async () => {
    const watcher = connect(sandbox, createAuth(sandbox.provision('15550009310')));
    await watcher.open();
    const hidden = '15550009311';
    await ask('POST', `/phones/${hidden}/profile`, { picture: Buffer.from('p').toString('base64') });
    const jid = pnJid(sandbox.world.account(hidden));
    const { privacy } = sandbox.world.account(hidden);
    sandbox.phones.phone(hidden).setPresence('available');
    const next = () => watcher.event('presence.update');
    const open = next();
    await watcher.socket.presenceSubscribe(jid);
    expect(Object.values((await open).presences)).toMatchObject([{ lastKnownPresence: 'available' }]);
    expect(await watcher.socket.profilePictureUrl(jid, 'image')).toBeTruthy();
    privacy.set('last', 'none').set('profile', 'none');
    const closed = next();
    await watcher.socket.presenceSubscribe(jid);
    expect(Object.values((await closed).presences)).toMatchObject([{ lastKnownPresence: 'unavailable' }]);
    await expect(watcher.socket.profilePictureUrl(jid, 'image')).rejects.toThrow();
  });
});

describe('restrictions', () => {
  it('can be set, read and removed', async () => {
    const path = `/phones/${mine}/restrictions`;
    const lock = { reason: 'BIZ_QUALITY', minutes: 60 };
    const set = await ask('POST', path, { lock, quota: { total: 5, used: 5, minutes: 60 } });
    const time = expect.any(Number);
    const held = { lock: { reason: 'BIZ_QUALITY', until: time }, quota: { total: 5, used: 5, end: time } };
    expect(set).toEqual({ status: 200, body: held });
    const client = await open();
    expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: true });
    expect(await ask('POST', path, { lock: null, quota: null })).toEqual({
      status: 200,
      body: { lock: null, quota: null },
    });
    expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
  });

  it('require minutes', async () => {
    const answer = await ask('POST', `/phones/${mine}/restrictions`, { lock: {} });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('lock.minutes') } });
  });
});
