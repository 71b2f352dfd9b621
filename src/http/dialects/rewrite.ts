// Copies fields of a request body from their aliases to their path in the v1 form, and records the caller's paths for error texts. Pure.

export type Body = Record<string, unknown>;
/** v1: nested bodies (`textMessage.text`), the form of our schemas. v2: flat bodies (`text`). */
export type Dialect = 'v1' | 'v2';
/** A path that callers use → the path in the v1 form, both dotted. */
export type FieldAlias = readonly [from: string, to: string];

export interface RewrittenBody {
  dialect: Dialect;
  /** The body in the v1 form. */
  body: Body;
  /** Path in the v1 form → path that the caller used, where they differ. */
  callerPaths: ReadonlyMap<string, string>;
}

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Split paths by dotted path. Paths are constants of this program, so their number is bounded. */
const PATH_CACHE = new Map<string, readonly string[]>();

function splitPath(path: string): readonly string[] {
  const parts = PATH_CACHE.get(path) ?? path.split('.');
  PATH_CACHE.set(path, parts);
  return parts;
}

/** The own value at a dotted path; undefined when there is none. */
export function valueAt(body: Body, path: string): unknown {
  let value: unknown = body;
  for (const part of splitPath(path)) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/**
 * Sets the value at a dotted path and creates missing objects. Returns false and changes nothing when a value on the path is not an object;
 * validation reports it later.
 */
export function setAt(body: Body, path: string, value: unknown): boolean {
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  let parent = body;
  for (const part of parts) {
    const next = parent[part] ?? {};
    if (!isObject(next)) return false;
    parent[part] = next;
    parent = next;
  }
  parent[last] = value;
  return true;
}

/** A copy without null members down to `depth` levels: many clients send null for fields that they do not set. */
export function withoutNulls(value: Body, depth = 4): Body {
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [name, depth > 1 && isObject(member) ? withoutNulls(member, depth - 1) : member]),
  );
}

/**
 * Applies `aliases` in order to a copy of the body without nulls. An existing value at the target wins, so the v1 name has precedence over
 * an alias, and an earlier alias over a later one. The field of the alias stays; validation ignores it.
 */
export function rewrite(
  body: Body,
  dialect: Dialect,
  aliases: readonly FieldAlias[],
): RewrittenBody & { callerPaths: Map<string, string> } {
  const copy = withoutNulls(body);
  const names = new Map<string, string>();
  for (const [from, to] of aliases) {
    const value = valueAt(copy, from);
    if (value === undefined || valueAt(copy, to) !== undefined) continue;
    if (setAt(copy, to, value)) names.set(to, from);
  }
  return { dialect, body: copy, callerPaths: names };
}
