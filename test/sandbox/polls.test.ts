import { createHash } from 'node:crypto';
import { decryptPollVote } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Phone } from '../../src/sandbox/phone.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { pnJid } from '../../src/sandbox/world.ts';
import { RealClient } from './real-client.ts';

let sandbox: Sandbox;
let nextNumber = 15_550_009_101;
let mine: string;
let peer: Phone;
let client: RealClient;

beforeAll(async () => {
  for (const name of ['info', 'warn', 'error'] as const) vi.spyOn(console, name).mockReturnValue(undefined);
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  mine = String(nextNumber++);
  peer = sandbox.handsets.phone(String(nextNumber++));
  client = new RealClient(sandbox.platformUrl, { creds: sandbox.provision(mine), keys: new Map() });
  await client.open();
});
afterEach(async () => {
  await client.sock.end(undefined);
  expect(sandbox.unanswered).toEqual([]);
});

const hash = (option: string) => createHash('sha256').update(option).digest();

describe('polls', { timeout: 20_000 }, () => {
  it('of a client are voted on by a phone, in a way that the client can read', async () => {
    const poll = { name: 'When?', values: ['today', 'tomorrow'], selectableCount: 1 };
    const sent = await client.sock.sendMessage(pnJid(peer.account), { poll });
    const id = sent?.key.id ?? '';
    await peer.until(() => peer.messages().some((message) => message.id === id && message.kind === 'poll'));
    const voteId = await peer.send(mine, { vote: { id, options: ['tomorrow'] } });
    const { message } = (await client.message(voteId)).message;
    const update = message?.pollUpdateMessage;
    expect(update?.pollCreationMessageKey).toMatchObject({ id });
    const read = decryptPollVote(update?.vote ?? {}, {
      pollCreatorJid: pnJid(sandbox.world.account(mine)),
      pollMsgId: id,
      pollEncKey: sent?.message?.messageContextInfo?.messageSecret ?? new Uint8Array(),
      voterJid: pnJid(peer.account),
    });
    expect(read.selectedOptions?.map((option) => Buffer.from(option))).toEqual([hash('tomorrow')]);
    expect(peer.messages().at(-1)).toMatchObject({ kind: 'vote', target: id });
  });

  it('of a phone arrive with their options', async () => {
    const id = await peer.send(mine, { poll: { name: 'Which?', options: ['a', 'b', 'c'] } });
    const { message } = (await client.message(id)).message;
    expect(message?.pollCreationMessage).toMatchObject({
      name: 'Which?',
      options: [{ optionName: 'a' }, { optionName: 'b' }, { optionName: 'c' }],
    });
  });

  it('take no vote for an option they do not have, and nothing else takes votes', async () => {
    const poll = await peer.send(mine, { poll: { name: 'Which?', options: ['a', 'b'] } });
    await expect(peer.send(mine, { vote: { id: poll, options: ['z'] } })).rejects.toThrow(RangeError);
    const text = await peer.send(mine, { text: 'no poll' });
    await expect(peer.send(mine, { vote: { id: text, options: ['a'] } })).rejects.toThrow(RangeError);
  });
});
