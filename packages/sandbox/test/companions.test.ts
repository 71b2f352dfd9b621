// Two real clients that are linked to one phone: each sees the changes of the other.
import { type BinaryNode, proto } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import type { Account, Companion } from '../src/world/model.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { newIdentity, RealClient } from './real-client.ts';

const { DELIVERY_ACK, READ } = proto.WebMessageInfo.Status;

let sandbox: Sandbox;
let number = 15_550_060_000;
let ownAccount: Account;
let phone: Phone;
let peer: Phone;
let one: RealClient;
let two: RealClient;

/** Links a client by QR, as an instance is linked, and logs it in. */
async function link(): Promise<RealClient> {
  const identity = newIdentity();
  const fresh = new RealClient(sandbox, identity);
  await sandbox.pairing.scanQr(ownAccount.number, await fresh.until(() => fresh.qr));
  await fresh.closed();
  const client = new RealClient(sandbox, identity);
  await client.open();
  return client;
}

const companionOf = (device: number): Companion => {
  const linked = ownAccount.companions.get(device);
  if (!linked) throw new Error(`no device ${device}`);
  return linked;
};

// libsignal prints messages when two devices open a session with each other at the same time.
silenceConsole();
beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  number += 10;
  ownAccount = sandbox.world.account(String(number + 1));
  phone = sandbox.phones.phone(ownAccount.number);
  peer = sandbox.phones.phone(String(number + 2));
  one = await link();
  two = await link();
});
afterEach(async () => {
  await Promise.all([one, two].map((client) => client.sock.end(undefined)));
  expect(sandbox.unanswered).toEqual([]);
});

describe('two clients of one account', () => {
  it('two clients of one account get each other’s messages and the receipts for them', async () => {
    // Reads the stanzas, because Baileys reports only the last of several statuses that arrive together. The last one
    // is not always the highest.
    const read = [one, two].map(({ sock }) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      sock.ws.on('CB:receipt', ({ attrs }: BinaryNode) => attrs.type === 'read' && resolve(attrs.id ?? ''));
      return promise;
    });
    const sent = await one.sock.sendMessage(pnJid(peer.account), { text: 'from the first' });
    const id = sent?.key.id ?? '';
    const { message } = await two.message(id);
    expect(message.key).toMatchObject({ remoteJid: pnJid(peer.account), fromMe: true });
    expect(message.message?.extendedTextMessage?.text).toBe('from the first');
    await peer.waitFor(() => peer.messages().some((entry) => entry.id === id));
    expect(peer.receivedCount).toBe(1);
    peer.read(ownAccount.number);
    expect(await Promise.all(read)).toEqual([id, id]);
    expect(phone.messages().filter((entry) => entry.id === id)).toHaveLength(1);
  });

  it('two clients of one account both get the messages of others, by number and by LID', async () => {
    for (const form of ['pn', 'lid'] as const) {
      const id = await peer.send(ownAccount.number, { text: form }, { addressing: form });
      const seen = await Promise.all([one.message(id), two.message(id)]);
      expect(seen.map(({ message }) => message.message?.conversation)).toEqual([form, form]);
    }
    const sent = await two.sock.sendMessage(lidJid(peer.account), { text: 'by LID' });
    const { message } = await one.message(sent?.key.id ?? '');
    expect(message.key).toMatchObject({ remoteJid: lidJid(peer.account), fromMe: true });
  });

  it('a client learns that another client or the phone read a message; the author learns it if privacy allows it', async () => {
    const readBy = async (client: RealClient, id: string) => {
      const update = await client.until(() => client.updates.find(({ key }) => key.id === id));
      expect(update).toMatchObject({
        key: { remoteJid: pnJid(peer.account), fromMe: false },
        update: { status: READ },
      });
    };
    const first = await peer.send(ownAccount.number, { text: 'read by a companion' });
    const { message } = await one.message(first);
    await two.message(first);
    await one.sock.readMessages([message.key]);
    await readBy(two, first);
    expect(phone.read(peer.account.number)).toEqual([]);
    ownAccount.privacy.set('readreceipts', 'none');
    const second = await peer.send(ownAccount.number, { text: 'read on the phone' });
    await Promise.all([one.message(second), two.message(second)]);
    expect(phone.read(peer.account.number)).toEqual([second]);
    await Promise.all([readBy(one, second), readBy(two, second)]);
    const receipts = peer.messages().map((entry) => entry.receipts.map(({ type }) => type));
    expect(receipts).toEqual([['delivered', 'read'], ['delivered']]);
  });

  it('two clients of one account are independent: unlinking one does not affect the other', async () => {
    await peer.waitFor(() => ownAccount.companions.size === 2);
    sandbox.pairing.unlink(companionOf(1));
    expect(await one.closed()).toBe(401);
    const sent = await two.sock.sendMessage(pnJid(peer.account), { text: 'still here' });
    const id = sent?.key.id ?? '';
    await two.until(() => two.status(id) === DELIVERY_ACK);
    const answer = await peer.send(ownAccount.number, { text: 'I see' });
    expect((await two.message(answer)).message.message?.conversation).toBe('I see');
    expect([...ownAccount.companions.keys()]).toEqual([2]);
  });

  it('a client encrypts for a new device of its account as soon as the device is linked', async () => {
    await one.sock.sendMessage(pnJid(peer.account), { text: 'before' });
    const third = await link();
    const sent = await one.sock.sendMessage(pnJid(peer.account), { text: 'after' });
    const { message } = await third.message(sent?.key.id ?? '');
    expect(message.message?.extendedTextMessage?.text).toBe('after');
    await third.sock.end(undefined);
  });
});
