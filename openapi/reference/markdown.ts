// Markdown for the generated pages in docs/reference: headings, wrapped paragraphs, tables and tables of contents.

/** Line width of the documentation. Tables, links and code spans may be longer. */
const WIDTH = 120;

/** The comment at the top of a generated page. `source` names the files that the page is generated from. */
export function generatedFrom(source: string): string {
  return `<!-- Generated from ${source} by \`npm run generate\`: do not edit. -->`;
}

/** The text on one line, with single spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A word of a text. A link and a code span are one word each, so that no line ends inside them. */
const WORD = /(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g;

/** A paragraph in lines of at most WIDTH characters. `indent` is put in front of all lines but the first. */
export function paragraph(text: string, indent = ''): string {
  const lines = [''];
  for (const [word] of oneLine(text).matchAll(WORD)) {
    const line = lines.at(-1) ?? '';
    const isEmpty = line === '' || line === indent;
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (longer.length <= WIDTH || isEmpty) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  return lines.join('\n');
}

/** A table. Cells are put on one line, and their `|` is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [toRow(head), `|${'---|'.repeat(head.length)}`, ...rows.map(toRow)].join('\n');
}

/** A text as code. */
export const code = (text: string) => `\`${text}\``;

/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** Links to the headings of a page, in one paragraph. */
export function contents(headings: readonly string[]): string {
  return paragraph(`Contents: ${headings.map((heading) => `[${heading}](#${anchorOf(heading)})`).join(', ')}.`);
}

/** A page from its blocks, with an empty line between them. */
export function page(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
