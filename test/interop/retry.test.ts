// Messages that a device cannot decrypt: it asks for them again, and they arrive, in both directions, in chats and groups.
import { beforeAll, describe, expect, it } from 'vitest';
import type { BinaryNode } from 'whatsapp-interop-client';
import { at, textAt } from '../support/api.ts';
import { textOf } from './support/client.ts';
import { type Account, control, createAccount } from './support/phones.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();
let group: string;
let bob: Account;

beforeAll(async () => {
  stage.client.engine.setRawNodeForwarding(true);
  bob = await createAccount(stage.platform, 'Bob');
  const body = { subject: 'Us', participants: [stage.shop.number, bob.number], mode: 'lid' };
  group = textAt(await control(stage.platform, 'POST', `/phones/${stage.ada.number}/groups`, body), 'id');
  await stage.fromClient({ conversation: 'hello' });
  await stage.fromShop('sendText', { text: 'hello' });
});

/** The LID of the instance's device. */
const device = () => stage.shop.lid.replace('@', ':1@');

/** Whether the client could not read the message at first. */
const wasUnreadable = (id: string) =>
  stage.client.events.some(({ type, data }) => type === 'undecryptable_message' && at(data, 'info.id') === id);

/** Whether the instance's device asked the client for the message again. */
const wasRequested = (id: string) =>
  stage.client.events.some(
    ({ type, data }) =>
      type === 'raw_node' &&
      at(data, 'tag') === 'receipt' &&
      isRetry(at(data, 'attrs'), id) &&
      isFromDevice(at(data, 'attrs')),
  );
const isRetry = (attrs: unknown, id: string) => Object(attrs).type === 'retry' && Object(attrs).id === id;
const isFromDevice = (attrs: unknown) => /:1@/.test(String(Object(attrs).participant ?? Object(attrs).from));

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
    await client.engine.signalInstallPreKeyBundle(device(), await bundleWithoutKey());
    const data = await stage.fromClient({ conversation: 'can you read this?' });
    expect(data).toMatchObject({ message: { conversation: 'can you read this?' } });
    expect(wasRequested(textAt(data, 'key.id'))).toBe(true);
    await stage.fromClient({ conversation: 'and this?' });
    await stage.fromShop('sendText', { text: 'yes' });
  });

  it('asks again for a group message whose sender key it could not read', async () => {
    const { client } = stage;
    await stage.fromClient({ conversation: 'with key' }, group);
    await client.engine.signalInstallPreKeyBundle(device(), await bundleWithoutKey());
    // A member leaves, so the client sends a new sender key.
    const since = client.events.length;
    await control(stage.platform, 'POST', `/phones/${bob.number}/groups/${group}/leave`, {});
    await client.event('group_update', ({ action }) => action.type === 'remove', since);
    const data = await stage.fromClient({ conversation: 'without key' }, group);
    expect(data).toMatchObject({ message: { conversation: 'without key' } });
    expect(wasRequested(textAt(data, 'key.id'))).toBe(true);
    await stage.fromClient({ conversation: 'with key again' }, group);
  });
});

/** The keys that the server hands out for the instance's device, with a one-time key that it never had. */
async function bundleWithoutKey() {
  const user: BinaryNode = { tag: 'user', attrs: { jid: device() } };
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
