// Shapes to hold answers and events against; imported as `is`, so that a shape reads `{ id: is.text }`.

/** Says what is wrong with a value, or nothing. */
export type Check = (value: unknown) => string | undefined;

/** A literal, a check, or an object or list of shapes; what a shape does not name may be anything. */
export type Shape = Check | string | number | boolean | null | readonly Shape[] | { readonly [field: string]: Shape };

const check =
  (words: string, holds: (value: unknown) => boolean): Check =>
  (value) =>
    holds(value) ? undefined : `expected ${words}`;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export const text = check('a text', (value) => typeof value === 'string' && value !== '');
export const number = check('a number', (value) => typeof value === 'number');
export const object = check('an object', (value) => isObject(value) && !Array.isArray(value));
export const list = check('a list', Array.isArray);
export const absent = check('nothing', (value) => value === undefined);
/** For keys that must be there all the same. */
export const textOrNull = check('a text or null', (value) => value === null || typeof value === 'string');
/** A number written as text, as the older generation has times and sizes. */
export const digits = like(/^\d+$/);

export function like(pattern: RegExp): Check {
  return check(String(pattern), (value) => typeof value === 'string' && pattern.test(value));
}

/** A list that has an item of the shape. */
export function listWith(shape: Shape): Check {
  return check(
    `a list with an item like ${JSON.stringify(shape)}`,
    (value) => Array.isArray(value) && value.some((item) => deviation(item, shape) === undefined),
  );
}

/** The first difference between value and shape as `path: sentence`; undefined when there is none. */
export function deviation(value: unknown, shape: Shape, path = ''): string | undefined {
  const say = (sentence: string) => `${path || 'body'}: ${sentence}, found ${JSON.stringify(value)?.slice(0, 300)}`;
  if (typeof shape === 'function') {
    const found = shape(value);
    return found && say(found);
  }
  if (!isObject(shape)) return value === shape ? undefined : say(`expected ${JSON.stringify(shape)}`);
  if (!isObject(value)) return say('expected an object or a list');
  if (Array.isArray(shape) && !(Array.isArray(value) && value.length === shape.length)) {
    return say(`expected a list of ${shape.length}`);
  }
  for (const [field, inner] of Object.entries(shape)) {
    const found = deviation(value[field], inner, path ? `${path}.${field}` : field);
    if (found) return found;
  }
}
