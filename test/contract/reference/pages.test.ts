// Checks that docs/reference and .env.example are generated.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { firstDifference } from '../../../openapi/generate.ts';
import { referencePages } from '../../../openapi/reference/pages.ts';
import { yamlText } from '../../support/openapi-document.ts';

const generated = referencePages(parse(yamlText));

describe('docs/reference and .env.example', () => {
  it.each([...generated])('%s is the output of `npm run generate`', (path, text) => {
    expect(firstDifference(path, readFileSync(path, 'utf8'), text)).toBeUndefined();
  });

  it('every page in docs/reference except session-bundle.md is generated', () => {
    const pages = globSync('docs/reference/**/*.md').filter((path) => !generated.has(path));
    // test/session-bundle/reference.test.ts compares this page with the code.
    expect(pages).toEqual(['docs/reference/session-bundle.md']);
  });

  it('every generated page starts with a comment that names its source', () => {
    const pages = [...generated].filter(([path]) => path.endsWith('.md'));
    expect(pages.filter(([, text]) => !text.startsWith('<!-- Generated from '))).toEqual([]);
  });
});
