// The decisions in docs/decisions: their entries, the index of all entries, and the links that pages have to them.
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { headingAnchor } from './docs.ts';

export const INDEX = 'docs/decisions/README.md';

export interface Decision {
  /** The page with the entry, relative to the repository. */
  page: string;
  /** `D-001` */
  number: string;
  /** The heading without the number. */
  title: string;
  /** The text below the heading. */
  text: string;
}

const TABLE = /(?<=<!-- decisions -->\n).*(?=<!-- \/decisions -->)/s;
const DEFINITION = /^\[D-\d{3}\]: .*\n?/gm;
/** Matches headings and code, where numbers of decisions do not become links. */
const PARTS = /(^#[^\n]*$|^```.*?^```$|`[^`\n]*`)/gms;

/** Entries of one page, in the order of the page. */
function decisionsOf(page: string): Decision[] {
  return readFileSync(page, 'utf8')
    .replace(DEFINITION, '')
    .split(/^## /m)
    .slice(1)
    .map((entry) => {
      const [heading = ''] = entry.split('\n');
      return { page, number: heading.slice(0, 5), title: heading.slice(6), text: entry.slice(heading.length).trim() };
    });
}

/** All entries, in the order of their numbers. */
export const DECISIONS: readonly Decision[] = globSync('docs/decisions/*.md')
  .filter((page) => page !== INDEX)
  .flatMap(decisionsOf)
  .sort((a, b) => a.number.localeCompare(b.number));

/** The text of a field of an entry, such as Context; empty when the entry has no such field. */
export function fieldOf({ text }: Decision, name: string): string {
  return new RegExp(`^- \\*\\*${name}\\*\\*:\\s([\\s\\S]*?)(?=\\n- |$(?![\\s\\S]))`, 'm').exec(text)?.[1]?.trim() ?? '';
}

/** The address of an entry, for a link in `from`. */
function linkTo({ page, number, title }: Decision, from: string): string {
  return `${relative(dirname(from), page)}#${headingAnchor(`${number} ${title}`)}`;
}

/** The text of the index with a table of all entries. */
export function withTable(index: string): string {
  const names = new Map(DECISIONS.map(({ page }) => [page, /^# (.*)$/m.exec(readFileSync(page, 'utf8'))?.[1] ?? '']));
  const rows = DECISIONS.map((decision) => {
    const { page, number, title } = decision;
    return `| [${number}](${linkTo(decision, INDEX)}) | ${title} | [${names.get(page)}](${relative(dirname(INDEX), page)}) |\n`;
  });
  return index.replace(TABLE, () => `| number | decision | page |\n|---|---|---|\n${rows.join('')}`);
}

/**
 * The text of a page in which every number of a decision is a link to its entry: `[D-001]` in the text, with its target
 * at the end of the page. Throws when there is no such decision.
 */
export function withLinks(page: string, text: string): string {
  const linked = text
    .replace(DEFINITION, '')
    .trimEnd()
    .split(PARTS)
    .map((part, index) => (index % 2 ? part : part.replace(/(?<![[\w-])D-\d{3}(?!\d)/g, '[$&]')))
    .join('');
  const outsideCode = linked.split(PARTS).filter((_, index) => index % 2 === 0);
  const numbers = [...outsideCode.join('').matchAll(/\[(D-\d{3})\](?!\()/g)].map(([, number = '']) => number);
  const definitions = [...new Set(numbers)].sort().map((number) => {
    const decision = DECISIONS.find((one) => one.number === number);
    if (!decision) throw new Error(`${page} names ${number}, which is not in docs/decisions`);
    return `[${number}]: ${linkTo(decision, page)}\n`;
  });
  return `${linked}\n${definitions.length ? `\n${definitions.join('')}` : ''}`;
}
