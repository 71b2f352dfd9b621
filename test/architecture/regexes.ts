// Finds every regular expression of the product for the ReDoS linter: literals in the code, calls that compile a text,
// and patterns of the contract and of the settings.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { calledBy, field, filesBelow, nodesOf, parseSource, root } from '../support/syntax-tree.ts';

export interface Regex {
  source: string;
  flags: string;
  /** Paths and lines of the expression, e.g. `src/whatsapp/address/jid.ts:40`. */
  places: string[];
}

const isText = (value: unknown): boolean => {
  const type = field(value, 'type');
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof field(value, 'value') === 'string');
};

/** The lines of calls that compile a regular expression from a text at run time. The linter cannot read these. */
export function compiledAtRunTime(path: string, text: string): number[] {
  const { program, lineAt } = parseSource(path, text);
  return [...nodesOf(program)]
    .filter((node) => {
      const functionName = calledBy(node);
      if (functionName === 'RegExp') return true;
      const args = field(node, 'arguments');
      const [first] = Array.isArray(args) ? args : [];
      return ['match', 'matchAll', 'search'].includes(functionName ?? '') && isText(first);
    })
    .map(({ start }) => lineAt(start));
}

/** The regular expressions that are literals in `text`. */
export function literalsOf(path: string, text: string): Regex[] {
  const { program, lineAt } = parseSource(path, text);
  return [...nodesOf(program)].flatMap((node) => {
    const regex = field(node, 'regex');
    if (typeof regex !== 'object' || regex === null || !('pattern' in regex) || !('flags' in regex)) return [];
    return [{ source: String(regex.pattern), flags: String(regex.flags), places: [`${path}:${lineAt(node.start)}`] }];
  });
}

/** Patterns that a JSON Schema validator compiles, at any depth of a document. ajv adds the flag `u`. */
export function patternsOf(document: unknown, place: string): Regex[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([name, value]: [string, unknown]) => {
    const at = `${place}/${name}`;
    if (name === 'pattern' && typeof value === 'string') return [{ source: value, flags: 'u', places: [at] }];
    const keys = name === 'patternProperties' && typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const keyPatterns = keys.map((source) => ({ source, flags: 'u', places: [at] }));
    return [...keyPatterns, ...patternsOf(value, at)];
  });
}

/**
 * All regular expressions of `src`, `packages`, the contract and the settings. Equal expressions are one entry.
 * `unreadable` has the places of expressions that are compiled at run time.
 */
export function regexesOf(settings: unknown): { regexes: Regex[]; unreadable: string[] } {
  const folders = ['src', ...(readdirSync(root).includes('packages') ? ['packages'] : [])];
  const files = folders.flatMap(filesBelow).filter((path) => !path.includes('node_modules'));
  const texts = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const contract: unknown = parseYaml(readFileSync(join(root, 'openapi/openapi.yaml'), 'utf8'));
  const all = [
    ...texts.flatMap(({ path, text }) => literalsOf(path, text)),
    ...patternsOf(contract, 'openapi/openapi.yaml'),
    ...patternsOf(settings, 'src/config/settings.ts'),
  ];
  const regexByKey = new Map<string, Regex>();
  for (const regex of all) {
    const key = `/${regex.source}/${regex.flags}`;
    const duplicate = regexByKey.get(key);
    if (duplicate) duplicate.places.push(...regex.places);
    else regexByKey.set(key, regex);
  }
  const unreadable = texts.flatMap(({ path, text }) => compiledAtRunTime(path, text).map((line) => `${path}:${line}`));
  return { regexes: [...regexByKey.values()], unreadable };
}
