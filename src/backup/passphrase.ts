// Reads the passphrase of a backup from a file, the environment or the terminal. No command-line option contains the
// passphrase, because other users of the machine can read the arguments of a process.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

export interface PassphraseSources {
  /** Path from the option --passphrase-file. */
  file: string | undefined;
  /** The value of BACKUP_PASSPHRASE; '' when it is not set. */
  environment: string;
  /** Prompt at the terminal when no other source is set. The option --passphrase, which takes no value, sets this. */
  shouldPrompt: boolean;
  /** Prompt twice and compare the two passphrases. */
  shouldConfirm: boolean;
  terminal: Terminal;
  /** Ends the prompt. */
  signal: AbortSignal;
}

/**
 * Returns the trimmed passphrase from the first source that is set: the file, the environment, the terminal. Returns ''
 * when no source is set. Rejects with an Error for the operator when the file or the typed passphrase is empty, when
 * the file is unreadable, when there is no terminal to prompt at, or when the two typed passphrases differ. Rejects
 * with an AbortError when `signal` or Ctrl-C ends the prompt.
 */
export async function readPassphrase({
  file,
  environment,
  shouldPrompt,
  shouldConfirm,
  terminal,
  signal,
}: PassphraseSources): Promise<string> {
  if (file !== undefined) return readPassphraseFile(file);
  if (environment.trim() !== '' || !shouldPrompt) return environment.trim();
  if (!terminal.input.isTTY)
    throw new Error('There is no terminal to ask for the passphrase: use --passphrase-file FILE or BACKUP_PASSPHRASE.');
  const passphrase = await promptFor('Passphrase: ', terminal, signal);
  if (passphrase === '') throw new Error('The passphrase is empty.');
  if (shouldConfirm && (await promptFor('Once more: ', terminal, signal)) !== passphrase)
    throw new Error('The two passphrases differ.');
  return passphrase;
}

function readPassphraseFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`The passphrase file ${file} cannot be read.`, { cause });
  }
  if (text === '') throw new Error(`The passphrase file ${file} is empty.`);
  return text;
}

/** Prompts for one line without showing it. Rejects with an AbortError when `signal` or Ctrl-C ends the prompt. */
async function promptFor(question: string, { input, output }: Terminal, signal: AbortSignal): Promise<string> {
  output.write(question);
  // Discards the echo of the typed characters.
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: hidden, terminal: true });
  const interruption = new AbortController();
  lines.once('SIGINT', () => interruption.abort());
  try {
    return (await lines.question('', { signal: AbortSignal.any([signal, interruption.signal]) })).trim();
  } finally {
    lines.close();
    output.write('\n');
  }
}
