// Converts errors of database drivers to sentences for the operator. Messages of the drivers are left out, because some
// contain the statement or the URL.

/**
 * Sentences by error code; `title` names the server. The codes are of Node.js, of PostgreSQL (five characters) and of
 * MySQL (ER_…).
 */
const REASONS: readonly [codes: readonly string[], sentence: (title: string) => string][] = [
  [['ECONNREFUSED'], (title) => `No server listens: ${title}.`],
  [['ENOTFOUND', 'EAI_AGAIN'], (title) => `The host is unknown: ${title}.`],
  [
    ['28P01', 'ER_ACCESS_DENIED_ERROR', 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR'],
    (title) => `The user or the password is wrong: ${title}.`,
  ],
  [['3D000', 'ER_BAD_DB_ERROR'], (title) => `The database does not exist: ${title}.`],
  [
    ['28000'],
    (title) => `The server refuses the connection: ${title}. If it requires TLS, append ?sslmode=require to the URL.`,
  ],
  [
    ['42501', 'ER_DBACCESS_DENIED_ERROR', 'ER_TABLEACCESS_DENIED_ERROR', 'ER_COLUMNACCESS_DENIED_ERROR'],
    (title) => `The user has no permission to read: ${title}.`,
  ],
  [['53300', 'ER_CON_COUNT_ERROR'], (title) => `The server has too many connections: ${title}.`],
];
/** Codes of timeouts. 57014 is PostgreSQL's `query_canceled`, for example after its `statement_timeout`. */
const TIMEOUT_CODES = ['ETIMEDOUT', 'PROTOCOL_SEQUENCE_TIMEOUT', '57014'];
/** Messages of timeouts to which the driver of PostgreSQL gives no code. */
const TIMEOUT_MESSAGES = ['Query read timeout', 'timeout expired'];

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Whether a connection or a query failed because the server did not answer in time. */
export const isTimeout = (error: unknown): boolean =>
  TIMEOUT_CODES.includes(codeOf(error)) || (error instanceof Error && TIMEOUT_MESSAGES.includes(error.message));

/** Returns the Error for the operator. `title` is the program and the address of the server, without secrets. */
export function describeFailure(error: unknown, title: string): Error {
  if (isTimeout(error)) return new Error(`The server does not answer in time: ${title}.`);
  const code = codeOf(error);
  const [, sentence] = REASONS.find(([codes]) => codes.includes(code)) ?? [];
  if (sentence) return new Error(sentence(title));
  return new Error(`The connection or a query failed: ${title}${code === '' ? '' : ` (${code})`}.`);
}
