// Reads the source files for the architecture tests: their texts, their imports, and code without comments and strings.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = new URL('../../', import.meta.url).pathname;

export interface Source {
  /** Path relative to the folder of sourcesOf(), e.g. `webhooks/sign.ts`. */
  path: string;
  text: string;
  /** `isRelative` is true for files of the repository and false for packages and modules of Node. */
  imports: { target: string; isRelative: boolean; typeOnly: boolean }[];
}

/** The names of TypeScript and JavaScript files. */
export const SCRIPTS = /\.[cm]?[jt]s$/;

/** The files below `folder` (relative to the repository) with such names, by default TypeScript, sorted by path. */
export function sourcesOf(folder: string, names = /\.ts$/): Source[] {
  const entries = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const files = entries.filter((name) => names.test(name)).sort();
  return files.map((path) => {
    const text = readFileSync(join(root, folder, path), 'utf8');
    return { path, text, imports: importsOf(path, text) };
  });
}

/** Imported modules. Packages have their names. Own files have paths relative to the same folder as `path`. */
function importsOf(path: string, text: string): Source['imports'] {
  const statements = text.matchAll(/^(?:import\s+|(?:import|export)\s(type\s)?[\w\s{},*$]*?\bfrom\s+)'([^']+)'/gm);
  const dynamic = text.matchAll(/()\b(?:import|require\.resolve|require)\(\s*'([^']+)'/g);
  return [...statements, ...dynamic].map(([, typeOnly, target = '']) => ({
    target: target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
    isRelative: target.startsWith('.'),
    typeOnly: Boolean(typeOnly),
  }));
}

/**
 * The code, in which spaces replace comments, strings, templates and regular expressions. Line breaks stay in place.
 */
export function codeOf(text: string): string {
  const literals =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:!&|?{;\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
  return text.replaceAll(literals, (literal) => literal.replaceAll(/[^\n]/g, ' '));
}
