// Copies fields of a request body from their aliases to their paths in the v1 form, and records the aliases, because
// error texts name the fields as the caller did.
import { isObject } from '../../lib/json-object.ts';

export type Body = Record<string, unknown>;
/** v1: nested bodies (`textMessage.text`), the form of our schemas. v2: flat bodies (`text`). */
export type Dialect = 'v1' | 'v2';
/** A path that callers use, and the path of the same field in the v1 form. Both are dotted. */
export type FieldAlias = readonly [from: string, to: string];

export interface RewrittenBody {
  dialect: Dialect;
  /** The body in the v1 form. */
  body: Body;
  /** By path in the v1 form: the path that the caller used, where the two differ. */
  callerPaths: ReadonlyMap<string, string>;
}

/** The parts of each dotted path. All paths are constants of this program, so the size of the cache is bounded. */
const PATH_CACHE = new Map<string, readonly string[]>();

function splitPath(path: string): readonly string[] {
  const parts = PATH_CACHE.get(path) ?? path.split('.');
  PATH_CACHE.set(path, parts);
  return parts;
}

/** The value at a dotted path of own properties; undefined when there is none. */
export function valueAt(body: Body, path: string): unknown {
  let value: unknown = body;
  for (const part of splitPath(path)) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/**
 * Sets the value at a dotted path and creates missing objects. Returns false and changes nothing when another value is
 * in the place of an object; validation reports that value later.
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

/**
 * A copy without the null members of the first `depth` levels: many clients send null for fields that they do not set.
 */
export function withoutNulls(value: Body, depth = 4): Body {
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [name, depth > 1 && isObject(member) ? withoutNulls(member, depth - 1) : member]),
  );
}

/**
 * Applies `aliases` in order to a copy of the body without nulls. An existing value at the v1 path wins, so the v1 name
 * has precedence over an alias, and an earlier alias over a later one. The original field stays in the copy, where
 * validation ignores it.
 */
export function rewrite(
  body: Body,
  dialect: Dialect,
  aliases: readonly FieldAlias[],
): RewrittenBody & { callerPaths: Map<string, string> } {
  const copy = withoutNulls(body);
  const callerPaths = new Map<string, string>();
  for (const [from, to] of aliases) {
    const value = valueAt(copy, from);
    if (value === undefined || valueAt(copy, to) !== undefined) continue;
    if (setAt(copy, to, value)) callerPaths.set(to, from);
  }
  return { dialect, body: copy, callerPaths };
}
