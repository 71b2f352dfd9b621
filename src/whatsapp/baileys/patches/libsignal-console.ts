// Drops the console output of libsignal.
// Why: libsignal prints whole session records with console.info, private ratchet keys included. They would be in the
//   logs of the process.
// Upstream: WhiskeySockets/libsignal-node issue #1, WhiskeySockets/Baileys issues #888 and #2098.
// Applies to: libsignal 6.0.0.
// Remove when: libsignal does not call console.*.

/** The first arguments of all console calls in libsignal 6.0.0. A test compares this list with the installed source. */
export const LIBSIGNAL_MESSAGES: readonly string[] = [
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

/** True for the first argument of a libsignal line. libsignal appends the error to the text `Session error:`. */
const isLibsignalLine = (first: unknown): boolean =>
  typeof first === 'string' &&
  LIBSIGNAL_MESSAGES.some((line) => first === line || (line === 'Session error:' && first.startsWith(line)));

type Print = (...line: unknown[]) => void;
const filters = new WeakSet<Print>();

/**
 * Drops libsignal's lines from `target.info`, `warn` and `error` and passes all other lines on. Idempotent. Recognizes
 * a line by its first argument, not by the call stack, because capturing a stack costs time for every line. Returns a
 * function that removes the filter.
 */
export function installLibsignalConsole(target: Pick<Console, 'info' | 'warn' | 'error'> = console): () => void {
  const { info, warn, error } = target;
  const withFilter = (print: Print): Print => {
    if (filters.has(print)) return print;
    const filter: Print = (...line) => {
      if (!isLibsignalLine(line[0])) print.apply(target, line);
    };
    filters.add(filter);
    return filter;
  };
  target.info = withFilter(info);
  target.warn = withFilter(warn);
  target.error = withFilter(error);
  return () => Object.assign(target, { info, warn, error });
}
