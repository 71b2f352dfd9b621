// Messages that a client sends again: the server distinguishes a repeated stanza from a message that was encrypted
// again.
import { type BinaryNode, encodeSignedDeviceIdentity, encodeWAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { lidJid } from '../src/world/world.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';

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
