import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort, run } from '../support/process.ts';

const shell = promisify(execFile);

describe('npm run sandbox', () => {
  it('prints a tour whose lines work when pasted one after another', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'gateway-tour-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const program = run(['src/sandbox/cli.ts'], {
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      DATA_DIR: dataDir,
    });
    await program.line(/Ctrl-C/);
    const commands = program.lines.filter((line) => line.trim().startsWith('curl ')).map((line) => line.trim());
    expect(commands.length).toBeGreaterThanOrEqual(8);
    const answers: unknown[] = [];
    for (const command of commands) {
      const { stdout } = await shell('sh', ['-c', `${command} --fail-with-body`]);
      answers.push(JSON.parse(stdout));
    }
    const all = JSON.stringify(answers);
    expect(all).toContain('Hello from the gateway');
    expect(all).toContain('Hello from the phone');
    expect(answers.at(-1)).toMatchObject({ status: 'SUCCESS' });
    expect(await program.stop('SIGINT')).toBe(0);
  });

  it('is the tour of the README', async () => {
    const readme = readFileSync('README.md', 'utf8');
    const { tour } = await import('../../src/sandbox/tour.ts');
    const places = { gateway: 'http://127.0.0.1:8080', control: 'http://127.0.0.1:8081', key: '$KEY' };
    for (const { command } of tour(places))
      expect(readme).toContain(command.replace("'apikey: $KEY'", '"apikey: $KEY"'));
  });
});
