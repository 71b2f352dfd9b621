// Statuses (posts for 24 hours) between clients: the statuses that the server refuses, and requests to send a status
// again.
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Sandbox } from '../src/sandbox.ts';
import type { Account } from '../src/world/model.ts';
import { pnJid } from '../src/world/world.ts';
import { RawClient } from './raw-client.ts';

const STATUS = 'status@broadcast';

let sandbox: Sandbox;
let number = 15_550_042_000;
let author: Account;
let reader: Account;
let client: RawClient;

beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(async () => {
  author = sandbox.world.account(String(++number));
  reader = sandbox.world.account(String(++number));
  client = await login(author);
});

async function login(account: Account): Promise<RawClient> {
  const connected = await RawClient.connect(sandbox.platformUrl, sandbox.provision(account.number));
  await connected.goLive();
  return connected;
}

const enc = (type: string, v = '2'): BinaryNode => ({
  tag: 'enc',
  attrs: { v, type },
  content: Buffer.alloc(80, 3),
});

/** Posts a status for the reader's device and resolves with the error in the ack. */
async function post(id: string, encrypted: BinaryNode, attrs: BinaryNode['attrs'] = {}): Promise<string | undefined> {
  const to = { tag: 'to', attrs: { jid: pnJid(reader, 1) }, content: [enc('msg')] };
  const content = [{ tag: 'participants', attrs: {}, content: [to] }, encrypted];
  client.send({ tag: 'message', attrs: { id, to: STATUS, type: 'text', ...attrs }, content });
  return (await client.received('ack', { class: 'message', id })).attrs.error;
}

describe('the server refuses a status without a sender key message or with an addressing mode', () => {
  it('a status must be encrypted with a sender key and must not name an addressing mode', async () => {
    expect(await post('A', enc('skmsg'))).toBeUndefined();
    expect(await post('B', enc('msg'))).toBe('479');
    expect(await post('C', enc('skmsg', '1'))).toBe('479');
    expect(await post('D', enc('skmsg'), { addressing_mode: 'lid' })).toBe('479');
  });
});

describe('statuses that a reader cannot decrypt', () => {
  it('a status is requested again from the client that posted it, which sends it to this reader only', async () => {
    const [first, second] = [await login(reader), await login(reader)];
    await post('LOST', enc('skmsg'));
    const lost = await first.received('message', { id: 'LOST', from: STATUS });
    expect(lost.attrs.participant).toBe(pnJid(author, 1));
    const retry = { tag: 'retry', attrs: { count: '1', id: 'LOST', t: '1', v: '1' } };
    const request = { id: 'LOST', to: STATUS, participant: pnJid(author, 1), type: 'retry' };
    first.send({ tag: 'receipt', attrs: request, content: [retry] });
    const retryReceipt = await client.received('receipt', { id: 'LOST', type: 'retry' });
    expect(retryReceipt.attrs).toMatchObject({ from: STATUS, participant: pnJid(reader, 1) });
    expect(getBinaryNodeChild(retryReceipt, 'retry')?.attrs.count).toBe('1');

    const participant = retryReceipt.attrs.participant ?? '';
    client.send({
      tag: 'message',
      attrs: { id: 'LOST', to: STATUS, participant, type: 'text' },
      content: [{ ...enc('msg'), attrs: { v: '2', type: 'msg', count: '1' } }],
    });
    const resent = await first.until(() => first.nodes.find((node) => getBinaryNodeChild(node, 'enc')?.attrs.count));
    expect(resent.attrs).toMatchObject({ id: 'LOST', from: STATUS, participant: pnJid(author, 1) });
    await second.ask({ xmlns: 'w:p', type: 'get' });
    expect(second.nodes.filter(({ tag }) => tag === 'message')).toEqual([]);
  });

  it('a status is not sent again to a reader who has blocked the author', async () => {
    const blockingReader = await login(reader);
    reader.blocked.add(author.number);
    const attrs = { id: 'UNWANTED', to: STATUS, participant: pnJid(reader, 1), type: 'text' };
    client.send({ tag: 'message', attrs, content: [enc('msg')] });
    await client.received('ack', { class: 'message', id: 'UNWANTED' });
    await client.ask({ xmlns: 'w:p', type: 'get' });
    await blockingReader.ask({ xmlns: 'w:p', type: 'get' });
    expect(blockingReader.nodes.filter(({ tag }) => tag === 'message')).toEqual([]);
  });
});
