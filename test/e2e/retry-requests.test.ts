// Retry receipts, which request a message again: the messages that the gateway sends again, and to whom.
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRetryRequest } from '../../packages/sandbox/src/phone/retry.ts';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { RealClient } from '../../packages/sandbox/test/real-client.ts';
import { textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, eve, ownNumber, startLinked } from '../support/group.ts';
import { convert, ffmpegPath, tone } from '../support/sounds.ts';
import { waitFor } from '../support/wait-for.ts';

/** Sends a message by the API. Resolves with its id. */
async function send(world: World, path: string, body: object): Promise<string> {
  const sent = await world.api('POST', `/message/${path}/sales`, body);
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return textAt(sent.body, 'key.id');
}

const sendText = (world: World, number: string, text: string): Promise<string> =>
  send(world, 'sendText', { number, textMessage: { text } });

/**
 * Sends a text and waits until the phone of `reader` has it. The platform has then received the stanzas of the gateway
 * so far. The answer to a send does not prove that.
 */
async function sendTextAndWait(world: World, number: string, text: string, reader: string): Promise<string> {
  const id = await sendText(world, number, text);
  const phone = world.sandbox.phones.phone(reader);
  await phone.waitFor(() => phone.messages().find((message) => message.id === id));
  return id;
}

/** The linked device of the instance. */
function companionOf({ sandbox }: World) {
  const [companion] = sandbox.world.account(ownNumber).companions.values();
  if (!companion) throw new Error('nothing is linked');
  return companion;
}

/** Sends a retry receipt of a phone to the instance. Resolves when the instance has acknowledged it. */
async function sendRetryReceipt(
  world: World,
  number: string,
  id: string,
  address: { from: string; participant?: string; recipient?: string },
): Promise<void> {
  const { sandbox } = world;
  const companion = companionOf(world);
  const content = createRetryRequest(sandbox.world, { id, count: 1, phone: sandbox.phones.phone(number) });
  deliverReceipt(sandbox.world, companion, { ...address, ids: [id], type: 'retry', ...(content && { content }) });
  await waitFor(() => expect(companion.queue).toEqual([]));
}

/**
 * Links a device to the account of a number. The device has written to the instance, so that messages to it no longer
 * contain the keys for a new session. `forgetKeys` removes the keys that the device needs to decrypt messages.
 */
async function linkDevice({ sandbox, receiver }: World, number: string) {
  const device = new RealClient(sandbox, { creds: sandbox.provision(number), keys: new Map() });
  onTestFinished(() => void device.sock.end(undefined));
  await device.open();
  const arrival = receiver.next(({ body, raw }) => isEvent(body, 'messages.upsert') && raw.includes('from the device'));
  await device.sock.sendMessage(pnJid(sandbox.world.account(ownNumber)), { text: 'from the device' });
  await arrival;
  const { keys } = device.identity;
  const forgetKeys = () => {
    for (const name of [...keys.keys()]) if (/^(session|sender-key)\|/.test(name)) keys.delete(name);
  };
  return { device, forgetKeys };
}

describe('retry receipts for unknown messages', () => {
  it('a retry receipt for a message that the gateway did not send causes neither a query nor a new sender key', async () => {
    const stanzas: ClientStanza['node'][] = [];
    const world = await startLinked({ sandbox: { tlsPort: false, onStanza: ({ node }) => stanzas.push(node) } });
    const { sandbox } = world;
    const group = createAdasGroup(world);
    await sendTextAndWait(world, group.id, 'one', bob);
    const phone = sandbox.phones.phone(bob);
    const stanzasBefore = stanzas.length;
    await sendRetryReceipt(world, bob, '3EB0000000000000000001', {
      from: group.id,
      participant: lidJid(phone.account),
    });
    await sendRetryReceipt(world, bob, '3EB0000000000000000002', { from: pnJid(phone.account) });

    await sendTextAndWait(world, group.id, 'two', bob);
    const sent = stanzas.slice(stanzasBefore);
    expect(sent.filter(({ attrs }) => attrs.xmlns === 'encrypt')).toEqual([]);
    const messages = sent.filter(({ tag }) => tag === 'message');
    expect(messages.map((message) => getBinaryNodeChild(message, 'participants'))).toEqual([undefined]);
  });
});

describe('retry receipts without stored messages', () => {
  it('a gateway that stores no messages sends a message again to the phone of its recipient', async () => {
    const world = await startLinked({ env: { DATABASE_SAVE_DATA_NEW_MESSAGE: 'false' } });
    const phone = world.sandbox.phones.phone(bob);
    vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const id = await sendText(world, bob, 'once more');
    const received = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(received).toMatchObject({ text: 'once more', fromMe: false });
  });

  it('a gateway that stores no messages sends a message again to a linked device of its recipient', async () => {
    const world = await startLinked({ env: { DATABASE_SAVE_DATA_NEW_MESSAGE: 'false' } });
    const { device, forgetKeys } = await linkDevice(world, bob);
    await device.message(await sendText(world, bob, 'one'));
    forgetKeys();
    const { message } = await device.message(await sendText(world, bob, 'two'));
    expect(textAt(message, 'message.extendedTextMessage.text')).toBe('two');
  });
});

describe('retry receipts for direct messages', () => {
  it('a direct message is sent again to the phone of the account, and to no other device', async () => {
    const stanzas: BinaryNode[] = [];
    const world = await startLinked({ sandbox: { tlsPort: false, onStanza: ({ node }) => stanzas.push(node) } });
    const phone = world.sandbox.phones.phone(ownNumber);
    vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const id = await sendText(world, bob, 'for the own phone, too');
    const received = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(received).toMatchObject({ text: 'for the own phone, too', fromMe: true });
    const sent = stanzas.filter(({ tag, attrs }) => tag === 'message' && attrs.id === id);
    const ownJids = [pnJid(phone.account), lidJid(phone.account)];
    expect(sent).toHaveLength(2);
    expect(ownJids).toContain(sent[1]?.attrs.to);
    expect(sent[1]?.attrs.recipient).toBe(sent[0]?.attrs.to);
  });
});

describe('retry receipts for group messages', () => {
  it.each([
    ['a phone', bob],
    ['the phone of the account', ownNumber],
  ])('a group message is sent again to %s that requests it, and to no other device', async (_, number) => {
    const stanzas: BinaryNode[] = [];
    const world = await startLinked({ sandbox: { tlsPort: false, onStanza: ({ node }) => stanzas.push(node) } });
    const { sandbox } = world;
    const group = createAdasGroup(world);
    const id = await sendTextAndWait(world, group.id, 'before Eve came', bob);
    const joined = world.receiver.next(({ body }) => isEvent(body, 'group-participants.update'));
    const { account } = sandbox.phones.phone(eve);
    sandbox.groups.add(group, sandbox.world.account(ada), [pnJid(account)]);
    await joined;

    const stanzasBefore = stanzas.length;
    const participant = lidJid(sandbox.world.account(number));
    await sendRetryReceipt(world, number, id, { from: group.id, participant });
    const nextId = await sendTextAndWait(world, group.id, 'after', eve);
    const sent = stanzas.slice(stanzasBefore).filter(({ tag }) => tag === 'message');
    expect(sent.map(({ attrs }) => [attrs.id, attrs.to, attrs.participant])).toEqual([
      [id, group.id, participant],
      [nextId, group.id, undefined],
    ]);
    expect(sent.map((message) => getBinaryNodeChild(message, 'enc')?.attrs)).toMatchObject([{ count: '1' }, {}]);
    // Only the new member gets the sender key.
    const participants = getBinaryNodeChild(sent[1], 'participants')?.content;
    expect(Array.isArray(participants) && participants.map(({ attrs }) => attrs.jid)).toEqual([lidJid(account)]);
    expect(
      sandbox.phones
        .phone(eve)
        .messages()
        .map((message) => message.id),
    ).not.toContain(id);
  });
});

it('the gateway sends a status again to a linked device of a reader that requests it', async () => {
  const stanzas: BinaryNode[] = [];
  const world = await startLinked({ sandbox: { tlsPort: false, onStanza: ({ node }) => stanzas.push(node) } });
  const { device, forgetKeys } = await linkDevice(world, bob);
  const post = (content: string) =>
    send(world, 'sendStatus', { statusMessage: { type: 'text', content, statusJidList: [bob] } });
  await device.message(await post('one'));
  forgetKeys();
  const id = await post('two');
  const { message } = await device.message(id);
  expect(message).toMatchObject({
    key: { remoteJid: 'status@broadcast' },
    message: { extendedTextMessage: { text: 'two' } },
  });
  const sent = stanzas.filter(({ tag, attrs }) => tag === 'message' && attrs.id === id);
  expect(sent.map((stanza) => getBinaryNodeChild(stanza, 'enc')?.attrs)).toMatchObject([{}, { count: '1' }]);
});

describe('messages that phones recognize by their stanza', () => {
  it('a view-once voice note, buttons and a pin are shown on the phone after they are sent again', async () => {
    const world = await startLinked({ env: { FFMPEG_PATH: ffmpegPath } });
    const phone = world.sandbox.phones.phone(bob);
    const decrypt = vi.spyOn(phone.signal, 'decrypt');
    const sendWithRetry = async (path: string, body: object) => {
      decrypt.mockRejectedValueOnce(new Error('no session'));
      return send(world, path, { number: bob, ...body });
    };
    const waitForMessage = (id: string) => phone.waitFor(() => phone.messages().find((message) => message.id === id));

    const audio = convert(tone(1), 'mp3').toString('base64');
    const voice = await sendWithRetry('sendWhatsAppAudio', { audio, viewOnce: true });
    expect(await waitForMessage(voice)).toMatchObject({ kind: 'audio', viewOnce: true });
    const buttons = await sendWithRetry('sendButtons', { title: 'Ready?', buttons: [{ displayText: 'Yes', id: 'y' }] });
    expect(await waitForMessage(buttons)).toMatchObject({ id: buttons });
    await sendWithRetry('pin', { key: { id: voice, remoteJid: bob } });
    await phone.waitFor(() => phone.messages().find((message) => message.id === voice)?.pinnedUntil);
    expect(decrypt.mock.settledResults.filter(({ type }) => type === 'rejected')).toHaveLength(3);
  });
});
