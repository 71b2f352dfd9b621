import { createHash } from 'node:crypto';
import { decryptPollVote } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';

setUpClient();

const hash = (option: string) => createHash('sha256').update(option).digest();

describe('polls', () => {
  it('a client can decrypt the vote of a phone in its poll', async () => {
    const poll = { name: 'When?', values: ['today', 'tomorrow'], selectableCount: 1 };
    const sent = await client.sock.sendMessage(pnJid(peer.account), { poll });
    const id = sent?.key.id ?? '';
    await peer.waitFor(() => peer.messages().some((message) => message.id === id && message.kind === 'poll'));
    const voteId = await peer.send(ownNumber, { vote: { id, options: ['tomorrow'] } });
    const { message } = (await client.message(voteId)).message;
    const update = message?.pollUpdateMessage;
    expect(update?.pollCreationMessageKey).toMatchObject({ id });
    const decrypted = decryptPollVote(update?.vote ?? {}, {
      pollCreatorJid: pnJid(sandbox.world.account(ownNumber)),
      pollMsgId: id,
      pollEncKey: sent?.message?.messageContextInfo?.messageSecret ?? new Uint8Array(),
      voterJid: pnJid(peer.account),
    });
    expect(decrypted.selectedOptions?.map((option) => Buffer.from(option))).toEqual([hash('tomorrow')]);
    expect(peer.messages().at(-1)).toMatchObject({ kind: 'vote', target: id });
  });

  it('a poll of a phone reaches the client with its options', async () => {
    const id = await peer.send(ownNumber, { poll: { name: 'Which?', options: ['a', 'b', 'c'] } });
    const { message } = (await client.message(id)).message;
    expect(message?.pollCreationMessage).toMatchObject({
      name: 'Which?',
      options: [{ optionName: 'a' }, { optionName: 'b' }, { optionName: 'c' }],
    });
  });

  it('a phone cannot vote for an unknown option of a poll, or in a message that is no poll', async () => {
    const poll = await peer.send(ownNumber, { poll: { name: 'Which?', options: ['a', 'b'] } });
    await expect(peer.send(ownNumber, { vote: { id: poll, options: ['z'] } })).rejects.toThrow(RangeError);
    const text = await peer.send(ownNumber, { text: 'no poll' });
    await expect(peer.send(ownNumber, { vote: { id: text, options: ['a'] } })).rejects.toThrow(RangeError);
  });
});
