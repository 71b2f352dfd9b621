// A copy of a running gateway, and a gateway that starts on one which is older than what its devices did since.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';
import { run } from '../support/process.ts';

const mine = '15550032001';
const theirs = '15550032002';

/** What the program printed, without progress. */
async function cli(dataDir: string, ...args: string[]): Promise<string> {
  const program = run(['src/backup/cli.ts', ...args], { DATA_DIR: dataDir });
  expect(await program.ended, program.lines.join('\n')).toBe(0);
  return program.lines.join('\n');
}

async function arrives(world: World, text: string): Promise<void> {
  await world.sandbox.phones.phone(theirs).send(mine, { text });
  await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && JSON.stringify(body).includes(text));
}

async function leaves(world: World, text: string): Promise<void> {
  const sent = await world.api('POST', '/message/sendText/shop', { number: theirs, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const phone = world.sandbox.phones.phone(theirs);
  await phone.waitFor(() => phone.messages().find((message) => message.text === text));
}

describe('a backup', () => {
  it('of a running gateway is one file for its owner alone, and an older one works when devices have gone on since', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    await leaves(world, 'before, out');
    await arrives(world, 'before, in');
    const file = join(emptyFolder(), 'gateway.tar.gz');
    expect(await cli(world.dataDir, 'backup', file)).toContain('1 instance,');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(spawnSync('tar', ['tzf', file], { encoding: 'utf8' }).stdout.split('\n')).toContain('gateway.db');

    // Both ratchets turn.
    for (const n of [1, 2, 3]) {
      await leaves(world, `since ${n}, out`);
      await arrives(world, `since ${n}, in`);
    }
    await world.gateway.stop();
    expect(await cli(world.dataDir, 'restore', file, '--force')).toContain('before-restore-');
    const seen = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: seen });

    const found = await world.api('POST', '/chat/findMessages/shop', {});
    const texts = JSON.stringify(found.body);
    expect(texts).toContain('before, out');
    expect(texts).not.toContain('since');
    // The ratchet of the copy is one that the device has left.
    const resend = vi.spyOn(world.sandbox.phones.phone(theirs), 'resend');
    await arrives(world, 'after, in');
    expect(resend).toHaveBeenCalled();
    await leaves(world, 'after, out');
    await arrives(world, 'after, in again');
  });
});
