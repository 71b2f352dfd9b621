import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';

type LogLine = Record<string, unknown>;

const modules = new URL('../../src/', import.meta.url);
const TEN_MEGABYTES = "for (let n = 0; n < 10_000; n++) log.info({ n, text: 'x'.repeat(1_000) }, 'line');";

/**
 * Starts a process that logs to `output` and stops as the gateway does. It runs `code`, and then writes "alive" to
 * standard error while its event loop continues.
 */
function startProcess(code: string, output: 'pipe' | number = 'pipe') {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { createLogger } from '${new URL('observability/logger.ts', modules)}';
       import { installTermination } from '${new URL('app/termination.ts', modules)}';
       const log = createLogger({ logLevel: 'info' });
       installTermination({ name: 'gateway', stopTimeoutMs: 60_000, log, stop: async () => log.info('last line') });
       setInterval(() => process.stderr.write('alive\\n'), 200);
       ${code}`,
    ],
    { stdio: ['ignore', output, 'pipe'] },
  );
  const { stdout, stderr } = child;
  assert(stderr);
  const ended = once(child, 'close').then(([exitCode]) => exitCode as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    stdout?.resume();
    await ended;
  });
  return { child, ended, stdout, stderr, alive: () => once(stderr, 'data') };
}

/** The lines of the log, which start to be read with this call. `onLine` receives each line. */
async function readLog(
  stdout: Readable | null,
  onLine: (line: LogLine) => unknown = () => undefined,
): Promise<LogLine[]> {
  assert(stdout);
  const lines: LogLine[] = [];
  for await (const text of createInterface({ input: stdout })) {
    const line: LogLine = JSON.parse(text);
    lines.push(line);
    onLine(line);
  }
  return lines;
}

describe('StandardOutput', () => {
  it('a process with a log reader that does not read continues, and exits after a signal', async () => {
    const { child, ended, alive } = startProcess(TEN_MEGABYTES);
    await alive();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    child.stdout?.resume();
    await ended;
  });

  it('a slow log reader receives the lines in their order, and a line that counts the dropped ones', async () => {
    const { child, stdout, alive } = startProcess(TEN_MEGABYTES);
    await alive();
    const lines = await readLog(stdout, ({ msg }) => msg === 'log.lines.dropped' && child.kill('SIGTERM'));
    const numbers = lines.filter(({ msg }) => msg === 'line').map(({ n }) => n);
    const dropped = lines.filter(({ msg }) => msg === 'log.lines.dropped');
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(dropped).toEqual([expect.objectContaining({ level: 40, count: 10_000 - numbers.length })]);
    expect(lines.at(-1)).toMatchObject({ msg: 'last line' });
  });

  it('a process that exits at once writes the lines that wait', async () => {
    const { stdout } = startProcess("log.info('first line'); log.info('second line'); process.exit();");
    expect((await readLog(stdout)).map(({ msg }) => msg)).toEqual(['first line', 'second line']);
  });

  it('a process continues when the reader of its log has ended', async () => {
    const { child, ended, alive } = startProcess("setInterval(() => log.info('line'), 1);");
    child.stdout?.destroy();
    await alive();
    await alive();
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('a process continues and exits after a signal when the disk of its log is full', async () => {
    const { child, ended, alive } = startProcess("log.fatal('line');", openSync('/dev/full', 'w'));
    await alive();
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
