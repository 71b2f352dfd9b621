// Messages that a client sends again: the server distinguishes a repeated stanza from a message that was encrypted
// again.
import { type BinaryNode, encodeSignedDeviceIdentity, encodeWAMessage, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';
import { RawClient } from './raw-client.ts';

setUpClient();

/**
 * Sorts the protobuf fields of a pre-key message by their numbers. Clients that are not based on Baileys write this
 * order. The message then ends with registration id and signed pre-key id, not with the MAC.
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

describe('messages that open a session', () => {
  it('a message that opens a session is delivered when it is encrypted again with the same id', async () => {
    // Registration ids of clients that are not based on Baileys can have more than 14 bits.
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

describe('messages to the own account', () => {
  it('a message to the own account gets one receipt of the own phone, even when it contains two copies for it', async () => {
    const account = sandbox.world.account(ownNumber);
    const jid = lidJid(account);
    await client.sock.assertSessions([jid], false);
    const receipts: BinaryNode[] = [];
    client.sock.ws.on('CB:receipt,type:sender', (receipt: BinaryNode) => receipts.push(receipt));
    const deviceSent = { deviceSentMessage: { destinationJid: jid, message: { conversation: 'note' } } };
    const copies: BinaryNode[] = [];
    for (let n = 0; n < 2; n++) {
      const { type, ciphertext } = await client.sock.signalRepository.encryptMessage({
        jid,
        data: encodeWAMessage(deviceSent),
      });
      const enc = { tag: 'enc', attrs: { v: '2', type }, content: ciphertext };
      copies.push({ tag: 'to', attrs: { jid }, content: [enc] });
    }
    const proof = encodeSignedDeviceIdentity(client.identity.creds.account ?? {}, true);
    const identity = { tag: 'device-identity', attrs: {}, content: proof };
    const content = [{ tag: 'participants', attrs: {}, content: copies }, identity];
    await client.sock.sendNode({ tag: 'message', attrs: { id: 'NOTE', to: jid, type: 'text' }, content });
    const phone = sandbox.phones.phone(ownNumber);
    await phone.waitFor(() => phone.messages().some(({ id }) => id === 'NOTE'));
    // The server handles stanzas in order. It has sent all receipts before this answer.
    await client.sock.fetchBlocklist();
    expect(receipts.map(({ attrs }) => attrs.id)).toEqual(['NOTE']);
  });
});

describe('requests to a phone to send a message again', () => {
  const { APP_STATE_SYNC_KEY_SHARE } = proto.Message.ProtocolMessage.Type;

  /** Sends a retry receipt to the phone from a client of the peer. Resolves with the ids of the received messages. */
  async function requestAsOtherAccount(
    id: string,
    recipient: BinaryNode['attrs'] = {},
  ): Promise<(string | undefined)[]> {
    const otherClient = await RawClient.connect(sandbox.platformUrl, sandbox.provision(peer.account.number));
    await otherClient.goLive();
    otherClient.send({
      tag: 'receipt',
      attrs: { id, to: pnJid(sandbox.world.account(ownNumber)), type: 'retry', ...recipient },
      content: [{ tag: 'retry', attrs: { count: '1', id, t: '1', v: '1' } }],
    });
    // The server handles stanzas in order. The phone has answered before this answer.
    await otherClient.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    return otherClient.nodes.filter(({ tag }) => tag === 'message').map(({ attrs }) => attrs.id);
  }

  it('a phone does not send the app state key of its own clients again to another account', async () => {
    const account = sandbox.world.account(ownNumber);
    const [companion] = account.companions.values();
    if (!companion) throw new Error('no linked device');
    const share = new Promise<BinaryNode>((resolve) => client.sock.ws.once('CB:message', resolve));
    const appStateSyncKeyShare = { keys: [sandbox.phones.phoneAppState.syncKey(account)] };
    await sandbox.phones.phone(ownNumber).sendPeer(companion, { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare });
    expect(await requestAsOtherAccount((await share).attrs.id ?? '')).toEqual([]);
  });

  it('a phone sends a message again only to the account to which it was sent', async () => {
    const third = sandbox.world.account('15550069999');
    const id = await sandbox.phones.phone(ownNumber).send(third.number, { text: 'between us' });
    expect(await requestAsOtherAccount(id, { recipient: pnJid(third) })).toEqual([]);
    const toPeer = await sandbox.phones.phone(ownNumber).send(peer.account.number, { text: 'for you' });
    expect(await requestAsOtherAccount(toPeer)).toEqual([toPeer]);
  });

  it('a phone sends a message again to its own client until the client has acknowledged it', async () => {
    const account = sandbox.world.account(ownNumber);
    const ownClient = await RawClient.connect(sandbox.platformUrl, sandbox.provision(ownNumber));
    await ownClient.goLive();
    const linked = [...account.companions.values()].at(-1);
    if (!linked) throw new Error('no linked device');
    const appStateSyncKeyShare = { keys: [sandbox.phones.phoneAppState.syncKey(account)] };
    await sandbox.phones.phone(ownNumber).sendPeer(linked, { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare });
    const id = (await ownClient.received('message', { category: 'peer' })).attrs.id ?? '';
    const copiesAfter = async (type: string): Promise<number> => {
      const retry = { tag: 'retry', attrs: { count: '1', id, t: '1', v: '1' } };
      ownClient.send({
        tag: 'receipt',
        attrs: { id, to: pnJid(account), type },
        content: type === 'retry' ? [retry] : [],
      });
      await ownClient.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
      return ownClient.nodes.filter(({ tag, attrs }) => tag === 'message' && attrs.id === id).length;
    };
    expect(await copiesAfter('retry')).toBe(2);
    await copiesAfter('peer_msg');
    expect(await copiesAfter('retry')).toBe(2);
  });
});
