// Whether a database refused rows because of what is in them, which it will do at every attempt, or because it failed itself.

/** Result codes of SQLite: too big, constraint, mismatch, and parameter out of range; see https://www.sqlite.org/rescode.html. */
const SQLITE_REFUSALS = new Set([18, 19, 20, 25]);
/** A row that this one belongs to is gone, such as its instance. */
const SQLITE_FOREIGN_KEY = 787;
const POSTGRES_FOREIGN_KEY = '23503';
/** Classes of SQLSTATE: data exception, integrity constraint, program limit exceeded. */
const POSTGRES_REFUSALS = /^(22|23|54)...$/;
/** Codes of Node for values that cannot be bound. */
const NODE_REFUSALS = /^ERR_(INVALID_ARG_|OUT_OF_RANGE$)/;
/** Errors that building or binding a row throws: too deep or too long for JSON, or not a value of a column. */
const CONTENT_ERRORS = [TypeError, RangeError];

/** Whether `error`, which a store rejected with, lies in the rows. False for an outage, a full disk, a lost lease and the like. */
export function isRefusal(error: unknown): boolean {
  if (CONTENT_ERRORS.some((kind) => error instanceof kind)) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  if ('errcode' in cause && typeof cause.errcode === 'number')
    return SQLITE_REFUSALS.has(cause.errcode & 0xff) && cause.errcode !== SQLITE_FOREIGN_KEY;
  if ('severity' in cause && 'code' in cause && typeof cause.code === 'string')
    return POSTGRES_REFUSALS.test(cause.code) && cause.code !== POSTGRES_FOREIGN_KEY;
  return 'code' in cause && NODE_REFUSALS.test(String(cause.code));
}
