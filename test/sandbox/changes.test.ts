import { describe, expect, it } from 'vitest';
import { pnJid } from '../../src/sandbox/world.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';

onStage();

const shown = (id: string) => peer.messages().find((message) => message.id === id);
const them = () => pnJid(peer.account);

describe('what a phone shows of a message', { timeout: 20_000 }, () => {
  it('follows the edits, reactions and the deletion by a client', async () => {
    const sent = await client.sock.sendMessage(them(), { text: 'one' });
    const key = { ...sent?.key };
    await peer.until(() => shown(key.id ?? ''));
    await client.sock.sendMessage(them(), { text: 'two', edit: key });
    await peer.until(() => shown(key.id ?? '')?.edited === 'two');
    await client.sock.sendMessage(them(), { react: { text: '👍', key } });
    await peer.until(() => shown(key.id ?? '')?.reactions?.[mine] === '👍');
    await client.sock.sendMessage(them(), { react: { text: '', key } });
    await peer.until(() => Object.keys(shown(key.id ?? '')?.reactions ?? {}).length === 0);
    await client.sock.sendMessage(them(), { delete: key });
    expect(await peer.until(() => shown(key.id ?? '')?.deleted)).toBe(true);
    expect(shown(key.id ?? '')?.text).toBe('one');
  });

  it('does not follow an edit of what somebody else wrote', async () => {
    const id = await peer.send(mine, { text: 'mine' });
    const { message } = await client.message(id);
    const forged = await client.sock.sendMessage(them(), { text: 'forged', edit: message.key });
    await peer.until(() => shown(forged?.key.id ?? ''));
    expect(shown(id)).toMatchObject({ text: 'mine' });
    expect(shown(id)?.edited).toBeUndefined();
  });
});

describe('a voice note', () => {
  it('is reported as played', async () => {
    const sent = await client.sock.sendMessage(them(), { text: 'not really a voice note' });
    const id = sent?.key.id ?? '';
    await peer.until(() => shown(id));
    expect(sandbox.handsets.played(peer.account.number, mine, [id, 'UNKNOWN'])).toEqual([id]);
    await client.until(() => client.status(id) === 5);
  });
});
