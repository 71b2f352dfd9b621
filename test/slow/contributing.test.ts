// Runs the commands of CONTRIBUTING.md without changes, except those that install packages or run all tests.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const shell = promisify(execFile);

/** The workflows or test/slow/readme.test.ts run these commands. */
const ELSEWHERE = ['npm ci', 'npm run sandbox', 'npm run check', 'npm test', 'npm run test:slow', 'npm run coverage'];
/** This command ends with code 69 without a registry. test/upstream tests it. */
const ONLINE = ['npm run upstream'];

const codeBlocks = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^ *```sh\n(.*?)^ *```$/gms)];
const commands = codeBlocks.flatMap(([, lines = '']) =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
);
const runnable = commands.filter((command) => !ELSEWHERE.includes(command) && !ONLINE.includes(command));
const GENERATED = ['.env.example', 'openapi/types.ts', 'src/http/schemas/message.ts', 'docs/reference/settings.md'];

describe('CONTRIBUTING.md', () => {
  it('CONTRIBUTING.md contains all excluded commands and more than five commands that this test runs', () => {
    expect(runnable.length).toBeGreaterThan(5);
    expect(commands).toEqual(expect.arrayContaining([...ELSEWHERE, ...ONLINE]));
  });

  it.each(runnable)('the command "%s" of CONTRIBUTING.md succeeds and changes no generated file', async (command) => {
    const readGenerated = () => GENERATED.map((path) => readFileSync(path, 'utf8'));
    const before = readGenerated();
    // Vitest marks the processes that it starts as its workers by these variables.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$|^TEST$/.test(name)),
    );
    await shell('sh', ['-c', command], { env, maxBuffer: 2 ** 26 });
    expect(readGenerated()).toEqual(before);
  });
});
