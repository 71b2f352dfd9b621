// The commands of CONTRIBUTING.md, run as they stand there, except those that install packages or run all tests.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const shell = promisify(execFile);

/** Run by the workflows, or by test/slow/readme.test.ts. */
const ELSEWHERE = ['npm ci', 'npm run sandbox', 'npm run check', 'npm test', 'npm run test:slow', 'npm run coverage'];
/** Ends with 69 without a registry; test/upstream has its tests. */
const ONLINE = ['npm run upstream'];

const blocks = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^ *```sh\n(.*?)^ *```$/gms)];
const commands = blocks.flatMap(([, lines = '']) =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
);
const runnable = commands.filter((command) => !ELSEWHERE.includes(command) && !ONLINE.includes(command));
const GENERATED = ['.env.example', 'openapi/types.ts', 'src/http/schemas/message.ts', 'docs/reference/settings.md'];

describe('CONTRIBUTING.md', () => {
  it('has commands, most of which this test runs', () => {
    expect(runnable.length).toBeGreaterThan(5);
    expect(commands).toEqual(expect.arrayContaining([...ELSEWHERE, ...ONLINE]));
  });

  it.each(runnable)('%s works and changes no file', async (command) => {
    const read = () => GENERATED.map((path) => readFileSync(path, 'utf8'));
    const before = read();
    // Vitest tells the processes that it starts that they are its workers.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$|^TEST$/.test(name)),
    );
    await shell('sh', ['-c', command], { env, maxBuffer: 2 ** 26 });
    expect(read()).toEqual(before);
  });
});
