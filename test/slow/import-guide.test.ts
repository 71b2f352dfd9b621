// Runs the commands of docs/guides/move-sessions.md that need no database. Only the URL of the gateway and the path of
// the program are replaced.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { writeSession } from '../../packages/import/test/stored-session.ts';
import { codeBlocks } from '../support/docs.ts';
import { emptyFolder } from '../support/folder.ts';
import { startImportGateway } from '../support/import-gateway.ts';

const execute = promisify(execFile);
const GATEWAY = 'http://127.0.0.1:8080';
const PROGRAM = 'node packages/import/src/cli.ts';
/** Blocks with these words need a server that this test does not have. */
const NEEDS_DATABASE = /SOURCE_|--database/;

/** The folders and files that the commands name. */
async function prepareFolder(): Promise<string> {
  const folder = emptyFolder();
  for (const name of ['sessions/shop', 'sessions/old', '.sessions/noweb']) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  }
  await writeSession(join(folder, 'sessions/shop'));
  await writeSession(join(folder, 'sessions/old'), 6);
  cpSync(join(folder, 'sessions/shop'), join(folder, '.sessions/noweb/waha'), { recursive: true });
  writeFileSync(join(folder, 'gateway-key'), 'global-key\n', { mode: 0o600 });
  writeFileSync(join(folder, 'passphrase'), 'correct horse battery staple\n', { mode: 0o600 });
  return folder;
}

it('the commands of docs/guides/move-sessions.md move sessions and write the documented files', async () => {
  const folder = await prepareFolder();
  const gateway = await startImportGateway();
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const program = PROGRAM.replace('packages', resolve('packages'));
  for (const block of codeBlocks('docs/guides/move-sessions.md', 'sh')) {
    if (NEEDS_DATABASE.test(block)) continue;
    const lines = block.replaceAll('\\\n', ' ').split('\n');
    // Gateways that answer these requests are in test/e2e/session-transfer.slow.test.ts.
    const commands = lines.filter((line) => !line.startsWith('curl '));
    const script = commands.join('\n').replaceAll(PROGRAM, program).replaceAll(GATEWAY, gateway.url);
    await execute('sh', ['-ec', script], { cwd: folder, env });
    // Replaces the export that the guide makes with curl.
    if (block.includes('--out bundles')) cpSync(join(folder, 'bundles/shop.json'), join(folder, 'shop.session.json'));
  }
  const names = gateway.imports.map(({ body }) => body.bundle.instance.name);
  expect(names).toEqual(['old', 'shop', 'waha', 'old', 'shop']);
  expect(readdirSync(join(folder, 'bundles'))).toEqual(['old.json', 'shop.json']);
  expect(readdirSync(join(folder, 'exported'))).toContain('creds.json');
  expect(readdirSync(folder)).toContain('whatsmeow.db');
});
