// The ways in which clients write one request.

interface Spelling {
  what: string;
  path: string;
  body: unknown;
}

type Change = (value: unknown) => unknown;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy in which every member, however deep, went through `change`; `order` rearranges the members of each object. */
function mapped(value: unknown, change: Change, order = (members: [string, unknown][]) => members): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, order));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(order(Object.entries(value)).map(([name, inner]) => [name, mapped(inner, change, order)]));
}

const same: Change = (value) => value;
const bodies: Record<string, (body: unknown) => unknown> = {
  'keys in another order, and some that nobody knows': (body) =>
    mapped(body, same, (members) => [['campaign', 7], ...members.toReversed(), ['x-trace', null]]),
  'numbers and booleans as text': (body) =>
    mapped(body, (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value)),
  'digits as numbers': (body) =>
    mapped(body, (value) => (typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value) ? Number(value) : value)),
};

/** The name of the instance, whose case counts, is what follows area and operation. */
const upper = (path: string) => path.replace(/^(\/[^/?]*){1,2}/, (route) => route.toUpperCase());

const paths: Record<string, (path: string) => string> = {
  'in upper case': upper,
  'with a slash at the end': (path) => path.replace(/(\?|$)/, '/$1'),
  'with doubled slashes': (path) => path.replace(/^[^?]*/, (route) => route.replaceAll('/', '//')),
};

/** The request in each of them, two at a time: one of the path and one of the body, which `make` creates each time. */
export function spellings(path: string, make: () => object | undefined): Spelling[] {
  const plain = make();
  const changes = Object.entries(bodies).filter(
    ([, change]) => JSON.stringify(change(plain)) !== JSON.stringify(plain),
  );
  const ways = Object.entries(paths);
  return Array.from({ length: Math.max(changes.length, ways.length) }, (_, index) => {
    const [content, change = same] = changes[index] ?? ['as it was'];
    const [way, rewrite = String] = ways[index % ways.length] ?? [''];
    return { what: `${way}, ${content}`, path: rewrite(path), body: change(make()) };
  });
}

/** Names and types of everything in an answer, with any order and values; of a list the first item. */
export function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length > 0 ? shapeOf(value[0]) : ''}]`;
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  const members = Object.entries(value).map(([name, inner]) => `${name}: ${shapeOf(inner)}`);
  return `{ ${members.toSorted().join(', ')} }`;
}
