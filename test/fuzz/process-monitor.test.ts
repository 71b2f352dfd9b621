// The gateway of the fuzzer ends with the fuzzer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';

it('a watched process ends with SIGKILL when the fuzzer closes its command channel', async () => {
  const script = 'setInterval(() => undefined, 1_000); console.log("started")';
  const child = spawn(process.execPath, ['--import', './test/fuzz/process-monitor.ts', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  if (child.stdout) await once(child.stdout, 'data');
  const [, , , , commands] = child.stdio;
  commands?.destroy();
  expect(await ended).toEqual([null, 'SIGKILL']);
});
