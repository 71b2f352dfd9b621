// Public APIs as lists of names with their declarations, and the differences between two such lists.

/** Declarations by name. The name of a member starts with the name of its parent: `Account`, `Account.lid`. */
export type Surface = ReadonlyMap<string, string>;

export interface ChangedDeclaration {
  name: string;
  before: string;
  after: string;
}

export interface Differences {
  /** Names with their declarations. Members of an added or removed parent are not listed. */
  added: [name: string, declaration: string][];
  removed: [name: string, declaration: string][];
  changed: ChangedDeclaration[];
}

/** Returns the differences from `before` to `after`, sorted by name. */
export function compareSurfaces(before: Surface, after: Surface): Differences {
  const missingIn = (other: Surface) => (entry: [string, string]) =>
    !other.has(entry[0]) && !hasMissingParent(entry[0], other);
  return {
    added: [...after].filter(missingIn(before)).sort(byName),
    removed: [...before].filter(missingIn(after)).sort(byName),
    changed: [...before]
      .flatMap(([name, text]) => {
        const now = after.get(name);
        return now === undefined || now === text ? [] : [{ name, before: text, after: now }];
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** True when `surface` lacks a parent of the member `name`. The line of the parent then also covers the member. */
function hasMissingParent(name: string, surface: Surface): boolean {
  const parent = name.slice(0, Math.max(name.lastIndexOf('.'), 0));
  return parent !== '' && (!surface.has(parent) || hasMissingParent(parent, surface));
}

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1);
