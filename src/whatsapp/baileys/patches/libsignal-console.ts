// Silences libsignal, which prints whole session records (private ratchet keys included) with console.*. Refuses to hide anything else.

/** First arguments of every console call in libsignal 6.0.0; a test compares this list with the installed source. */
export const libsignalLines: readonly string[] = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Session already closed',
  'Session already open',
  'Migrating session to:',
  'V1 session storage migration error: registrationId',
  'Closing open session in favor of incoming prekey bundle',
  'WARNING: Expected pubkey of length 33, please report the ST and client that generated the pubkey',
  'Unhandled bucket type (for naming):',
  'Failed to decrypt message with any known session...',
  'Session error:',
  'Decrypted message with closed session.',
];

const isLibsignal = (first: unknown): boolean =>
  typeof first === 'string' &&
  libsignalLines.some((line) => first === line || (line === 'Session error:' && first.startsWith(line)));

type Print = (...line: unknown[]) => void;
const filters = new WeakSet<Print>();

/**
 * Drops libsignal's lines from `target.info`, `warn` and `error`; everything else passes unchanged. Calling it again changes nothing.
 * By first argument and not by call stack: it costs nothing per line and cannot miss one. Returns the undo.
 */
export function installLibsignalConsole(target: Pick<Console, 'info' | 'warn' | 'error'> = console): () => void {
  const { info, warn, error } = target;
  const filtered = (print: Print): Print => {
    if (filters.has(print)) return print;
    const filter: Print = (...line) => {
      if (!isLibsignal(line[0])) print.apply(target, line);
    };
    filters.add(filter);
    return filter;
  };
  target.info = filtered(info);
  target.warn = filtered(warn);
  target.error = filtered(error);
  return () => Object.assign(target, { info, warn, error });
}
