// Messages that a client sends again: the server distinguishes a repeated stanza from a message that was encrypted
// again.
import { type BinaryNode, encodeSignedDeviceIdentity, encodeWAMessage, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../src/world/world.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';
import { RawClient } from './raw-client.ts';

onStage();

/**
 * The same pre-key message with its protobuf fields in the order of their numbers, as clients write it that are not
 * based on Baileys: it ends with registration id and signed pre-key id, not with the MAC.
 */
function inFieldOrder(message: Uint8Array): Buffer {
  const fields: { number: number; bytes: Uint8Array }[] = [];
  for (let at = 1; at < message.length; ) {
    const start = at;
    const key = message[at++] ?? 0;
    let value = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = message[at++] ?? 0;
      value |= (byte & 127) << shift;
      more = byte > 127;
    }
    if ((key & 7) === 2) at += value;
    fields.push({ number: key >> 3, bytes: message.subarray(start, at) });
  }
  const sorted = fields.sort((a, b) => a.number - b.number).map(({ bytes }) => bytes);
  return Buffer.concat([message.subarray(0, 1), ...sorted]);
}

async function sendToNewSession(id: string, isGarbled: boolean): Promise<Buffer> {
  const jid = lidJid(peer.account);
  const data = encodeWAMessage({ conversation: 'readable' });
  const { type, ciphertext } = await client.sock.signalRepository.encryptMessage({ jid, data });
  expect(type).toBe('pkmsg');
  const content = inFieldOrder(ciphertext);
  if (isGarbled) content.subarray(-40, -30).fill(0);
  const enc = { tag: 'enc', attrs: { v: '2', type }, content };
  const proof = encodeSignedDeviceIdentity(client.identity.creds.account ?? {}, true);
  const identity = { tag: 'device-identity', attrs: {}, content: proof };
  await client.sock.sendNode({ tag: 'message', attrs: { id, to: jid, type: 'text' }, content: [enc, identity] });
  return content;
}

describe('a message that opens a session', () => {
  it('is delivered when it is encrypted again under its id', async () => {
    // Registration ids of such clients can have more than 14 bits.
    Object.assign(client.identity.creds, { registrationId: 0x7fffffff });
    await client.sock.assertSessions([lidJid(peer.account)], false);
    const requested = new Promise((resolve) => client.sock.ws.once('CB:receipt,type:retry', resolve));
    const first = await sendToNewSession('AGAIN', true);
    await requested;
    const second = await sendToNewSession('AGAIN', false);
    expect(second.subarray(-8)).toEqual(first.subarray(-8));
    const message = await peer.waitFor(() => peer.messages().find(({ id }) => id === 'AGAIN'));
    expect(message).toMatchObject({ text: 'readable' });
  });
});

describe('a message to oneself', () => {
  it('gets one receipt of the own phone, even when the client encrypted it twice for the phone', async () => {
    const account = sandbox.world.account(mine);
    const jid = lidJid(account);
    await client.sock.assertSessions([jid], false);
    const receipts: BinaryNode[] = [];
    client.sock.ws.on('CB:receipt,type:sender', (receipt: BinaryNode) => receipts.push(receipt));
    const own = { deviceSentMessage: { destinationJid: jid, message: { conversation: 'note' } } };
    const copies: BinaryNode[] = [];
    for (let n = 0; n < 2; n++) {
      const { type, ciphertext } = await client.sock.signalRepository.encryptMessage({
        jid,
        data: encodeWAMessage(own),
      });
      const enc = { tag: 'enc', attrs: { v: '2', type }, content: ciphertext };
      copies.push({ tag: 'to', attrs: { jid }, content: [enc] });
    }
    const proof = encodeSignedDeviceIdentity(client.identity.creds.account ?? {}, true);
    const identity = { tag: 'device-identity', attrs: {}, content: proof };
    const content = [{ tag: 'participants', attrs: {}, content: copies }, identity];
    await client.sock.sendNode({ tag: 'message', attrs: { id: 'NOTE', to: jid, type: 'text' }, content });
    const phone = sandbox.phones.phone(mine);
    await phone.waitFor(() => phone.messages().some(({ id }) => id === 'NOTE'));
    // The server handles stanzas in order: all receipts were sent before this answer.
    await client.sock.fetchBlocklist();
    expect(receipts.map(({ attrs }) => attrs.id)).toEqual(['NOTE']);
  });
});

describe('a phone that is asked to send a message again', () => {
  const { APP_STATE_SYNC_KEY_SHARE } = proto.Message.ProtocolMessage.Type;

  /** Asks the phone of `mine` as the client of another account. Resolves with the ids of its messages. */
  async function requestAsStranger(id: string, recipient: BinaryNode['attrs'] = {}): Promise<(string | undefined)[]> {
    const stranger = await RawClient.connect(sandbox.platformUrl, sandbox.provision(peer.account.number));
    await stranger.goLive();
    stranger.send({
      tag: 'receipt',
      attrs: { id, to: pnJid(sandbox.world.account(mine)), type: 'retry', ...recipient },
      content: [{ tag: 'retry', attrs: { count: '1', id, t: '1', v: '1' } }],
    });
    // The server handles stanzas in order: the phone has answered before this answer.
    await stranger.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    return stranger.nodes.filter(({ tag }) => tag === 'message').map(({ attrs }) => attrs.id);
  }

  it('does not send the key and the history of its own clients to another account', async () => {
    const account = sandbox.world.account(mine);
    const [companion] = account.companions.values();
    if (!companion) throw new Error('no linked device');
    const share = new Promise<BinaryNode>((resolve) => client.sock.ws.once('CB:message', resolve));
    const appStateSyncKeyShare = { keys: [sandbox.phones.phoneAppState.syncKey(account)] };
    await sandbox.phones.phone(mine).sendPeer(companion, { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare });
    expect(await requestAsStranger((await share).attrs.id ?? '')).toEqual([]);
  });

  it('does not send a message to another account than the one that it was sent to', async () => {
    const third = sandbox.world.account('15550069999');
    const id = await sandbox.phones.phone(mine).send(third.number, { text: 'between us' });
    expect(await requestAsStranger(id, { recipient: pnJid(third) })).toEqual([]);
    const toPeer = await sandbox.phones.phone(mine).send(peer.account.number, { text: 'for you' });
    expect(await requestAsStranger(toPeer)).toEqual([toPeer]);
  });

  it('does so for its own client until the client has acknowledged the message', async () => {
    const account = sandbox.world.account(mine);
    const own = await RawClient.connect(sandbox.platformUrl, sandbox.provision(mine));
    await own.goLive();
    const linked = [...account.companions.values()].at(-1);
    if (!linked) throw new Error('no linked device');
    const appStateSyncKeyShare = { keys: [sandbox.phones.phoneAppState.syncKey(account)] };
    await sandbox.phones.phone(mine).sendPeer(linked, { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare });
    const id = (await own.received('message', { category: 'peer' })).attrs.id ?? '';
    const copiesAfter = async (type: string): Promise<number> => {
      const retry = { tag: 'retry', attrs: { count: '1', id, t: '1', v: '1' } };
      own.send({ tag: 'receipt', attrs: { id, to: pnJid(account), type }, content: type === 'retry' ? [retry] : [] });
      await own.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
      return own.nodes.filter(({ tag, attrs }) => tag === 'message' && attrs.id === id).length;
    };
    expect(await copiesAfter('retry')).toBe(2);
    await copiesAfter('peer_msg');
    expect(await copiesAfter('retry')).toBe(2);
  });
});
