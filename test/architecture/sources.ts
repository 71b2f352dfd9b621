// The source tree as text, for the architecture tests: files, their imports, and code without comments and strings.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = new URL('../../', import.meta.url).pathname;

export interface Source {
  /** Path from the folder that was asked for, e.g. `webhooks/sign.ts`. */
  path: string;
  text: string;
  imports: { target: string; typeOnly: boolean }[];
}

/** Every TypeScript file below `folder` (relative to the repository), sorted by path. */
export function sourcesOf(folder: string): Source[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts')).sort();
  return files.map((path) => {
    const text = readFileSync(join(root, folder, path), 'utf8');
    return { path, text, imports: importsOf(path, text) };
  });
}

/** Imported modules: packages as written, own files as paths from the same folder as `path`. */
function importsOf(path: string, text: string): Source['imports'] {
  const statements = text.matchAll(/^(?:import\s+|(?:import|export)\s(type\s)?[\w\s{},*$]*?\bfrom\s+)'([^']+)'/gm);
  const dynamic = text.matchAll(/()\b(?:import|require\.resolve|require)\(\s*'([^']+)'/g);
  return [...statements, ...dynamic].map(([, typeOnly, target = '']) => ({
    target: target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
    typeOnly: Boolean(typeOnly),
  }));
}

/** The code with comments, strings, templates and regular expressions blanked; line breaks and braces of code stay in place. */
export function codeOf(text: string): string {
  const literals =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:!&|?{;\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
  return text.replaceAll(literals, (literal) => literal.replaceAll(/[^\n]/g, ' '));
}
