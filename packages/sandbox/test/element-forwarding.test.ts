// Elements beside the encrypted content that the server copies from the stanza of a sender to that of a receiver.
import { randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import type { Account } from '../src/world/model.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let number = 15_550_034_000;
let sender: RawClient;
let receiver: RawClient;
let receiverAccount: Account;
let senderAccount: Account;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(async () => {
  [senderAccount, receiverAccount] = [sandbox.world.account(String(++number)), sandbox.world.account(String(++number))];
  [sender, receiver] = await Promise.all([login(senderAccount), login(receiverAccount)]);
});

async function login(account: Account): Promise<RawClient> {
  const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(account.number));
  await client.goLive();
  return client;
}

const createExtras = (): BinaryNode[] => [
  { tag: 'meta', attrs: { polltype: 'creation' } },
  {
    tag: 'reporting',
    attrs: {},
    content: [{ tag: 'reporting_token', attrs: { v: '2' }, content: Buffer.alloc(16, 7) }],
  },
];

const encOf = (type: string): BinaryNode => ({ tag: 'enc', attrs: { v: '2', type }, content: randomBytes(60) });

function expectExtras(message: BinaryNode): void {
  expect(getBinaryNodeChild(message, 'meta')?.attrs).toEqual({ polltype: 'creation' });
  const token = getBinaryNodeChild(getBinaryNodeChild(message, 'reporting'), 'reporting_token');
  expect(token?.attrs.v).toBe('2');
  expect(Buffer.from(token?.content as Uint8Array)).toEqual(Buffer.alloc(16, 7));
}

describe('meta and reporting elements', () => {
  it('the meta and reporting elements of a direct message reach the receiver', async () => {
    const to = { tag: 'to', attrs: { jid: pnJid(receiverAccount, 1) }, content: [encOf('msg')] };
    const participants = { tag: 'participants', attrs: {}, content: [to] };
    const attrs = { id: 'DIRECT', to: pnJid(receiverAccount), type: 'poll' };
    sender.send({ tag: 'message', attrs, content: [participants, ...createExtras()] });
    expectExtras(await receiver.received('message', { id: 'DIRECT' }));
  });

  it('the meta and reporting elements of a group message reach the members', async () => {
    const group = sandbox.phones.phone(senderAccount.number).createGroup('Polls', [receiverAccount.number]);
    const attrs = { id: 'GROUP', to: group.id, type: 'poll' };
    sender.send({ tag: 'message', attrs, content: [encOf('skmsg'), ...createExtras()] });
    expectExtras(await receiver.received('message', { id: 'GROUP' }));
  });

  it('the meta and reporting elements of a status reach the readers', async () => {
    const to = { tag: 'to', attrs: { jid: lidJid(receiverAccount, 1) }, content: [encOf('msg')] };
    const participants = { tag: 'participants', attrs: {}, content: [to] };
    const attrs = { id: 'STATUS', to: 'status@broadcast', type: 'text' };
    sender.send({ tag: 'message', attrs, content: [participants, encOf('skmsg'), ...createExtras()] });
    expectExtras(await receiver.received('message', { id: 'STATUS' }));
  });
});
