import { describe, expect, it } from 'vitest';
import { contents, page, paragraph, table } from '../../../openapi/reference/markdown.ts';

describe('Markdown of generated pages', () => {
  it('paragraph() wraps lines at 120 characters and indents the following lines', () => {
    const lines = paragraph(`- ${'word '.repeat(40)}`, '  ').split('\n');
    expect(lines.map((line) => line.length <= 120)).toEqual([true, true]);
    expect(lines[1]).toMatch(/^ {2}word/);
  });

  it('paragraph() keeps a word that is longer than a line', () => {
    const long = 'x'.repeat(130);
    expect(paragraph(`a ${long} b`)).toBe(`a\n${long}\nb`);
  });

  it('paragraph() breaks no line inside a link or code', () => {
    const link = '[a link with words](page.md)';
    expect(paragraph(`${'x'.repeat(110)} ${link} ${'y'.repeat(90)} \`GET /a b\``).split('\n')).toEqual([
      'x'.repeat(110),
      `${link} ${'y'.repeat(90)}`,
      '`GET /a b`',
    ]);
  });

  it('table() replaces line breaks and escapes bars in a cell', () => {
    expect(table(['a', 'b'], [['1\n2', 'x|y']])).toBe('| a | b |\n|---|---|\n| 1 2 | x\\|y |');
  });

  it('contents() links to headings by the anchors of GitHub', () => {
    expect(contents(['Who may call', 'Metrics, logs'])).toBe(
      'Contents: [Who may call](#who-may-call), [Metrics, logs](#metrics-logs).',
    );
  });

  it('page() separates blocks by one empty line and ends with a line break', () => {
    expect(page(['# A', '', 'Text.'])).toBe('# A\n\nText.\n');
  });
});
