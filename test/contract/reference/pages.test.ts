import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { firstDifference } from '../../../openapi/generate.ts';
import { referencePages } from '../../../openapi/reference/pages.ts';
import { yamlText } from '../document.ts';

const generated = referencePages(parse(yamlText));

describe('docs/reference and .env.example', () => {
  it.each([...generated])('%s is what `npm run generate` writes', (path, text) => {
    expect(firstDifference(path, readFileSync(path, 'utf8'), text)).toBeUndefined();
  });

  it('has no page that is not generated, except one that test/session-bundle/reference.test.ts compares', () => {
    const pages = globSync('docs/reference/**/*.md').filter((path) => !generated.has(path));
    expect(pages).toEqual(['docs/reference/session-bundle.md']);
  });

  it('has pages that say where they come from, in a comment that readers do not see', () => {
    const pages = [...generated].filter(([path]) => path.endsWith('.md'));
    expect(pages.filter(([, text]) => !text.startsWith('<!-- Generated from '))).toEqual([]);
  });
});
