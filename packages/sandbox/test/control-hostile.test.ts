import { encodeBinaryNode, proto } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, connect, createAuth } from '../../../test/support/client.ts';
import { type Control, createControl } from '../src/control/control.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

const ada = '15550004101';
const me = '15550004102';

let sandbox: Sandbox;
let control: Control;
let url: string;
let raw: number = 15550004200;

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

describe('POST /phones/:number/messages with content or raw', () => {
  /** A client of `me`, and the message with the id as it read it. */
  async function reader(): Promise<{ client: Client; read: (id: string) => Promise<proto.IWebMessageInfo> }> {
    const client = connect(sandbox, createAuth(sandbox.provision(me)));
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

  it('sends protobuf JSON unchanged, with bytes as base64', async () => {
    const { read } = await reader();
    const content = {
      imageMessage: { caption: 'x', mediaKey: base64(Buffer.from('key')), contextInfo: { isForwarded: true } },
    };
    const sent = await post(`/phones/${ada}/messages`, { to: me, content, id: 'CONTENT1' });
    expect(sent).toEqual({ status: 201, body: { id: 'CONTENT1' } });
    const { message } = await read('CONTENT1');
    expect(proto.Message.toObject(proto.Message.fromObject(message ?? {}), { bytes: String })).toEqual(content);
  });

  it('sends bytes as an encoded message', async () => {
    const { read } = await reader();
    const bytes = proto.Message.encode({ conversation: 'raw' }).finish();
    await post(`/phones/${ada}/messages`, { to: me, raw: base64(bytes), id: 'RAW1' });
    expect((await read('RAW1')).message?.conversation).toBe('raw');
  });

  it('sends bytes that are no protobuf, which the recipient cannot decode', async () => {
    const { read } = await reader();
    const sent = await post(`/phones/${ada}/messages`, {
      to: me,
      raw: base64(Buffer.from('ffffffff', 'hex')),
      id: 'RAW2',
    });
    expect(sent.status).toBe(201);
    const { messageStubType } = await read('RAW2');
    expect(messageStubType).toBe(proto.WebMessageInfo.StubType.CIPHERTEXT);
  });

  it('sends such bytes to a group', async () => {
    const { client, read } = await reader();
    const group = sandbox.phones.phone(ada).createGroup('Hostile', [me]);
    await client.event('groups.upsert');
    const bytes = proto.Message.encode({ conversation: 'to all' }).finish();
    await post(`/phones/${ada}/messages`, { to: group.id, raw: base64(bytes), id: 'RAW3' });
    expect((await read('RAW3')).message?.conversation).toBe('to all');
  });

  it('sends a copy to the author’s own clients', async () => {
    const own = connect(sandbox, createAuth(sandbox.provision(ada)));
    await own.open();
    const copied = own.event('messages.upsert', ({ messages: [first] }) => first?.key.id === 'RAW4');
    const bytes = proto.Message.encode({ conversation: 'mine' }).finish();
    await post(`/phones/${ada}/messages`, { to: me, raw: base64(bytes), id: 'RAW4' });
    const [message] = (await copied).messages;
    expect(message).toMatchObject({ key: { fromMe: true, remoteJid: `${me}@s.whatsapp.net` } });
    expect(message?.message?.conversation).toBe('mine');
  });

  it('shows the part of it that can be decoded', async () => {
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
  ])('refuses %j: %s', async (body, error) => {
    const answer = await post(`/phones/${ada}/messages`, { to: me, ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
  });
});

describe('POST /faults with type', () => {
  async function connected(): Promise<{ client: RawClient; number: string }> {
    const number = String(raw++);
    const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(number));
    await client.received('success');
    return { client, number };
  }

  it('writes an encrypted stanza, and later stanzas still arrive', async () => {
    const { client, number } = await connected();
    const node = base64(encodeBinaryNode({ tag: 'ib', attrs: { from: 'nowhere' }, content: [] }));
    expect(await post('/faults', { type: 'stanza', number, node })).toEqual({ status: 201, body: { connections: 1 } });
    expect(await client.received('ib', { from: 'nowhere' })).toBeDefined();
    await client.goLive();
    expect(client.failures).toEqual([]);
  });

  it.each([
    ['no plaintext at all', ''],
    ['a flag of compression without a stream', '02ffff'],
    ['a list that is cut off', '00f9ffff03'],
  ])('writes %s, which the client decrypts but cannot decode', async (_what, hex) => {
    const { client, number } = await connected();
    await post('/faults', { type: 'stanza', number, node: base64(Buffer.from(hex, 'hex')) });
    const failure = await client.until(() => client.failures[0]);
    expect(String(failure)).not.toMatch(/authenticate/);
  });

  it('writes an unencrypted frame, which no client can decrypt', async () => {
    const { client, number } = await connected();
    const bytes = Buffer.alloc(40, 7);
    expect(await post('/faults', { type: 'frame', number, bytes: base64(bytes) })).toMatchObject({ status: 201 });
    const failure = await client.until(() => client.failures[0]);
    expect(String(failure)).toMatch(/authenticate/);
    expect(client.messages.at(-1)).toEqual(Buffer.concat([Buffer.from([0, 0, 40]), bytes]));
  });

  it.each([
    [{ type: 'meteor', number: me }, 400, 'type must be one of stanza, frame'],
    [{ type: 'stanza', number: me }, 400, 'node is missing'],
    [{ type: 'frame', number: me, bytes: '§' }, 400, 'bytes must be base64'],
    [{ type: 'stanza', node: '' }, 400, 'number must be a phone number'],
    [{ type: 'stanza', number: '15550004199', node: '' }, 409, 'no linked device of 15550004199 is connected'],
  ])('refuses %j with %i: %s', async (body, status, error) => {
    expect(await post('/faults', body)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  it('refuses a frame that is too large for its 3-byte length', async () => {
    const { number } = await connected();
    const bytes = base64(Buffer.alloc(2 ** 24));
    expect(await post('/faults', { type: 'frame', number, bytes })).toMatchObject({ status: 400 });
  });
});
