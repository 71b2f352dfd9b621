// Shapes for checks of answers and events. The client programs import this file as `is`, so a shape is `{ id: is.text
// }`.

/** Returns the difference of a value from the expectation, or undefined. */
export type Check = (value: unknown) => string | undefined;

/** A literal, a check, or an object or list of shapes. A value may have fields that its shape does not name. */
export type Shape = Check | string | number | boolean | null | readonly Shape[] | { readonly [field: string]: Shape };

const check =
  (expectation: string, isValid: (value: unknown) => boolean): Check =>
  (value) =>
    isValid(value) ? undefined : `expected ${expectation}`;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export const text = check('a text', (value) => typeof value === 'string' && value !== '');
export const number = check('a number', (value) => typeof value === 'number');
export const object = check('an object', (value) => isObject(value) && !Array.isArray(value));
export const list = check('a list', Array.isArray);
export const absent = check('nothing', (value) => value === undefined);
/** For fields that must exist even without a text. */
export const textOrNull = check('a text or null', (value) => value === null || typeof value === 'string');
/** A number as text, which is the form of times and sizes for the older generation of clients. */
export const digits = like(/^\d+$/);

export function like(pattern: RegExp): Check {
  return check(String(pattern), (value) => typeof value === 'string' && pattern.test(value));
}

/** A list with at least one item of the shape. */
export function listWith(shape: Shape): Check {
  return check(
    `a list with an item like ${JSON.stringify(shape)}`,
    (value) => Array.isArray(value) && value.some((item) => deviation(item, shape) === undefined),
  );
}

/** The first difference between value and shape as `path: sentence`. Undefined when there is none. */
export function deviation(value: unknown, shape: Shape, path = ''): string | undefined {
  const toDifference = (sentence: string) =>
    `${path || 'body'}: ${sentence}, found ${JSON.stringify(value)?.slice(0, 300)}`;
  if (typeof shape === 'function') {
    const found = shape(value);
    return found && toDifference(found);
  }
  if (!isObject(shape)) return value === shape ? undefined : toDifference(`expected ${JSON.stringify(shape)}`);
  if (!isObject(value)) return toDifference('expected an object or a list');
  if (Array.isArray(shape) && !(Array.isArray(value) && value.length === shape.length)) {
    return toDifference(`expected a list of ${shape.length}`);
  }
  for (const [field, inner] of Object.entries(shape)) {
    const found = deviation(value[field], inner, path ? `${path}.${field}` : field);
    if (found) return found;
  }
}
