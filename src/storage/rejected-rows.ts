// Distinguishes two kinds of errors of a write: errors that the content of a row causes, which every retry would
// repeat, and failures of the database. Decision D-151.
import { hasCode } from '../errors.ts';

/**
 * Primary result codes of SQLite: too big, constraint, mismatch, parameter out of range
 * (https://www.sqlite.org/rescode.html).
 */
const SQLITE_ROW_ERRORS = new Set([18, 19, 20, 25]);
/**
 * Codes of violated constraints that do not count as errors of the content: first a foreign key, whose referenced row
 * was deleted; then a CHECK. The schema of the gateway has no CHECK, so an operator must have added it.
 */
const SQLITE_EXEMPT_CONSTRAINTS = new Set([787, 275]);
const POSTGRES_EXEMPT_CONSTRAINTS = new Set(['23503', '23514']);
/** The SQLSTATE classes data exception, integrity constraint violation and program limit exceeded. */
const POSTGRES_ROW_ERRORS = /^(22|23|54)...$/;
/** Node's error codes for values that cannot be bound to a statement. */
const NODE_ROW_ERRORS = /^ERR_(INVALID_ARG_|OUT_OF_RANGE$)/;
/** Errors thrown while a row is created: a value is too deep or too long for JSON, or cannot be stored in a column. */
const CONTENT_ERRORS = [TypeError, RangeError];

/**
 * Whether the content of the rows caused `error`. False for an outage, a full disk, or a lost lease (another node owns
 * the instance now).
 */
export function isRejectedRow(error: unknown): boolean {
  if (CONTENT_ERRORS.some((kind) => error instanceof kind)) return true;
  // The storage throws STORAGE_UNAVAILABLE, with the error of the database driver as the cause.
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  // Only errors of SQLite have `errcode`, the extended result code. Its lowest byte is the primary result code.
  if ('errcode' in cause && typeof cause.errcode === 'number')
    return SQLITE_ROW_ERRORS.has(cause.errcode & 0xff) && !SQLITE_EXEMPT_CONSTRAINTS.has(cause.errcode);
  // Only errors of PostgreSQL have `severity`.
  if ('severity' in cause && 'code' in cause && typeof cause.code === 'string')
    return POSTGRES_ROW_ERRORS.test(cause.code) && !POSTGRES_EXEMPT_CONSTRAINTS.has(cause.code);
  return 'code' in cause && NODE_ROW_ERRORS.test(String(cause.code));
}

/**
 * Whether `error` of a transaction or query is a failure of the database. False for a rejected row, a lost lease, and
 * an error that the work itself has thrown.
 */
export const isDatabaseFailure = (error: unknown): boolean =>
  hasCode(error, 'STORAGE_UNAVAILABLE') && !isRejectedRow(error);
