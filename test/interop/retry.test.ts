// Messages that a device cannot decrypt: it asks for them again, and they arrive, in both directions, in chats and groups.
import { beforeAll, describe, expect, it } from 'vitest';
import type { BinaryNode } from 'whatsapp-interop-client';
import { at, textAt } from '../support/api.ts';
import { textOf } from './support/client.ts';
import { control, createAccount } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();
let group: string;

beforeAll(async () => {
  stage.client.engine.setRawNodeForwarding(true);
  const body = { subject: 'Us', participants: [stage.shop.number], mode: 'lid' };
  group = textAt(await control(stage.platform, 'POST', `/phones/${stage.ada.number}/groups`, body), 'id');
  await stage.fromClient({ conversation: 'hello' });
  await stage.fromShop('sendText', { text: 'hello' });
});

/** The LID of the instance's device. */
const device = () => stage.shop.lid.replace('@', ':1@');

/** Whether the client could not read the message at first. */
const wasUnreadable = (id: string) =>
  stage.client.events.some(({ type, data }) => type === 'undecryptable_message' && at(data, 'info.id') === id);

/** Attributes of the receipts of this type for a message of the client, as the server delivered them. */
const receiptsOf = (id: string, type?: string) =>
  stage.client.events.flatMap((event) => {
    if (event.type !== 'raw_node' || event.data.tag !== 'receipt') return [];
    const { attrs } = event.data;
    return attrs.id === id && attrs.type === type ? [attrs] : [];
  });

/** Devices that asked the client for a message again: 0 is the phone, 1 the instance. */
const requestersOf = (id: string) =>
  receiptsOf(id, 'retry').map(({ participant, from }) => (/:1@/.test(participant ?? from ?? '') ? 1 : 0));

/** A member leaves who could read, so that the client sends a new sender key with its next message. */
async function retireSenderKey(): Promise<void> {
  const bob = await createAccount(stage.platform, 'Bob');
  const { client, ada, platform } = stage;
  const act = (action: string) =>
    control(platform, 'POST', `/phones/${ada.number}/groups/${group}/${action}`, { participants: [bob.number] });
  await act('add');
  await stage.fromClient({ conversation: 'welcome' }, group);
  const since = client.events.length;
  await act('remove');
  await client.event('group_update', ({ action }) => action.type === 'remove', since);
}

describe('the client', () => {
  it('asks again for a message without its session', async () => {
    await stage.client.engine.signalDeleteSessions([device(), stage.shop.jid.replace('@', ':1@')]);
    const received = await stage.fromShop('sendText', { text: 'can you read this?' });
    expect(textOf(received)).toBe('can you read this?');
    expect(wasUnreadable(received.info.id)).toBe(true);
    expect(textOf(await stage.fromShop('sendText', { text: 'and this?' }))).toBe('and this?');
    await stage.fromClient({ conversation: 'yes' });
  });

  it('asks again for a group message without the sender key', async () => {
    const send = (text: string) => stage.fromShop('sendText', { number: group, text });
    await send('with key');
    await stage.client.engine.signalDeleteSenderKey(group, device());
    const received = await send('without key');
    expect(textOf(received)).toBe('without key');
    expect(wasUnreadable(received.info.id)).toBe(true);
    expect(textOf(await send('with key again'))).toBe('with key again');
  });
});

describe('the instance', () => {
  it('asks again for a message that was encrypted with a key that it does not have', async () => {
    const { client } = stage;
    await client.engine.signalInstallPreKeyBundle(device(), await bundleWithoutKey(device()));
    const data = await stage.fromClient({ conversation: 'can you read this?' });
    expect(data).toMatchObject({ message: { conversation: 'can you read this?' } });
    expect(requestersOf(textAt(data, 'key.id'))).toContain(1);
    await stage.fromClient({ conversation: 'and this?' });
    await stage.fromShop('sendText', { text: 'yes' });
  });

  it('asks again for a group message whose sender key it could not read', async () => {
    const { client } = stage;
    await retireSenderKey();
    await client.engine.signalInstallPreKeyBundle(device(), await bundleWithoutKey(device()));
    const data = await stage.fromClient({ conversation: 'without key' }, group);
    expect(data).toMatchObject({ message: { conversation: 'without key' } });
    expect(requestersOf(textAt(data, 'key.id'))).toContain(1);
    await stage.fromClient({ conversation: 'with key again' }, group);
  });
});

describe('the phone of the instance', () => {
  it.each([
    ['a message', () => stage.shop.jid],
    ['a group message', () => group],
  ])('asks again for %s that was encrypted with a key that it does not have', async (_name, chat) => {
    const { client, shop, platform } = stage;
    await retireSenderKey();
    await client.engine.signalInstallPreKeyBundle(shop.lid, await bundleWithoutKey(shop.lid));
    const id = await client.send(chat(), { conversation: 'can the phone read this?' });
    const isFromPhone = ({ participant, from }: Record<string, string>) =>
      [shop.jid, shop.lid].includes(participant ?? from ?? '');
    await client.until('the receipt of the phone', () => receiptsOf(id).some(isFromPhone));
    expect(requestersOf(id)).toContain(0);
    const kept = await control(platform, 'GET', `/phones/${shop.number}/messages`);
    expect([kept].flat().find((each) => at(each, 'id') === id)).toMatchObject({ text: 'can the phone read this?' });
  });
});

/** The keys that the server returns for a device, with a one-time key that the device never had. */
async function bundleWithoutKey(jid: string) {
  const user: BinaryNode = { tag: 'user', attrs: { jid } };
  const query: BinaryNode = {
    tag: 'iq',
    attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'encrypt' },
    content: [{ tag: 'key', attrs: {}, content: [user] }],
  };
  const answer = await stage.client.engine.queryNode(query);
  const found = child(child(answer, 'list'), 'user');
  const signed = child(found, 'skey');
  const once = child(found, 'key');
  return {
    registrationId: Buffer.from(bytesOf(child(found, 'registration'))).readUInt32BE(),
    identityKey: bytesOf(child(found, 'identity')),
    signedPreKey: {
      keyId: Buffer.from(bytesOf(child(signed, 'id'))).readUIntBE(0, 3),
      publicKey: bytesOf(child(signed, 'value')),
      signature: bytesOf(child(signed, 'signature')),
    },
    preKey: { keyId: 16_000_000, publicKey: bytesOf(child(once, 'value')) },
  };
}

function child(node: BinaryNode, tag: string): BinaryNode {
  const found = Array.isArray(node.content) ? node.content.find((each) => each.tag === tag) : undefined;
  if (!found) throw new Error(`no <${tag}> in ${JSON.stringify(node)}`);
  return found;
}

function bytesOf({ tag, content }: BinaryNode): Uint8Array {
  if (!(content instanceof Uint8Array)) throw new Error(`<${tag}> has no bytes`);
  return content;
}
