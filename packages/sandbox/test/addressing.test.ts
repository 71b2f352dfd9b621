// How accounts are addressed: by LID or by phone number, with the number hidden, and what the control API shows of it.
import { inflateSync } from 'node:zlib';
import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Control, createControl } from '../src/control/control.ts';
import { historyOf } from '../src/phone/history.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';
import { RealClient } from './real-client.ts';

const { READ } = proto.WebMessageInfo.Status;

let control: Control;
let url: string;

onStage();
beforeAll(async () => {
  control = createControl(sandbox);
  url = await control.listen(0);
});
afterAll(() => control.close());

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const change = (number: string, body: object) => ask('PUT', `/phones/${number}`, body);

/** Sends a text and resolves with the error code of its ack; undefined when the message was accepted. */
async function send(to: string, attributes: BinaryNode['attrs'] = {}): Promise<string | undefined> {
  const acks = new Promise<BinaryNode>((resolve) => client.sock.ws.once('CB:ack,class:message', resolve));
  await client.sock.relayMessage(to, { conversation: 'hi' }, { additionalAttributes: attributes });
  return (await acks).attrs.error;
}

/** All stanzas that a client receives from now on. */
function recordStanzas({ sock }: RealClient): BinaryNode[] {
  const nodes: BinaryNode[] = [];
  sock.ws.on('frame', (node: BinaryNode) => nodes.push(node));
  return nodes;
}

describe('PUT /phones/{number}', () => {
  it('sets only the fields that it names, and GET shows them', async () => {
    const { number } = peer.account;
    const username = `ada.${number}`;
    expect((await ask('GET', `/phones/${number}`)).body).toMatchObject({
      migrated: false,
      hidesNumber: false,
      username: null,
    });
    const set = await change(number, { migrated: true, username });
    expect(set).toMatchObject({ status: 200, body: { migrated: true, hidesNumber: false, username } });
    await change(number, { hidesNumber: true });
    await change(number, { username: null });
    expect((await ask('GET', `/phones/${number}`)).body).toMatchObject({
      migrated: true,
      hidesNumber: true,
      username: null,
    });
  });

  it('refuses wrong values with the name of the field, and a username that another phone has', async () => {
    const { number } = peer.account;
    for (const field of ['migrated', 'hidesNumber', 'username'])
      expect(await change(number, { [field]: 7 }), field).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(field) },
      });
    for (const username of ['ab', 'Ada', '12345', 'a'.repeat(36), 'a b c'])
      expect((await change(number, { username })).status, username).toBe(400);
    await change(number, { username: 'lovelace' });
    expect((await change(mine, { username: 'lovelace', migrated: true })).status).toBe(409);
    expect(sandbox.world.account(mine).migrated).toBe(false);
    await change(number, { username: null });
    expect((await change(mine, { username: 'lovelace' })).status).toBe(200);
  });
});

describe('the fault lidOnly', () => {
  it('refuses messages to the number of a migrated account, and no others', async () => {
    const other = sandbox.phones.phone(String(Number(peer.account.number) + 5000));
    await change(peer.account.number, { migrated: true });
    expect((await ask('POST', '/faults', { kind: 'lidOnly', number: mine, times: 0 })).status).toBe(201);
    expect(await send(pnJid(peer.account))).toBe('463');
    expect(await send(lidJid(peer.account), { peer_recipient_pn: pnJid(peer.account) })).toBeUndefined();
    expect(await send(pnJid(other.account))).toBeUndefined();
    const { body } = await ask('GET', `/phones/${peer.account.number}/messages`);
    expect(body).toMatchObject([{ text: 'hi', addressing: 'lid' }]);
    expect((await ask('GET', `/phones/${other.account.number}/messages`)).body).toMatchObject([{ addressing: 'pn' }]);
    sandbox.faults.clear();
  });

  it('has a counterpart, which refuses messages to the LID of an account that is not migrated', async () => {
    sandbox.faults.add({ kind: 'pnOnly', number: mine, times: 0 });
    expect(await send(lidJid(peer.account))).toBe('463');
    expect(await send(pnJid(peer.account))).toBeUndefined();
    sandbox.faults.clear();
  });
});

describe('a message to a LID', () => {
  it('must name a number that belongs to it, if any', async () => {
    const stranger = sandbox.world.account('15550006999');
    expect(await send(lidJid(peer.account), { peer_recipient_pn: pnJid(stranger) })).toBe('479');
    expect(await send(pnJid(peer.account), { peer_recipient_lid: lidJid(stranger) })).toBe('479');
    expect(await send(pnJid(peer.account), { peer_recipient_lid: lidJid(peer.account) })).toBeUndefined();
  });

  it('reaches the other devices of its sender as a message in the chat of that person', async () => {
    const second = new RealClient(sandbox, { creds: sandbox.provision(mine), keys: new Map() });
    await second.open();
    const nodes = recordStanzas(second);
    const id = await client.sock.relayMessage(
      lidJid(peer.account),
      { conversation: 'to a LID' },
      { additionalAttributes: { peer_recipient_pn: pnJid(peer.account) } },
    );
    const { message } = await second.message(id);
    expect(message).toMatchObject({ key: { fromMe: true, remoteJid: lidJid(peer.account) } });
    expect(nodes.find(({ tag }) => tag === 'message')?.attrs).toMatchObject({
      recipient: lidJid(peer.account),
      peer_recipient_pn: pnJid(peer.account),
    });
    await second.sock.end(undefined);
  });
});

describe('a phone', () => {
  it('sends from its LID once it is migrated', async () => {
    await change(peer.account.number, { migrated: true });
    const { message } = await client.message(await peer.send(mine, { text: 'hi' }));
    expect(message.key).toMatchObject({ remoteJid: lidJid(peer.account), remoteJidAlt: pnJid(peer.account) });
  });

  it('that hides its number shows others only its LID', async () => {
    await change(peer.account.number, { hidesNumber: true });
    const nodes = recordStanzas(client);
    await client.message(await peer.send(mine, { text: 'hi' }));
    const id = await client.sock.relayMessage(lidJid(peer.account), { conversation: 'hello' }, {});
    await peer.waitFor(() => peer.messages().some((message) => message.id === id));
    await client.sock.presenceSubscribe(lidJid(peer.account));
    peer.read(mine);
    peer.setTyping(mine, 'composing');
    peer.setPresence('available');
    sandbox.phones.calls.ring(peer.account.number, mine);
    const group = sandbox.phones.phone(mine).createGroup('Ours', [peer.account.number]);
    const inGroup = await peer.send(group.id, { text: 'hello all' });
    await client.message(inGroup);
    await client.sock.groupMetadata(group.id);
    await client.until(() => client.status(id) === READ);
    await client.until(() => client.presences.some(({ presences }) => JSON.stringify(presences).includes('composing')));
    expect(nodes.length).toBeGreaterThan(5);
    expect(JSON.stringify(nodes)).toContain(peer.account.lid);
    expect(JSON.stringify(nodes)).not.toContain(peer.account.number);
  });

  it('that hides its number has a picture whose address does not contain it', async () => {
    await change(peer.account.number, { hidesNumber: true });
    const bytes = Buffer.from('pretend JPEG');
    await ask('POST', `/phones/${peer.account.number}/profile`, { picture: bytes.toString('base64') });
    const nodes = recordStanzas(client);
    const address = await client.sock.profilePictureUrl(lidJid(peer.account), 'image');
    expect(Buffer.from(await (await fetch(address ?? '')).arrayBuffer())).toEqual(bytes);
    expect(JSON.stringify(nodes)).not.toContain(peer.account.number);
  });

  it('that hides its number is in quotes, reactions and mentions of groups by LID alone', async () => {
    const own = sandbox.phones.phone(mine);
    const group = own.createGroup('Ours', [peer.account.number], { addressing: 'pn' });
    await change(peer.account.number, { hidesNumber: true });
    const id = await peer.send(group.id, { text: 'hello all' });
    const drafts = [{ text: 'hello', quoted: id, mentions: [peer.account.number] }, { reaction: { id, emoji: '👍' } }];
    for (const draft of drafts) {
      const { message } = await client.message(await peer.send(group.id, draft));
      expect(JSON.stringify(message)).toContain(lidJid(peer.account));
      expect(JSON.stringify(message)).not.toContain(peer.account.number);
    }
  });

  it('that hides its number is in the history of others by LID alone', async () => {
    await change(peer.account.number, { hidesNumber: true });
    await peer.send(mine, { text: 'before' });
    const history = historyOf(sandbox.world, sandbox.phones.phone(mine)).map(({ historySyncNotification: notice }) =>
      proto.HistorySync.decode(inflateSync(notice?.initialHistBootstrapInlinePayload ?? Buffer.alloc(0))),
    );
    expect(history.flatMap(({ conversations }) => conversations.map(({ id }) => id))).toEqual([lidJid(peer.account)]);
    expect(JSON.stringify(history)).not.toContain(peer.account.number);
  });
});
