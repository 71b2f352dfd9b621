// Reads the passphrase of a backup from a file, the environment or the terminal. Not from an argument, which other users of the machine
// can read.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

export interface PassphraseSources {
  /** --passphrase-file */
  file: string | undefined;
  /** BACKUP_PASSPHRASE; '' when it is not set. */
  environment: string;
  /** --passphrase: prompt for it. */
  isAsked: boolean;
  /** Prompt twice, for a new backup. */
  isNew: boolean;
  terminal: Terminal;
}

/**
 * The trimmed passphrase from the first source that is set; '' for none. Rejects with an Error for the operator when the file is empty or
 * unreadable, when there is no terminal to prompt at, or when the two entries differ.
 */
export async function readPassphrase({
  file,
  environment,
  isAsked,
  isNew,
  terminal,
}: PassphraseSources): Promise<string> {
  if (file !== undefined) return readFrom(file);
  if (environment.trim() !== '' || !isAsked) return environment.trim();
  if (!terminal.input.isTTY)
    throw new Error('There is no terminal to ask for the passphrase: use --passphrase-file FILE or BACKUP_PASSPHRASE.');
  const passphrase = await ask(terminal, 'Passphrase: ');
  if (passphrase === '') throw new Error('The passphrase is empty.');
  if (isNew && (await ask(terminal, 'Once more: ')) !== passphrase) throw new Error('The two passphrases differ.');
  return passphrase;
}

function readFrom(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`The passphrase file ${file} cannot be read.`, { cause });
  }
  if (text === '') throw new Error(`The passphrase file ${file} is empty.`);
  return text;
}

/** Prompts for one line without echo. */
async function ask({ input, output }: Terminal, question: string): Promise<string> {
  output.write(question);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: hidden, terminal: true });
  const aborted = new AbortController();
  lines.once('SIGINT', () => aborted.abort());
  try {
    return (await lines.question('', { signal: aborted.signal })).trim();
  } finally {
    lines.close();
    output.write('\n');
  }
}
