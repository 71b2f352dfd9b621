import { encodeBinaryNode, proto } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, connect, createAuth } from '../../../test/support/client.ts';
import { type Control, createControl } from '../src/control/control.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

const ada = '15550004101';
const ownNumber = '15550004102';

let sandbox: Sandbox;
let control: Control;
let url: string;
let nextNumber: number = 15550004200;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
  control = createControl(sandbox);
  url = await control.listen(0);
});

afterAll(async () => {
  await control.close();
  await sandbox.close();
});

async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

describe('POST /phones/{number}/messages with content or raw', () => {
  /** Connects a client of `ownNumber`. `read` resolves with the message that the client received with an id. */
  async function openReader(): Promise<{ client: Client; read: (id: string) => Promise<proto.IWebMessageInfo> }> {
    const client = connect(sandbox, createAuth(sandbox.provision(ownNumber)));
    const { ev } = client.socket;
    const seen: proto.IWebMessageInfo[] = [];
    ev.on('messages.upsert', ({ messages }) => seen.push(...messages));
    await client.open();
    const read = async (id: string): Promise<proto.IWebMessageInfo> => {
      const known = seen.find(({ key }) => key?.id === id);
      if (known) return known;
      const { messages } = await client.event('messages.upsert', ({ messages: [first] }) => first?.key.id === id);
      return messages[0] ?? {};
    };
    return { client, read };
  }

  it('POST /phones/{number}/messages sends protobuf JSON unchanged, with bytes as base64', async () => {
    const { read } = await openReader();
    const content = {
      imageMessage: { caption: 'x', mediaKey: base64(Buffer.from('key')), contextInfo: { isForwarded: true } },
    };
    const sent = await post(`/phones/${ada}/messages`, { to: ownNumber, content, id: 'CONTENT1' });
    expect(sent).toEqual({ status: 201, body: { id: 'CONTENT1' } });
    const { message } = await read('CONTENT1');
    expect(proto.Message.toObject(proto.Message.fromObject(message ?? {}), { bytes: String })).toEqual(content);
  });

  it('POST /phones/{number}/messages sends raw bytes as an encoded message', async () => {
    const { read } = await openReader();
    const bytes = proto.Message.encode({ conversation: 'raw' }).finish();
    await post(`/phones/${ada}/messages`, { to: ownNumber, raw: base64(bytes), id: 'RAW1' });
    expect((await read('RAW1')).message?.conversation).toBe('raw');
  });

  it('POST /phones/{number}/messages sends raw bytes that are no protobuf, which the recipient cannot decode', async () => {
    const { read } = await openReader();
    const sent = await post(`/phones/${ada}/messages`, {
      to: ownNumber,
      raw: base64(Buffer.from('ffffffff', 'hex')),
      id: 'RAW2',
    });
    expect(sent.status).toBe(201);
    const { messageStubType } = await read('RAW2');
    expect(messageStubType).toBe(proto.WebMessageInfo.StubType.CIPHERTEXT);
  });

  it('POST /phones/{number}/messages sends raw bytes to a group', async () => {
    const { client, read } = await openReader();
    const group = sandbox.phones.phone(ada).createGroup('Hostile', [ownNumber]);
    await client.event('groups.upsert');
    const bytes = proto.Message.encode({ conversation: 'to all' }).finish();
    await post(`/phones/${ada}/messages`, { to: group.id, raw: base64(bytes), id: 'RAW3' });
    expect((await read('RAW3')).message?.conversation).toBe('to all');
  });

  it('POST /phones/{number}/messages sends a copy of raw bytes to the clients of the author', async () => {
    const own = connect(sandbox, createAuth(sandbox.provision(ada)));
    await own.open();
    const copied = own.event('messages.upsert', ({ messages: [first] }) => first?.key.id === 'RAW4');
    const bytes = proto.Message.encode({ conversation: 'mine' }).finish();
    await post(`/phones/${ada}/messages`, { to: ownNumber, raw: base64(bytes), id: 'RAW4' });
    const [message] = (await copied).messages;
    expect(message).toMatchObject({ key: { fromMe: true, remoteJid: `${ownNumber}@s.whatsapp.net` } });
    expect(message?.message?.conversation).toBe('mine');
  });

  it('GET /phones/{number}/messages shows a message that cannot be decoded as kind unknown, without content', async () => {
    await post(`/phones/${ada}/messages`, { to: '15550004103', raw: base64(Buffer.from('ff', 'hex')) });
    const response = await fetch(`${url}/phones/15550004103/messages`);
    expect(await response.json()).toMatchObject([{ from: ada, kind: 'unknown', message: {} }]);
  });

  it.each([
    [{ content: { conversation: 'x' }, text: 'y' }, 'send exactly one of'],
    [{ content: { reactionMessage: 5 } }, 'content is not a message'],
    [{ content: 'x' }, 'content must be a JSON object'],
    [{ raw: 5 }, 'raw is missing: it must be base64'],
    [{ raw: '?' }, 'raw must be base64'],
  ])('POST /phones/{number}/messages rejects %j: %s', async (body, error) => {
    const answer = await post(`/phones/${ada}/messages`, { to: ownNumber, ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
  });
});

describe('POST /faults with type', () => {
  async function connectRawClient(): Promise<{ client: RawClient; number: string }> {
    const number = String(nextNumber++);
    const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(number));
    await client.received('success');
    return { client, number };
  }

  it('POST /faults writes an encrypted stanza, and later stanzas still arrive', async () => {
    const { client, number } = await connectRawClient();
    const node = base64(encodeBinaryNode({ tag: 'ib', attrs: { from: 'nowhere' }, content: [] }));
    expect(await post('/faults', { type: 'stanza', number, node })).toEqual({ status: 201, body: { connections: 1 } });
    expect(await client.received('ib', { from: 'nowhere' })).toBeDefined();
    await client.goLive();
    expect(client.failures).toEqual([]);
  });

  it.each([
    ['an empty plaintext', ''],
    ['a compression flag without a valid stream', '02ffff'],
    ['a truncated list', '00f9ffff03'],
  ])('POST /faults writes %s, which the client decrypts but cannot decode', async (_what, hex) => {
    const { client, number } = await connectRawClient();
    await post('/faults', { type: 'stanza', number, node: base64(Buffer.from(hex, 'hex')) });
    const failure = await client.until(() => client.failures[0]);
    expect(String(failure)).not.toMatch(/authenticate/);
  });

  it('POST /faults writes an unencrypted frame, which no client can decrypt', async () => {
    const { client, number } = await connectRawClient();
    const bytes = Buffer.alloc(40, 7);
    expect(await post('/faults', { type: 'frame', number, bytes: base64(bytes) })).toMatchObject({ status: 201 });
    const failure = await client.until(() => client.failures[0]);
    expect(String(failure)).toMatch(/authenticate/);
    expect(client.messages.at(-1)).toEqual(Buffer.concat([Buffer.from([0, 0, 40]), bytes]));
  });

  it.each([
    [{ type: 'meteor', number: ownNumber }, 400, 'type must be one of stanza, frame'],
    [{ type: 'stanza', number: ownNumber }, 400, 'node is missing'],
    [{ type: 'frame', number: ownNumber, bytes: '§' }, 400, 'bytes must be base64'],
    [{ type: 'stanza', node: '' }, 400, 'number must be a phone number'],
    [{ type: 'stanza', number: '15550004199', node: '' }, 409, 'no linked device of 15550004199 is connected'],
  ])('POST /faults rejects %j with %i: %s', async (body, status, error) => {
    expect(await post('/faults', body)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  it('POST /faults rejects a frame that is too large for its 3-byte length', async () => {
    const { number } = await connectRawClient();
    const bytes = base64(Buffer.alloc(2 ** 24));
    expect(await post('/faults', { type: 'frame', number, bytes })).toMatchObject({ status: 400 });
  });
});
