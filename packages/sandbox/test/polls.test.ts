import { createHash } from 'node:crypto';
import { decryptPollVote } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { pnJid } from '../src/world/world.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';

onStage();

const hash = (option: string) => createHash('sha256').update(option).digest();

describe('polls', () => {
  it('of a client get votes of a phone that the client can decrypt', async () => {
    const poll = { name: 'When?', values: ['today', 'tomorrow'], selectableCount: 1 };
    const sent = await client.sock.sendMessage(pnJid(peer.account), { poll });
    const id = sent?.key.id ?? '';
    await peer.waitFor(() => peer.messages().some((message) => message.id === id && message.kind === 'poll'));
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

  it('of a phone reach the client with their options', async () => {
    const id = await peer.send(mine, { poll: { name: 'Which?', options: ['a', 'b', 'c'] } });
    const { message } = (await client.message(id)).message;
    expect(message?.pollCreationMessage).toMatchObject({
      name: 'Which?',
      options: [{ optionName: 'a' }, { optionName: 'b' }, { optionName: 'c' }],
    });
  });

  it('refuse a vote for an unknown option, and messages that are no polls refuse votes', async () => {
    const poll = await peer.send(mine, { poll: { name: 'Which?', options: ['a', 'b'] } });
    await expect(peer.send(mine, { vote: { id: poll, options: ['z'] } })).rejects.toThrow(RangeError);
    const text = await peer.send(mine, { text: 'no poll' });
    await expect(peer.send(mine, { vote: { id: text, options: ['a'] } })).rejects.toThrow(RangeError);
  });
});
