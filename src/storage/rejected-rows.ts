// Whether a database refused rows because of what is in them, which it will do at every attempt, or because it failed itself.

/** Result codes of SQLite: too big, constraint, mismatch, and parameter out of range; see https://www.sqlite.org/rescode.html. */
const SQLITE_REFUSALS = new Set([18, 19, 20, 25]);
/**
 * Constraints that say nothing about the content: a row that this one belongs to is gone (foreign key), or a CHECK, of which the schema has
 * none, so that an operator added it.
 */
const SQLITE_OTHER_CONSTRAINTS = new Set([787, 275]);
const POSTGRES_OTHER_CONSTRAINTS = new Set(['23503', '23514']);
/** Classes of SQLSTATE: data exception, integrity constraint, program limit exceeded. */
const POSTGRES_REFUSALS = /^(22|23|54)...$/;
/** Codes of Node for values that cannot be bound. */
const NODE_REFUSALS = /^ERR_(INVALID_ARG_|OUT_OF_RANGE$)/;
/** Errors that building or binding a row throws: too deep or too long for JSON, or not a value of a column. */
const CONTENT_ERRORS = [TypeError, RangeError];

/** Whether `error`, which a store rejected with, lies in the rows. False for an outage, a full disk, a lost lease and the like. */
export function isRejectedRow(error: unknown): boolean {
  if (CONTENT_ERRORS.some((kind) => error instanceof kind)) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  if ('errcode' in cause && typeof cause.errcode === 'number')
    return SQLITE_REFUSALS.has(cause.errcode & 0xff) && !SQLITE_OTHER_CONSTRAINTS.has(cause.errcode);
  if ('severity' in cause && 'code' in cause && typeof cause.code === 'string')
    return POSTGRES_REFUSALS.test(cause.code) && !POSTGRES_OTHER_CONSTRAINTS.has(cause.code);
  return 'code' in cause && NODE_REFUSALS.test(String(cause.code));
}
