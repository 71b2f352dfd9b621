// Moves fields of a caller's body to where the interface has them, and remembers what the caller called them. Pure.

export type Body = Record<string, unknown>;
/** v1: the interface's generation of clients. v2: the flat one. */
export type Dialect = 'v1' | 'v2';
/** Caller's path → path in the interface's form, dotted. */
export type Move = readonly [from: string, to: string];

export interface Rewritten {
  dialect: Dialect;
  /** In the interface's form. */
  body: Body;
  /** Path in the interface's form → path that the caller used, where they differ. */
  names: ReadonlyMap<string, string>;
}

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Dotted paths taken apart: all are named in this program, so their number is bounded. */
const taken = new Map<string, readonly string[]>();

function partsOf(path: string): readonly string[] {
  const known = taken.get(path) ?? path.split('.');
  taken.set(path, known);
  return known;
}

/** Own value at a dotted path; undefined when there is none. */
export function valueAt(body: Body, path: string): unknown {
  let value: unknown = body;
  for (const part of partsOf(path)) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** Sets a dotted path, making objects on the way. A value that is no object stays: validation will name it. */
export function setAt(body: Body, path: string, value: unknown): boolean {
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  let place = body;
  for (const part of parts) {
    const next = place[part] ?? {};
    if (!isObject(next)) return false;
    place[part] = next;
    place = next;
  }
  place[last] = value;
  return true;
}

/** A copy without members that are null: many clients send null for what they do not set. Looks `depth` levels deep. */
export function withoutNulls(value: Body, depth = 4): Body {
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [name, depth > 1 && isObject(member) ? withoutNulls(member, depth - 1) : member]),
  );
}

/**
 * Applies `moves` in order to a copy without nulls. What already stands at the destination wins, so the interface's own
 * spelling beats an alias, and the first alias beats the next.
 */
export function rewrite(
  body: Body,
  dialect: Dialect,
  moves: readonly Move[],
): Rewritten & { names: Map<string, string> } {
  const copy = withoutNulls(body);
  const names = new Map<string, string>();
  for (const [from, to] of moves) {
    const value = valueAt(copy, from);
    if (value === undefined || valueAt(copy, to) !== undefined) continue;
    if (setAt(copy, to, value)) names.set(to, from);
  }
  return { dialect, body: copy, names };
}
