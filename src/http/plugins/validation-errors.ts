// Converts schema errors to the texts that clients of other gateways know, with the field names that the caller used.
// Pure.
import type { FastifySchemaValidationError } from 'fastify';

interface SchemaError extends FastifySchemaValidationError {
  /** From Ajv's option `verbose`: the schema with the failed keyword, and the invalid value. */
  parentSchema?: { required?: string[]; type?: string | string[] };
  data?: unknown;
}

/** `/options/quoted/0` → `['options', 'quoted', '0']` (JSON pointer). */
const toSegments = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `['events', '0', 'a']` → `events[0].a`. */
const toDotted = (path: readonly string[]) =>
  path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');

/** The path that the caller used for a path of the v1 form, by the longest renamed prefix. */
function toCallerPath(path: readonly string[], names: ReadonlyMap<string, string>): string[] {
  for (let length = path.length; length > 0; length -= 1) {
    const renamed = names.get(path.slice(0, length).join('.'));
    if (renamed !== undefined) return [...renamed.split('.'), ...path.slice(length)];
  }
  return [...path];
}

const SENTENCES: Record<string, (params: Record<string, unknown>, error: SchemaError) => string> = {
  type: (_, { parentSchema }) => `is not of a type(s) ${[parentSchema?.type].flat().join(',')}`,
  enum: ({ allowedValues }) => `is not one of enum values: ${String(allowedValues)}`,
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

/** Lists of numbers, whose errors name the list and not the entry. */
const NUMBER_LISTS = new Set(['mentioned', 'numbers', 'participants']);

/** The error of one field: its path (empty for the body itself) and the text. */
export interface Problem {
  path: string[];
  message: string;
}

function missingProperties(error: SchemaError, path: string[], names: ReadonlyMap<string, string>): Problem[] {
  const given = typeof error.data === 'object' && error.data !== null ? error.data : {};
  // Ajv stops at the first missing property; report all of them.
  const absent = (error.parentSchema?.required ?? []).filter((name) => !(name in given));
  return absent.map((name) => {
    const full = toCallerPath([...path, name], names);
    const parent = full.slice(0, -1);
    return { path: parent, message: `${toDotted(parent) || 'instance'} requires property "${full.at(-1)}"` };
  });
}

/**
 * Converts Ajv errors to problems. `names` maps dotted paths of the v1 form to those that the caller used
 * (`textMessage.text` → `text`).
 */
export function toProblems(errors: readonly SchemaError[], names: ReadonlyMap<string, string>): Problem[] {
  return errors.flatMap((error) => {
    const inner = toSegments(error.instancePath);
    if (error.keyword === 'required') return missingProperties(error, inner, names);
    const path = toCallerPath(inner, names);
    const field = toDotted(path) || 'instance';
    if (error.keyword === 'minLength' && error.data === '')
      return { path, message: `The "${path.at(-1)}" cannot be empty` };
    const list = path.at(-2) ?? '';
    if (NUMBER_LISTS.has(list) && (error.keyword === 'type' || error.keyword === 'pattern'))
      return { path, message: `"${list}" must be an array of numeric strings` };
    return {
      path,
      message: `${field} ${SENTENCES[error.keyword]?.(error.params, error) ?? error.message ?? 'is invalid'}`,
    };
  });
}

/** Texts that clients of other gateways parse, by the text of the field error that they replace. Do not reword them. */
const COMPATIBLE_MESSAGES: Readonly<Record<string, readonly string[]>> = {
  'instance requires property "groupJid"': [
    'The group id needs to be informed in the query',
    'ex: "groupJid=120362@g.us"',
  ],
  'instance requires property "inviteCode"': [
    'The group invite code id needs to be informed in the query',
    'ex: "inviteCode=F1EX5QZxO181L3TMVP31gY" (Obtained from group join link)',
  ],
  'instance requires property "getParticipants"': ['The getParticipants needs to be informed in the query'],
  'integration is not one of enum values: WHATSAPP-BAILEYS': ['Invalid integration'],
};

/**
 * `response.message` for problems: a nested list, objects with `property` on group routes, or a text of
 * COMPATIBLE_MESSAGES.
 */
export function toMessage(problems: readonly Problem[], area: string | undefined): readonly unknown[] {
  const known = problems.map(({ message }) => COMPATIBLE_MESSAGES[message]).find(Boolean);
  if (known) return known;
  if (area !== 'group') return [problems.map(({ message }) => message)];
  return problems.map(({ path, message }) => ({ property: toDotted(['instance', ...path]), message }));
}
