// Checks values of unknown origin against a schema, and copies them. The first problem throws a BundleError that names
// the field and never contains a value. A schema also lists its fields, so that a test can compare them with
// docs/reference/session-bundle.md.
import { isObject } from '../lib/json-object.ts';
import { BundleError } from './bundle-error.ts';

/** Characters that an error replaces by ? in the name of a member, because names come from the input too. */
const UNSAFE_CHARACTERS = /[^\w@.:+/=-]/g;
const MAX_NAME_LENGTH = 80;

/** The position of a value in the input. Its path is built only when an error needs it. */
export class Field {
  static readonly ROOT = new Field('');
  readonly #name: string;
  readonly #parent: Field | undefined;

  private constructor(name: string, parent?: Field) {
    this.#name = name;
    this.#parent = parent;
  }

  child(name: string): Field {
    return new Field(name, this);
  }

  get path(): string {
    const name = this.#name.slice(0, MAX_NAME_LENGTH).replace(UNSAFE_CHARACTERS, '?');
    const above = this.#parent?.path;
    return above ? `${above}.${name}` : name;
  }

  /** Throws a BundleError with the message "The field <path> <problem>." */
  fail(problem: string): never {
    const { path } = this;
    throw new BundleError(path, path === '' ? `The bundle ${problem}.` : `The field ${path} ${problem}.`);
  }
}

export interface FieldSchema<T> {
  /** Returns a checked copy of `value`. Throws BundleError. */
  read(value: unknown, field: Field): T;
  /**
   * The paths of all fields below the value. In a path, * stands for every name of a record, and [] for every element
   * of a list. A list has a path only if its elements have fields.
   */
  paths(): string[];
}

const leaf = <T>(read: FieldSchema<T>['read']): FieldSchema<T> => ({ read, paths: () => [] });

/** Well-formed text of at most `maxLength` UTF-16 units, without control characters except tabs and line breaks. */
export const text = (maxLength: number, minLength = 0): FieldSchema<string> =>
  leaf((value, field) => {
    if (typeof value !== 'string') return field.fail('must be a text');
    if (value.length > maxLength) field.fail(`must have at most ${maxLength} characters`);
    if (value.length < minLength)
      field.fail(minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`);
    if (/[^\P{Cc}\t\n\r]/u.test(value)) field.fail('must not contain control characters');
    if (!value.isWellFormed()) field.fail('must not contain a lone surrogate (half of a character)');
    return value;
  });

/** The text as text() accepts it: without control characters and lone surrogates. */
export const toValidText = (value: string): string => value.replace(/[^\P{Cc}\t\n\r]/gu, '').toWellFormed();

/** Text that matches `regex`; `description` completes "must be". */
export const pattern = (regex: RegExp, description: string, maxLength = 256): FieldSchema<string> =>
  leaf((value, field) => {
    if (typeof value === 'string' && value.length <= maxLength && regex.test(value)) return value;
    return field.fail(`must be ${description}`);
  });

/** A whole number. */
export const integer = (min: number, max: number): FieldSchema<number> =>
  leaf((value, field) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    return field.fail(`must be a whole number from ${min} to ${max}`);
  });

export const boolean: FieldSchema<boolean> = leaf((value, field) =>
  typeof value === 'boolean' ? value : field.fail('must be true or false'),
);

/** One of `values`. */
export const choice = <T extends string | number>(...values: readonly T[]): FieldSchema<T> =>
  leaf((value, field) => values.find((allowed) => allowed === value) ?? field.fail(`must be ${values.join(' or ')}`));

/**
 * The characters that may precede the padding, by the number of padding characters. The last bits of such a character
 * belong to no byte and must be zero.
 */
const LAST_CHARACTERS = ['', 'AEIMQUYcgkosw048', 'AQgw'];

/**
 * The number of bytes of a base64 text, without decoding it; -1 when it is not base64. Padding is required, and unused
 * bits must be zero, so that equal bytes have equal texts.
 */
export function base64Size(value: string): number {
  if (value.length % 4 !== 0) return -1;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  const end = value.length - padding;
  if (padding > 0 && !LAST_CHARACTERS[padding]?.includes(value.charAt(end - 1))) return -1;
  // Searches for a wrong character, because a regex that matches groups of four characters would need a stack as large
  // as the text.
  if (/[^A-Za-z0-9+/]/.test(value.slice(0, end))) return -1;
  return (value.length / 4) * 3 - padding;
}

/** Base64 of `min` to `max` bytes. */
export const bytes = (min: number, max = min): FieldSchema<string> => {
  const size = min === max ? `${min}` : `${min} to ${max}`;
  const maxLength = Math.ceil(max / 3) * 4;
  return leaf((value, field) => {
    if (typeof value === 'string' && value.length <= maxLength) {
      const actual = base64Size(value);
      if (actual >= min && actual <= max) return value;
    }
    return field.fail(`must be ${size} bytes in base64`);
  });
};

/**
 * True for 33 bytes in base64 that start with 0x05, as libsignal represents a public key. In base64, 0x05 becomes "B"
 * and a character from "Q" to "f".
 */
const isSignalKey = (value: string): boolean => /^B[Q-Za-f]/.test(value) && base64Size(value) === 33;

/** A public key with its type: base64 of 0x05 and 32 bytes. */
export const signalKey: FieldSchema<string> = leaf((value, field) => {
  if (typeof value === 'string' && value.length === 44 && isSignalKey(value)) return value;
  return field.fail('must be 33 bytes in base64, of which the first is 5');
});

/** A member that may be absent. */
export const optional = <T>(schema: FieldSchema<T>): FieldSchema<T | undefined> => ({
  read: (value, field) => (value === undefined ? undefined : schema.read(value, field)),
  paths: () => schema.paths(),
});

/** A schema per member. Members that may be absent have an optional() schema. */
type Members<T> = { [K in keyof T]-?: FieldSchema<T[K]> };

/** An object with exactly these members. */
export function object<T extends object>(members: Members<T>): FieldSchema<T> {
  return {
    read(value, field) {
      if (!isObject(value)) return field.fail(value === undefined ? 'is missing' : 'must be an object');
      for (const name of Object.keys(value)) if (!Object.hasOwn(members, name)) field.child(name).fail('is unknown');
      const result: Partial<T> = {};
      for (const name in members) {
        const member = members[name].read(value[name], field.child(name));
        if (member !== undefined) result[name] = member;
      }
      // The loop has set every member that is not optional, because the schema of such a member rejects undefined.
      return result as T;
    },
    paths: () =>
      Object.entries<FieldSchema<unknown>>(members).flatMap(([name, schema]) => [
        name,
        ...schema.paths().map((path) => `${name}.${path}`),
      ]),
  };
}

export interface RecordOptions<T> {
  /** Schema of the names. */
  name: FieldSchema<string>;
  value: FieldSchema<T>;
  /** Maximum number of entries. */
  maxSize: number;
}

/** An object with any names. The copy has no prototype, so that names such as __proto__ have no effect. */
export const record = <T>({
  name: nameSchema,
  value: schema,
  maxSize,
}: RecordOptions<T>): FieldSchema<Record<string, T>> => ({
  read(value, field) {
    if (!isObject(value)) return field.fail(value === undefined ? 'is missing' : 'must be an object');
    const names = Object.keys(value);
    if (names.length > maxSize) field.fail(`must have at most ${maxSize} entries`);
    const result: Record<string, T> = Object.create(null);
    for (const name of names) {
      const child = field.child(name);
      nameSchema.read(name, child);
      result[name] = schema.read(value[name], child);
    }
    return result;
  },
  paths: () => ['*', ...schema.paths().map((path) => `*.${path}`)],
});

/** An array. */
export const list = <T>(schema: FieldSchema<T>, maxSize: number): FieldSchema<T[]> => ({
  read(value, field) {
    if (!Array.isArray(value)) return field.fail(value === undefined ? 'is missing' : 'must be an array');
    if (value.length > maxSize) field.fail(`must have at most ${maxSize} elements`);
    return value.map((element: unknown, index) => schema.read(element, field.child(`${index}`)));
  },
  paths() {
    const below = schema.paths();
    return below.length === 0 ? [] : ['[]', ...below.map((path) => `[].${path}`)];
  },
});

/** A schema with a further check, which calls field.fail(). */
export const refine = <T>(schema: FieldSchema<T>, check: (value: T, field: Field) => void): FieldSchema<T> => ({
  read(value, field) {
    const result = schema.read(value, field);
    check(result, field);
    return result;
  },
  paths: () => schema.paths(),
});
