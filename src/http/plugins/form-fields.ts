// Fields of forms → a body: `options[delay]`, `mentioned[]` and names that come again are nested as clients of forms know it. Pure.
import type { Body } from '../dialects/rewrite.ts';

/** More brackets than any body has levels: such a name stays as it is, and nobody knows it. */
const deepest = 8;
/** Names that would reach what every object inherits. */
const inherited = new Set(['__proto__', 'constructor', 'prototype']);

/** A place in a body: what was given for it, and what is inside it. */
class Place {
  readonly #values: unknown[] = [];
  readonly #members = new Map<string, Place>();

  put([name, ...inner]: readonly string[], value: unknown): void {
    if (name === undefined) {
      this.#values.push(value);
      return;
    }
    // `[]` is the next of a list.
    const key = name === '' ? String(this.#members.size) : name;
    const member = this.#members.get(key) ?? new Place();
    this.#members.set(key, member);
    member.put(inner, value);
  }

  object(): Body {
    return Object.fromEntries([...this.#members].map(([name, member]) => [name, member.value()]));
  }

  value(): unknown {
    const names = [...this.#members.keys()];
    if (names.length === 0) return this.#values.length > 1 ? this.#values : this.#values[0];
    // What counts is a list, in the order of its numbers, which is how objects keep them.
    const isList = names.every((name) => /^\d{1,4}$/.test(name));
    return isList ? Object.values(this.object()) : this.object();
  }
}

/** The body that fields mean; several values of one place become a list. */
export function toBody(fields: Iterable<readonly [name: string, value: unknown]>): Body {
  const body = new Place();
  for (const [name, value] of fields) {
    const path = toPath(name);
    if (!path.some((part) => inherited.has(part))) body.put(path, value);
  }
  return body.object();
}

/** `a[b][]` → `['a', 'b', '']`. */
function toPath(name: string): string[] {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const inner = rest.slice(1, -1).split('][');
  // An empty name at the top is a name, not the next of a list.
  if (first === undefined || inner.length > deepest) return name === '' ? [] : [name];
  return [first, ...inner];
}
