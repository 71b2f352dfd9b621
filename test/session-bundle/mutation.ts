// Pseudo-random changes of JSON that are the same in each run.

/** A text that represents a secret. */
export const MARK = 'value-that-no-error-may-contain';

/** Returns a function that returns pseudo-random numbers below `limit`. Equal seeds give equal numbers. */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Returns all objects and arrays in `value`, including `value`. */
export function containersOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersOf)];
}

const createDeepValue = (): unknown => {
  let value: unknown = MARK;
  for (let depth = 0; depth < 5000; depth++) value = depth % 2 ? [value] : { value };
  return value;
};
const VALUES: (() => unknown)[] = [
  ...[null, true, 0, -1, 1.5, 1e300, Number.NaN, 2 ** 53, '', MARK, MARK.repeat(10_000), [], {}].map((v) => () => v),
  ...['AAAA', `${'A'.repeat(43)}=`, 'A'.repeat(44), '__proto__', '-1', '99999999999999999999'].map((v) => () => v),
  ...[[MARK], { name: MARK }, { type: 'Buffer', data: [1, 2, 3] }, new Map(), () => MARK].map((v) => () => v),
  createDeepValue,
];
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  '0',
  '\u0000',
  '%s',
  'x'.repeat(5000),
];

/** Changes one member of one of the objects `targets`. */
export function mutate(targets: readonly object[], next: (limit: number) => number): void {
  const target = targets[next(targets.length)] ?? {};
  const names = Object.keys(target);
  const name = names[next(names.length)] ?? 'absent';
  const value = VALUES[next(VALUES.length)]?.();
  const define = (key: string, content: unknown) =>
    Reflect.defineProperty(target, key, { value: content, enumerable: true, configurable: true, writable: true });
  const oldValue: unknown = Reflect.get(target, name);
  switch (next(5)) {
    case 0:
      return void Reflect.deleteProperty(target, name);
    case 1:
      return void define(NAMES[next(NAMES.length)] ?? '', Array.isArray(target) ? 0 : value);
    case 2: {
      // Another value of the bundle, often of the right type.
      const other = targets[next(targets.length)] ?? {};
      return void define(name, Object.values<unknown>({ ...other })[0]);
    }
    case 3:
      // One character more, less or different.
      return void define(
        name,
        typeof oldValue === 'string' ? `${oldValue.slice(0, next(oldValue.length + 1))}A` : value,
      );
    default:
      return void define(name, value);
  }
}
