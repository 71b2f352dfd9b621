// Backup of a running gateway, and a restore of a copy that is older than the Signal sessions of the phones.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';
import { run } from '../support/process.ts';

const mine = '15550032001';
const contact = '15550032002';

/** Runs the backup program, expects exit code 0 and returns its output. */
async function cli(dataDir: string, ...args: string[]): Promise<string> {
  const program = run(['src/backup/cli.ts', ...args], { DATA_DIR: dataDir });
  expect(await program.ended, program.lines.join('\n')).toBe(0);
  return program.lines.join('\n');
}

async function receiveText(world: World, text: string): Promise<void> {
  await world.sandbox.phones.phone(contact).send(mine, { text });
  await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && JSON.stringify(body).includes(text));
}

async function sendText(world: World, text: string): Promise<void> {
  const sent = await world.api('POST', '/message/sendText/shop', { number: contact, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const phone = world.sandbox.phones.phone(contact);
  await phone.waitFor(() => phone.messages().find((message) => message.text === text));
}

describe('backups', () => {
  it('a backup of a running gateway is private to its owner, and a restored instance still sends and receives', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    await sendText(world, 'before, out');
    await receiveText(world, 'before, in');
    const file = join(emptyFolder(), 'gateway.tar.gz');
    expect(await cli(world.dataDir, 'backup', file)).toContain('1 instance,');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(spawnSync('tar', ['tzf', file], { encoding: 'utf8' }).stdout.split('\n')).toContain('gateway.db');

    // Both ratchets advance.
    for (const n of [1, 2, 3]) {
      await sendText(world, `since ${n}, out`);
      await receiveText(world, `since ${n}, in`);
    }
    await world.gateway.stop();
    expect(await cli(world.dataDir, 'restore', file, '--force')).toContain('before-restore-');
    const postsBefore = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: postsBefore });

    const found = await world.api('POST', '/chat/findMessages/shop', {});
    const texts = JSON.stringify(found.body);
    expect(texts).toContain('before, out');
    expect(texts).not.toContain('since');
    // The ratchet of the restored session is behind that of the phone, so the phone has to resend the message.
    const resend = vi.spyOn(world.sandbox.phones.phone(contact), 'resend');
    await receiveText(world, 'after, in');
    expect(resend).toHaveBeenCalled();
    await sendText(world, 'after, out');
    await receiveText(world, 'after, in again');
  });
});
