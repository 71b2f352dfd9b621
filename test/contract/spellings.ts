// The spellings in which clients write the same request.

interface Spelling {
  what: string;
  path: string;
  body: unknown;
}

type Change = (value: unknown) => unknown;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy with `change` applied to every value at any depth. `order` rearranges the members of each object. */
function mapped(value: unknown, change: Change, order = (members: [string, unknown][]) => members): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, order));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(order(Object.entries(value)).map(([name, inner]) => [name, mapped(inner, change, order)]));
}

const identity: Change = (value) => value;
const bodies: Record<string, (body: unknown) => unknown> = {
  'keys in another order, and some that nobody knows': (body) =>
    mapped(body, identity, (members) => [['campaign', 7], ...members.toReversed(), ['x-trace', null]]),
  'numbers and booleans as text': (body) =>
    mapped(body, (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value)),
  'digits as numbers': (body) =>
    mapped(body, (value) => (typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value) ? Number(value) : value)),
};

/** Changes area and operation to upper case. The name of the instance, which follows them, is case-sensitive. */
const toUpperCasePath = (path: string) => path.replace(/^(\/[^/?]*){1,2}/, (route) => route.toUpperCase());

const paths: Record<string, (path: string) => string> = {
  'in upper case': toUpperCasePath,
  'with a slash at the end': (path) => path.replace(/(\?|$)/, '/$1'),
  'with doubled slashes': (path) => path.replace(/^[^?]*/, (route) => route.replaceAll('/', '//')),
};

/** Variants of a request, each with one spelling of the path and one of the body. `createBody` returns a new body. */
export function spellings(path: string, createBody: () => object | undefined): Spelling[] {
  const plain = createBody();
  const changes = Object.entries(bodies).filter(
    ([, change]) => JSON.stringify(change(plain)) !== JSON.stringify(plain),
  );
  const pathSpellings = Object.entries(paths);
  return Array.from({ length: Math.max(changes.length, pathSpellings.length) }, (_, index) => {
    const [bodyName, change = identity] = changes[index] ?? ['as it was'];
    const [pathName, rewrite = String] = pathSpellings[index % pathSpellings.length] ?? [''];
    return { what: `${pathName}, ${bodyName}`, path: rewrite(path), body: change(createBody()) };
  });
}

/** Names and types of all fields of an answer, regardless of order and values. A list has that of its first item. */
export function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length > 0 ? shapeOf(value[0]) : ''}]`;
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  const members = Object.entries(value).map(([name, inner]) => `${name}: ${shapeOf(inner)}`);
  return `{ ${members.toSorted().join(', ')} }`;
}
