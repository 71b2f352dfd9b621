// Runs the import program in the process of the test.
import { run } from '../src/run.ts';

export interface ProgramResult {
  code: number;
  stdout: string;
  stderr: string;
}

interface ProgramOptions {
  env?: Record<string, string>;
  /** Called with each text on stderr. */
  onReport?: (text: string) => void;
  signal?: AbortSignal;
}

/** Runs the import program with the arguments. Resolves with its exit code and output. */
export async function runProgram(
  argv: readonly string[],
  { env = {}, onReport = () => undefined, signal = new AbortController().signal }: ProgramOptions = {},
): Promise<ProgramResult> {
  let stdout = '';
  let stderr = '';
  const code = await run({
    argv,
    env,
    stdout: {
      write(text) {
        stdout += text;
      },
    },
    stderr: {
      write(text) {
        stderr += text;
        onReport(text);
      },
    },
    signal,
  });
  return { code, stdout, stderr };
}
