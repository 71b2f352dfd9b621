// Runs a script in a separate process, for rare work that needs much memory. A process returns its memory to the
// operating system when it ends. Most of the memory of a worker thread would stay with the gateway.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/**
 * Runs the script with `input` on standard input and without environment variables. Resolves with its standard output.
 * When the script fails, rejects with an Error whose message contains the script's standard error. Rejects with the
 * error of `spawn` when the script cannot be started.
 */
export async function runScript(script: URL, input: string | Buffer = ''): Promise<Buffer> {
  const child = spawn(process.execPath, [fileURLToPath(script)], { env: {}, stdio: 'pipe' });
  // The pipes of the process are used only after `spawn`, because they do not exist if the process does not start, for
  // example when the gateway can open no more files.
  await once(child, 'spawn');
  const exit = once(child, 'exit');
  // A script that ends without reading its input closes the pipe. The write then fails, but its error is not relevant.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([buffer(child.stdout), text(child.stderr), exit]);
  if (code !== 0) throw new Error(`${fileURLToPath(script)} failed: ${errors.trim()}`);
  return output;
}
