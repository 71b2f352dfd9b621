// The pages of the documentation and the commands in them.
import { globSync, readFileSync } from 'node:fs';

/** README.md and the pages below docs/, relative to the repository. */
export const PAGES: readonly string[] = ['README.md', ...globSync('docs/**/*.md').sort()];

/** PAGES and the pages of other folders whose links are checked. */
export const LINKED_PAGES: readonly string[] = [
  ...PAGES,
  ...['CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['deploy/README.md', 'src/README.md', ...globSync('{src,packages}/*/README.md').sort()],
];

/** The anchor that GitHub generates for a heading: `D-002 PUT and POST` becomes `d-002-put-and-post`. */
export const headingAnchor = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** Translated pages and their English originals. test/contract/translations.test.ts compares them. */
export const TRANSLATIONS: Readonly<Record<string, string>> = {
  'docs/pt-BR/quickstart.md': 'docs/quickstart.md',
  'docs/pt-BR/migrate-from-evolution.md': 'docs/guides/migrate-from-evolution.md',
};

/** All code blocks of a page with their language, without the indentation of the block and without comments. */
export function blocksOf(page: string): string[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^( *)```(\w*\n.*?)^ *```$/gms)].map(([, indent = '', block = '']) =>
    block
      .split('\n')
      .map((line) => line.slice(line.startsWith(indent) ? indent.length : 0))
      .filter((line) => !line.startsWith('#'))
      .join('\n'),
  );
}

/** Contents of the code blocks of a page in one language, such as `sh`. */
export function codeBlocks(page: string, language: string): string[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
}

/** The shell blocks of a page that call the gateway with curl. */
export const curlBlocks = (page: string) => codeBlocks(page, 'sh').filter((block) => /^ *curl /m.test(block));
