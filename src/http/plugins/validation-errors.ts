// Converts schema errors to the texts that clients of other WhatsApp gateways expect. Bodies are converted to the form
// of the schemas before validation (body.ts), but the texts use the field names of the caller. Decision D-013.
import type { FastifySchemaValidationError } from 'fastify';
import { COMPATIBLE_VALIDATION_MESSAGES } from '../../compatibility-phrases.ts';
import { isTypo } from '../../lib/typo.ts';

interface SchemaError extends FastifySchemaValidationError {
  /** The schema with the keyword that failed. Ajv adds this field and `data` because of its option `verbose`. */
  parentSchema?: { required?: string[]; type?: string | string[] };
  /** The invalid value. */
  data?: unknown;
}

/** The segments of a JSON pointer: `['options', 'quoted', '0']` for `/options/quoted/0`. */
const toSegments = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The text form of a path: `events[0].a` for `['events', '0', 'a']`. */
function toDotted(path: readonly string[]): string {
  const parts = path.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`));
  return parts.join('').replace(/^\./, '');
}

/** Converts a path in the form of the schemas to the caller's path. Replaces the longest prefix in `callerPaths`. */
function toCallerPath(path: readonly string[], callerPaths: ReadonlyMap<string, string>): string[] {
  for (let length = path.length; length > 0; length -= 1) {
    const renamed = callerPaths.get(path.slice(0, length).join('.'));
    if (renamed !== undefined) return [...renamed.split('.'), ...path.slice(length)];
  }
  return [...path];
}

/**
 * Returns a question to append to the error text. It suggests the allowed value from which `value` differs by a typing
 * error or in letter case. Empty without such an allowed value. Also empty with a single allowed value, because clients
 * compare that error text.
 */
function toSuggestion(value: unknown, allowed: readonly unknown[]): string {
  if (typeof value !== 'string' || allowed.length < 2) return '';
  const written = value.toUpperCase();
  const meant = allowed
    .map(String)
    .find((name) => written === name.toUpperCase() || isTypo(written, name.toUpperCase()));
  return meant === undefined ? '' : `. Did you mean ${meant}?`;
}

/** The error texts by schema keyword. The name of the field precedes them. */
const ERROR_TEXTS: Record<string, (params: Record<string, unknown>, error: SchemaError) => string> = {
  type: (_, { parentSchema }) => `is not of a type(s) ${[parentSchema?.type].flat().join(',')}`,
  enum: ({ allowedValues }, { data }) =>
    `is not one of enum values: ${String(allowedValues)}${toSuggestion(data, [allowedValues].flat())}`,
  pattern: ({ pattern }) => `does not match pattern ${JSON.stringify(pattern)}`,
  format: ({ format }) => `does not conform to the ${JSON.stringify(format)} format`,
  minLength: ({ limit }) => `does not meet minimum length of ${limit}`,
  maxLength: ({ limit }) => `does not meet maximum length of ${limit}`,
  minItems: ({ limit }) => `does not meet minimum length of ${limit}`,
  maxItems: ({ limit }) => `does not meet maximum length of ${limit}`,
  maxProperties: ({ limit }) => `does not meet maximum property length of ${limit}`,
  uniqueItems: () => 'contains duplicate item',
  minimum: ({ limit }) => `must be greater than or equal to ${limit}`,
  maximum: ({ limit }) => `must be less than or equal to ${limit}`,
};

/** Lists of phone numbers. An error of an entry names the list and not the entry. */
const NUMBER_LISTS = new Set(['mentioned', 'numbers', 'participants']);

/** The error of one field: its path and the text. `path` is empty for the body, which the text calls `instance`. */
export interface Problem {
  path: string[];
  message: string;
}

/** Returns one problem for each missing property, with the path of the object that lacks the property. */
function missingProperties(error: SchemaError, path: string[], callerPaths: ReadonlyMap<string, string>): Problem[] {
  const present = typeof error.data === 'object' && error.data !== null ? error.data : {};
  // Ajv stops at the first missing property, but callers get a list of all missing properties.
  const absent = (error.parentSchema?.required ?? []).filter((name) => !(name in present));
  return absent.map((name) => {
    const full = toCallerPath([...path, name], callerPaths);
    const parent = full.slice(0, -1);
    return { path: parent, message: `${toDotted(parent) || 'instance'} requires property "${full.at(-1)}"` };
  });
}

/**
 * Converts Ajv errors to problems. `callerPaths` maps paths in the form of the schemas to the paths that the caller
 * used, for example `textMessage.text` to `text`.
 */
export function toProblems(errors: readonly SchemaError[], callerPaths: ReadonlyMap<string, string>): Problem[] {
  return errors.flatMap((error) => {
    const inner = toSegments(error.instancePath);
    if (error.keyword === 'required') return missingProperties(error, inner, callerPaths);
    const path = toCallerPath(inner, callerPaths);
    const field = toDotted(path) || 'instance';
    if (error.keyword === 'minLength' && error.data === '')
      return { path, message: `The "${path.at(-1)}" cannot be empty` };
    const list = path.at(-2) ?? '';
    if (NUMBER_LISTS.has(list) && (error.keyword === 'type' || error.keyword === 'pattern'))
      return { path, message: `"${list}" must be an array of numeric strings` };
    return {
      path,
      message: `${field} ${ERROR_TEXTS[error.keyword]?.(error.params, error) ?? error.message ?? 'is invalid'}`,
    };
  });
}

/** The field at the start of an error text, which can be in quotes. */
const LEADING_FIELD = /^"?([a-z]\w*(?:\.\w+|\[\d+\])*)"?(?=[ :])/i;

/**
 * Converts an error text of an operation to a problem. The text names a field as the schema does. The problem names the
 * field as the caller did. `fields`: the query and the converted body. `callerPaths` as in toProblems().
 */
export function toNamedProblem(text: string, fields: object, callerPaths: ReadonlyMap<string, string>): Problem {
  const [, field = ''] = LEADING_FIELD.exec(text) ?? [];
  const path = field.split(/[.[\]]+/).filter(Boolean);
  if (!Object.hasOwn(fields, path[0] ?? '')) return { path: [], message: text };
  const callerPath = toCallerPath(path, callerPaths);
  return { path: callerPath, message: text.replace(field, () => toDotted(callerPath)) };
}

/**
 * Returns `response.message` of the error: the entry of COMPATIBLE_VALIDATION_MESSAGES for the first problem that has
 * one. Without such an entry, returns a list of objects on routes of the area `group`, and on other routes a list that
 * contains one list of texts.
 */
export function toMessage(problems: readonly Problem[], area: string | undefined): readonly unknown[] {
  const compatible = problems.map(({ message }) => COMPATIBLE_VALIDATION_MESSAGES[message]).find(Boolean);
  if (compatible) return compatible;
  if (area !== 'group') return [problems.map(({ message }) => message)];
  return problems.map(({ path, message }) => ({ property: toDotted(['instance', ...path]), message }));
}
