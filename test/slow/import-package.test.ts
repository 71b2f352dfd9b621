// The package messaging-gateway-import as npm packs it. It is compiled and runs without the sources of this repository.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSession } from '../../packages/import/test/stored-session.ts';
import { startImportGateway } from '../support/import-gateway.ts';
import { installPackage, type PackedPackage } from '../support/packed-package.ts';
import { run } from '../support/process.ts';

const NAME = 'messaging-gateway-import';
let installed: PackedPackage;
let folder: string;

beforeAll(async () => {
  installed = await installPackage(NAME, 'packages/import');
  ({ folder } = installed);
}, 120_000);
afterAll(() => installed.remove());

const runCommand = (argv: readonly string[], env: Record<string, string> = {}) =>
  run([installed.commandPath(NAME), ...argv], env, { cwd: folder });

describe('the package messaging-gateway-import', () => {
  it('the import package contains JavaScript, a README, and only session-bundle and lib of the gateway', () => {
    const { files, read } = installed;
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/packages/import/src/cli.js']));
    expect(files.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
    const gateway = files.filter((path) => /^dist\/src\/.*\.js$/.test(path));
    expect(gateway.filter((path) => !/^dist\/src\/(session-bundle|lib)\//.test(path))).toEqual([]);
    const texts = files.filter((path) => path.endsWith('.js')).map(read);
    expect(texts.filter((text) => /\bfrom '[^']*\.ts'/.test(text))).toEqual([]);
  });

  it('the packed import program prints its help and ends with code 2 for wrong arguments', async () => {
    const help = runCommand(['--help']);
    expect(await help.ended).toBe(0);
    expect(help.lines[0]).toBe('Moves linked WhatsApp sessions between programs, without a new QR code.');
    const wrong = runCommand(['--from', 'telegram']);
    expect(await wrong.ended).toBe(2);
    expect(wrong.lines[0]).toMatch(
      /^messaging-gateway-import: --from telegram is unknown: use one of .* See --help\.$/,
    );
  });

  it('the packed import program moves a session from a Baileys folder to an encrypted bundle and back', async () => {
    const source = join(folder, 'shop');
    mkdirSync(source, { mode: 0o700 });
    await writeSession(source);
    writeFileSync(join(folder, 'passphrase'), 'correct horse battery staple\n');
    const passphraseArgs = ['--passphrase-file', 'passphrase'];
    const out = runCommand(['--from', 'baileys', '--path', 'shop', '--out', 'shop.json', ...passphraseArgs]);
    expect(await out.ended, out.lines.join('\n')).toBe(0);
    expect(statSync(join(folder, 'shop.json')).mode & 0o777).toBe(0o600);
    const back = runCommand(['--from', 'bundle', '--path', 'shop.json', '--to-baileys', 'back', ...passphraseArgs]);
    expect(await back.ended, back.lines.join('\n')).toBe(0);
    expect(readdirSync(join(folder, 'back'))).toContain('creds.json');
  });

  it('the packed import program ends after the current session on Ctrl-C', async () => {
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(join(folder, 'several', name), { recursive: true, mode: 0o700 });
      await writeSession(join(folder, 'several', name));
    }
    const requestArrived = Promise.withResolvers<void>();
    const answerReleased = Promise.withResolvers<void>();
    const gateway = await startImportGateway({
      async answer() {
        requestArrived.resolve();
        await answerReleased.promise;
        return { status: 201 };
      },
    });
    const program = runCommand(['--from', 'baileys', '--path', 'several', '--to', gateway.url], {
      GATEWAY_KEY: 'global-key',
    });
    await requestArrived.promise;
    const exitCode = program.stop('SIGINT');
    await program.line(/^Stopping after this session\./);
    answerReleased.resolve();
    expect(await exitCode).toBe(1);
    expect(program.lines).toContain('3 sessions: 1 written, 2 not started.');
    expect(gateway.imports).toHaveLength(1);
  });
});
