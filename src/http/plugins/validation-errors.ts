// Schema errors → the sentences clients know, in the field names that the caller used. Pure.
import type { FastifySchemaValidationError } from 'fastify';

interface SchemaError extends FastifySchemaValidationError {
  /** Ajv's `verbose`: the schema that holds the failed keyword, and the value it failed on. */
  parentSchema?: { required?: string[]; type?: string | string[] };
  data?: unknown;
}

/** `/options/quoted/0` → `['options', 'quoted', '0']` (JSON pointer). */
const segments = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `['events', '0', 'a']` → `events[0].a`. */
const dotted = (path: readonly string[]) =>
  path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');

/** Field in the interface's form → field as the caller wrote it, by the longest renamed prefix. */
function callerPath(path: readonly string[], names: ReadonlyMap<string, string>): string[] {
  for (let length = path.length; length > 0; length -= 1) {
    const renamed = names.get(path.slice(0, length).join('.'));
    if (renamed !== undefined) return [...renamed.split('.'), ...path.slice(length)];
  }
  return [...path];
}

const sentences: Record<string, (params: Record<string, unknown>, error: SchemaError) => string> = {
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

/** Lists of numbers: what is wrong with one of them is said of the list. */
const numberLists = new Set(['mentioned', 'numbers', 'participants']);

/** What is wrong with one field: its path (empty for the body itself) and the sentence about it. */
export interface Problem {
  path: string[];
  message: string;
}

function missing(error: SchemaError, path: string[], names: ReadonlyMap<string, string>): Problem[] {
  const given = typeof error.data === 'object' && error.data !== null ? error.data : {};
  // Ajv stops at the first missing property; the caller wants to hear of all.
  const absent = (error.parentSchema?.required ?? []).filter((name) => !(name in given));
  return absent.map((name) => {
    const full = callerPath([...path, name], names);
    const parent = full.slice(0, -1);
    return { path: parent, message: `${dotted(parent) || 'instance'} requires property "${full.at(-1)}"` };
  });
}

/**
 * Ajv errors → problems. `names` maps dotted paths of the interface's form to those the caller used
 * (`textMessage.text` → `text`).
 */
export function toProblems(errors: readonly SchemaError[], names: ReadonlyMap<string, string>): Problem[] {
  return errors.flatMap((error) => {
    const inner = segments(error.instancePath);
    if (error.keyword === 'required') return missing(error, inner, names);
    const path = callerPath(inner, names);
    const field = dotted(path) || 'instance';
    if (error.keyword === 'minLength' && error.data === '')
      return { path, message: `The "${path.at(-1)}" cannot be empty` };
    const list = path.at(-2) ?? '';
    if (numberLists.has(list) && (error.keyword === 'type' || error.keyword === 'pattern'))
      return { path, message: `"${list}" must be an array of numeric strings` };
    return {
      path,
      message: `${field} ${sentences[error.keyword]?.(error.params, error) ?? error.message ?? 'is invalid'}`,
    };
  });
}

/** What clients know instead of a sentence about one field, by that sentence. */
const whole: Readonly<Record<string, readonly string[]>> = {
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

/** `response.message` for problems: a list in a list, objects with a property on group routes, or the words of `whole`. */
export function toMessage(problems: readonly Problem[], area: string | undefined): readonly unknown[] {
  const known = problems.map(({ message }) => whole[message]).find(Boolean);
  if (known) return known;
  if (area !== 'group') return [problems.map(({ message }) => message)];
  return problems.map(({ path, message }) => ({ property: dotted(['instance', ...path]), message }));
}
