// Addresses of accounts: LIDs, phone numbers and hidden phone numbers, and the fields of the control API for them.
import { inflateSync } from 'node:zlib';
import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Control, createControl } from '../src/control/control.ts';
import { historyOf } from '../src/phone/history.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';
import { RealClient } from './real-client.ts';

const { READ } = proto.WebMessageInfo.Status;

let control: Control;
let url: string;

setUpClient();
beforeAll(async () => {
  control = createControl(sandbox);
  url = await control.listen(0);
});
afterAll(() => control.close());

async function request(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const change = (number: string, body: object) => request('PUT', `/phones/${number}`, body);

/** Sends a text and resolves with the error code of its ack; undefined when the message was accepted. */
async function send(to: string, attributes: BinaryNode['attrs'] = {}): Promise<string | undefined> {
  const acks = new Promise<BinaryNode>((resolve) => client.sock.ws.once('CB:ack,class:message', resolve));
  await client.sock.relayMessage(to, { conversation: 'hi' }, { additionalAttributes: attributes });
  return (await acks).attrs.error;
}

/** Records all stanzas that a client receives from now on. */
function recordStanzas({ sock }: RealClient): BinaryNode[] {
  const nodes: BinaryNode[] = [];
  sock.ws.on('frame', (node: BinaryNode) => nodes.push(node));
  return nodes;
}

describe('PUT /phones/{number}', () => {
  it('PUT /phones/{number} sets only the fields that it names, and GET /phones/{number} shows them', async () => {
    const { number } = peer.account;
    const username = `ada.${number}`;
    expect((await request('GET', `/phones/${number}`)).body).toMatchObject({
      migrated: false,
      hidesNumber: false,
      username: null,
    });
    const set = await change(number, { migrated: true, username });
    expect(set).toMatchObject({ status: 200, body: { migrated: true, hidesNumber: false, username } });
    await change(number, { hidesNumber: true });
    await change(number, { username: null });
    expect((await request('GET', `/phones/${number}`)).body).toMatchObject({
      migrated: true,
      hidesNumber: true,
      username: null,
    });
  });

  it('PUT /phones/{number} rejects wrong values with the name of the field, and a username that another phone has', async () => {
    const { number } = peer.account;
    for (const field of ['migrated', 'hidesNumber', 'username'])
      expect(await change(number, { [field]: 7 }), field).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(field) },
      });
    for (const username of ['ab', 'Ada', '12345', 'a'.repeat(36), 'a b c'])
      expect((await change(number, { username })).status, username).toBe(400);
    await change(number, { username: 'lovelace' });
    expect((await change(ownNumber, { username: 'lovelace', migrated: true })).status).toBe(409);
    expect(sandbox.world.account(ownNumber).migrated).toBe(false);
    await change(number, { username: null });
    expect((await change(ownNumber, { username: 'lovelace' })).status).toBe(200);
  });
});

describe('faults of addressing', () => {
  it('the fault lidOnly rejects messages to the phone number of a migrated account, and no others', async () => {
    const other = sandbox.phones.phone(String(Number(peer.account.number) + 5000));
    await change(peer.account.number, { migrated: true });
    expect((await request('POST', '/faults', { kind: 'lidOnly', number: ownNumber, times: 0 })).status).toBe(201);
    expect(await send(pnJid(peer.account))).toBe('463');
    expect(await send(lidJid(peer.account), { peer_recipient_pn: pnJid(peer.account) })).toBeUndefined();
    expect(await send(pnJid(other.account))).toBeUndefined();
    // The server acknowledges a message before it delivers it.
    await other.waitFor(() => other.receivedCount === 1);
    const { body } = await request('GET', `/phones/${peer.account.number}/messages`);
    expect(body).toMatchObject([{ text: 'hi', addressing: 'lid' }]);
    expect((await request('GET', `/phones/${other.account.number}/messages`)).body).toMatchObject([
      { addressing: 'pn' },
    ]);
    sandbox.faults.clear();
  });

  it('the fault pnOnly rejects messages to the LID of an account that is not migrated, and no others', async () => {
    sandbox.faults.add({ kind: 'pnOnly', number: ownNumber, times: 0 });
    expect(await send(lidJid(peer.account))).toBe('463');
    expect(await send(pnJid(peer.account))).toBeUndefined();
    sandbox.faults.clear();
  });
});

describe('messages to a LID', () => {
  it('the sandbox rejects a message whose peer_recipient_pn or peer_recipient_lid belongs to another account', async () => {
    const stranger = sandbox.world.account('15550006999');
    expect(await send(lidJid(peer.account), { peer_recipient_pn: pnJid(stranger) })).toBe('479');
    expect(await send(pnJid(peer.account), { peer_recipient_lid: lidJid(stranger) })).toBe('479');
    expect(await send(pnJid(peer.account), { peer_recipient_lid: lidJid(peer.account) })).toBeUndefined();
  });

  it('a message to a LID reaches the other devices of its sender in the chat of that LID', async () => {
    const second = new RealClient(sandbox, { creds: sandbox.provision(ownNumber), keys: new Map() });
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

describe('addresses of a phone', () => {
  it('a migrated phone sends from its LID', async () => {
    await change(peer.account.number, { migrated: true });
    const { message } = await client.message(await peer.send(ownNumber, { text: 'hi' }));
    expect(message.key).toMatchObject({ remoteJid: lidJid(peer.account), remoteJidAlt: pnJid(peer.account) });
  });

  it('a phone that hides its number shows others only its LID', async () => {
    await change(peer.account.number, { hidesNumber: true });
    const nodes = recordStanzas(client);
    await client.message(await peer.send(ownNumber, { text: 'hi' }));
    const id = await client.sock.relayMessage(lidJid(peer.account), { conversation: 'hello' }, {});
    await peer.waitFor(() => peer.messages().some((message) => message.id === id));
    await client.sock.presenceSubscribe(lidJid(peer.account));
    peer.read(ownNumber);
    peer.setTyping(ownNumber, 'composing');
    peer.setPresence('available');
    sandbox.phones.calls.ring(peer.account.number, ownNumber);
    const group = sandbox.phones.phone(ownNumber).createGroup('Ours', [peer.account.number]);
    const inGroup = await peer.send(group.id, { text: 'hello all' });
    await client.message(inGroup);
    await client.sock.groupMetadata(group.id);
    await client.until(() => client.status(id) === READ);
    await client.until(() => client.presences.some(({ presences }) => JSON.stringify(presences).includes('composing')));
    expect(nodes.length).toBeGreaterThan(5);
    expect(JSON.stringify(nodes)).toContain(peer.account.lid);
    expect(JSON.stringify(nodes)).not.toContain(peer.account.number);
  });

  it('a phone that hides its number has a picture whose URL does not contain the number', async () => {
    await change(peer.account.number, { hidesNumber: true });
    const bytes = Buffer.from('pretend JPEG');
    await request('POST', `/phones/${peer.account.number}/profile`, { picture: bytes.toString('base64') });
    const nodes = recordStanzas(client);
    const address = await client.sock.profilePictureUrl(lidJid(peer.account), 'image');
    expect(Buffer.from(await (await fetch(address ?? '')).arrayBuffer())).toEqual(bytes);
    expect(JSON.stringify(nodes)).not.toContain(peer.account.number);
  });

  it('a phone that hides its number appears in quotes, reactions and mentions of groups by its LID only', async () => {
    const own = sandbox.phones.phone(ownNumber);
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

  it('a phone that hides its number appears in the history of others by its LID only', async () => {
    await change(peer.account.number, { hidesNumber: true });
    await peer.send(ownNumber, { text: 'before' });
    const history = historyOf(sandbox.world, sandbox.phones.phone(ownNumber)).map(
      ({ historySyncNotification: notice }) =>
        proto.HistorySync.decode(inflateSync(notice?.initialHistBootstrapInlinePayload ?? Buffer.alloc(0))),
    );
    expect(history.flatMap(({ conversations }) => conversations.map(({ id }) => id))).toEqual([lidJid(peer.account)]);
    expect(JSON.stringify(history)).not.toContain(peer.account.number);
  });
});
