// Converts form fields to a body: `options[delay]`, `mentioned[]` and repeated names become objects and lists. The
// package `qs` is not used, because it takes 290 ms of CPU time for a malicious form of 2,000 fields (this code takes
// 3 ms) and adds 37 ms to the startup. Decisions D-003 and D-162.
import type { Body } from '../dialects/rewrite.ts';

/**
 * Maximum number of bracket levels. If the name of a field has more levels, the whole name becomes one member of the
 * body, which validation ignores.
 */
const MAX_LEVELS = 8;
/** Names that could change object prototypes. Fields with such a name in their path are dropped. */
export const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * A node of the body's tree. It contains the values of the fields with the path of this node, and the nodes below it
 * (members). A node with members ignores its values.
 */
class BodyNode {
  readonly #values: unknown[] = [];
  readonly #members = new Map<string, BodyNode>();

  /** Adds the value of a field. The path is relative to this node. */
  put([name, ...rest]: readonly string[], value: unknown): void {
    if (name === undefined) {
      this.#values.push(value);
      return;
    }
    // `[]` appends to a list: the next index is the name of the new member.
    const key = name === '' ? String(this.#members.size) : name;
    const member = this.#members.get(key) ?? new BodyNode();
    this.#members.set(key, member);
    member.put(rest, value);
  }

  toObject(): Body {
    return Object.fromEntries([...this.#members].map(([name, member]) => [name, member.toValue()]));
  }

  toValue(): unknown {
    const names = [...this.#members.keys()];
    if (names.length === 0) return this.#values.length > 1 ? this.#values : this.#values[0];
    // A node whose members all have numeric names is a list. Object.values returns such members in ascending order.
    const isList = names.every((name) => /^\d{1,4}$/.test(name));
    return isList ? Object.values(this.toObject()) : this.toObject();
  }
}

/** The body for the fields of a form. Several values with one name become a list in the order of the fields. */
export function toBody(fields: Iterable<readonly [name: string, value: unknown]>): Body {
  const body = new BodyNode();
  for (const [name, value] of fields) {
    const path = toPath(name);
    if (!path.some((part) => PROTOTYPE_NAMES.has(part))) body.put(path, value);
  }
  return body.toObject();
}

/**
 * The path of a field name: `['a', 'b', '']` for `a[b][]`. The path of an empty name is empty, so its field is ignored.
 */
function toPath(name: string): string[] {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const inner = rest.slice(1, -1).split('][');
  // A name without brackets, or with brackets that do not match, is taken literally.
  if (first === undefined || inner.length > MAX_LEVELS) return name === '' ? [] : [name];
  return [first, ...inner];
}
