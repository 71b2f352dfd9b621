// Copies fields of a request body from their aliases to the paths that the schemas describe. Records which aliases the
// caller used, so that error texts name the fields as the caller did.
import { isObject } from '../../lib/json-object.ts';

export type Body = Record<string, unknown>;
/**
 * The form of the bodies that clients of Evolution API 1 (v1) or Evolution API 2 (v2) send and expect. v1: nested
 * bodies (`textMessage.text`). v2: flat bodies (`text`). The schemas describe one form per operation, which is called
 * the schema form: mostly the form of v1.
 */
export type ApiDialect = 'v1' | 'v2';
/** A path that callers use, and the path of the same field in the schema form. Both are dotted. */
export type FieldAlias = readonly [from: string, to: string];

export interface RewrittenBody {
  dialect: ApiDialect;
  /** The body in the schema form. */
  body: Body;
  /** The paths that the caller used, by path in the schema form. Contains only fields whose two paths differ. */
  callerPaths: ReadonlyMap<string, string>;
}

/** The parts of dotted paths, by path. All paths are constants of this program, so the size of the cache is bounded. */
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
 * Sets the value at a dotted path and creates missing parent objects. Returns false and changes nothing when a parent
 * exists but is not an object, for example a string; validation reports that parent later.
 */
export function setAt(body: Body, path: string, value: unknown): boolean {
  // Not splitPath(), because pop() would change the cached parts.
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
 * A copy without the null members of the first `depth` levels. Many clients send null for fields that they do not set.
 */
export function withoutNulls(value: Body, depth = 4): Body {
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [name, depth > 1 && isObject(member) ? withoutNulls(member, depth - 1) : member]),
  );
}

/**
 * Applies `aliases` in order to a copy of the body without nulls. An alias does not replace an existing value at its
 * target path. The path of the schema therefore has precedence over an alias, and an earlier alias over a later alias.
 * The original field stays in the copy, where validation ignores it. Callers may add entries to `callerPaths`.
 */
export function rewrite(
  body: Body,
  dialect: ApiDialect,
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
