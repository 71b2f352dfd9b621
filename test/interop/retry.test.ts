// Messages in chats and groups that a device cannot decrypt. The device sends a retry receipt, and the messages arrive.
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
  await stage.sendFromClient({ conversation: 'hello' });
  await stage.sendFromInstance('sendText', { text: 'hello' });
});

/** The LID of the instance's device. */
const instanceDevice = () => stage.shop.lid.replace('@', ':1@');

/** Whether the client reported the message as undecryptable. */
const wasUnreadable = (id: string) =>
  stage.client.events.some(({ type, data }) => type === 'undecryptable_message' && at(data, 'info.id') === id);

/** Attributes of the receipts of this type for a message of the client, as the server delivered them. */
const receiptsOf = (id: string, type?: string) =>
  stage.client.events.flatMap((event) => {
    if (event.type !== 'raw_node' || event.data.tag !== 'receipt') return [];
    const { attrs } = event.data;
    return attrs.id === id && attrs.type === type ? [attrs] : [];
  });

/** Devices that sent the client a retry receipt for a message: 0 is the phone, 1 the instance. */
const requestersOf = (id: string) =>
  receiptsOf(id, 'retry').map(({ participant, from }) => (/:1@/.test(participant ?? from ?? '') ? 1 : 0));

/** Adds and removes a member of the group, so that the client sends a new sender key with its next message. */
async function retireSenderKey(): Promise<void> {
  const bob = await createAccount(stage.platform, 'Bob');
  const { client, ada, platform } = stage;
  const changeMembers = (action: string) =>
    control(platform, 'POST', `/phones/${ada.number}/groups/${group}/${action}`, { participants: [bob.number] });
  await changeMembers('add');
  await stage.sendFromClient({ conversation: 'welcome' }, group);
  const since = client.events.length;
  await changeMembers('remove');
  await client.event('group_update', ({ action }) => action.type === 'remove', since);
}

describe('messages that the interop client cannot decrypt', () => {
  it('the interop client requests a message again when its session is missing', async () => {
    await stage.client.engine.signalDeleteSessions([instanceDevice(), stage.shop.jid.replace('@', ':1@')]);
    const received = await stage.sendFromInstance('sendText', { text: 'can you read this?' });
    expect(textOf(received)).toBe('can you read this?');
    expect(wasUnreadable(received.info.id)).toBe(true);
    expect(textOf(await stage.sendFromInstance('sendText', { text: 'and this?' }))).toBe('and this?');
    await stage.sendFromClient({ conversation: 'yes' });
  });

  it('the interop client requests a group message again when the sender key is missing', async () => {
    const send = (text: string) => stage.sendFromInstance('sendText', { number: group, text });
    await send('with key');
    await stage.client.engine.signalDeleteSenderKey(group, instanceDevice());
    const received = await send('without key');
    expect(textOf(received)).toBe('without key');
    expect(wasUnreadable(received.info.id)).toBe(true);
    expect(textOf(await send('with key again'))).toBe('with key again');
  });
});

describe('messages that the instance cannot decrypt', () => {
  it('the instance requests a message again that was encrypted with a key that it does not have', async () => {
    const { client } = stage;
    await client.engine.signalInstallPreKeyBundle(instanceDevice(), await bundleWithoutKey(instanceDevice()));
    const data = await stage.sendFromClient({ conversation: 'can you read this?' });
    expect(data).toMatchObject({ message: { conversation: 'can you read this?' } });
    expect(requestersOf(textAt(data, 'key.id'))).toContain(1);
    await stage.sendFromClient({ conversation: 'and this?' });
    await stage.sendFromInstance('sendText', { text: 'yes' });
  });

  it('the instance requests a group message again whose sender key it cannot decrypt', async () => {
    const { client } = stage;
    await retireSenderKey();
    await client.engine.signalInstallPreKeyBundle(instanceDevice(), await bundleWithoutKey(instanceDevice()));
    const data = await stage.sendFromClient({ conversation: 'without key' }, group);
    expect(data).toMatchObject({ message: { conversation: 'without key' } });
    expect(requestersOf(textAt(data, 'key.id'))).toContain(1);
    await stage.sendFromClient({ conversation: 'with key again' }, group);
  });
});

describe('messages that the phone of the instance cannot decrypt', () => {
  it.each([
    ['a message', () => stage.shop.jid],
    ['a group message', () => group],
  ])('the phone of the instance requests %s again that was encrypted with a key that it does not have', async (_name, chat) => {
    const { client, shop, platform } = stage;
    await retireSenderKey();
    await client.engine.signalInstallPreKeyBundle(shop.lid, await bundleWithoutKey(shop.lid));
    const id = await client.send(chat(), { conversation: 'can the phone read this?' });
    const isFromPhone = ({ participant, from }: Record<string, string>) =>
      [shop.jid, shop.lid].includes(participant ?? from ?? '');
    await client.until('the receipt of the phone', () => receiptsOf(id).some(isFromPhone));
    expect(requestersOf(id)).toContain(0);
    const phoneMessages = await control(platform, 'GET', `/phones/${shop.number}/messages`);
    expect([phoneMessages].flat().find((entry) => at(entry, 'id') === id)).toMatchObject({
      text: 'can the phone read this?',
    });
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
  const bundle = child(child(answer, 'list'), 'user');
  const signedKey = child(bundle, 'skey');
  const oneTimeKey = child(bundle, 'key');
  return {
    registrationId: Buffer.from(bytesOf(child(bundle, 'registration'))).readUInt32BE(),
    identityKey: bytesOf(child(bundle, 'identity')),
    signedPreKey: {
      keyId: Buffer.from(bytesOf(child(signedKey, 'id'))).readUIntBE(0, 3),
      publicKey: bytesOf(child(signedKey, 'value')),
      signature: bytesOf(child(signedKey, 'signature')),
    },
    preKey: { keyId: 16_000_000, publicKey: bytesOf(child(oneTimeKey, 'value')) },
  };
}

function child(node: BinaryNode, tag: string): BinaryNode {
  const found = Array.isArray(node.content) ? node.content.find((entry) => entry.tag === tag) : undefined;
  if (!found) throw new Error(`no <${tag}> in ${JSON.stringify(node)}`);
  return found;
}

function bytesOf({ tag, content }: BinaryNode): Uint8Array {
  if (!(content instanceof Uint8Array)) throw new Error(`<${tag}> has no bytes`);
  return content;
}
