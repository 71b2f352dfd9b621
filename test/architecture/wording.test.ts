import { describe, expect, it } from 'vitest';
import { ALLOWED, findAllAvoided, findAvoided, unusedAllowances } from './wording.ts';

const found = (path: string, text: string) => findAvoided(path, text).map(({ line, found }) => `${line} ${found}`);

describe('the words of the repository', () => {
  it('are plain: `npm run wording` lists the words to replace', () => {
    expect(findAllAvoided().map(({ path, line, found, instead }) => `${path}:${line} "${found}": ${instead}`)).toEqual(
      [],
    );
  });

  it('keep an avoided word only where the list of exceptions needs it', () => {
    expect(unusedAllowances()).toEqual([]);
    expect(ALLOWED.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });
});

describe('the search for avoided words', () => {
  it('finds them in comments, error texts and names of the source', () => {
    const text = "// Whoever calls.\nconst told = 1;\nthrow new Error('Nobody is there');\n";
    expect(found('src/lib/a.ts', text)).toEqual(['1 whoever', '2 told', '3 nobody']);
  });

  it('finds phrases that a line break splits, in paragraphs and in comments', () => {
    expect(found('docs/a.md', 'It runs in\nearnest.')).toEqual(['1 in earnest']);
    expect(found('src/lib/a.ts', '  // It ends for\n  // ever.')).toEqual(['1 for ever']);
    expect(found('src/lib/a.ts', '/**\n * It ends for\n * ever.\n */')).toEqual(['2 for ever']);
    expect(found('docs/a.md', 'It ends for\n\never and a day.')).toEqual([]);
  });

  it('leaves names in backticks, fields and longer words alone', () => {
    expect(found('docs/a.md', 'The line `ack.untold` was `told`; retold, untold.')).toEqual([]);
    expect(found('src/lib/a.ts', 'const { everyOne, mentionsEveryOne } = body;')).toEqual([]);
    expect(found('openapi/a.yaml', 'summary: Delete a message for everyone')).toEqual([]);
    expect(found('docs/a.md', 'It can tell apart what everyone sees.')).toEqual(['1 everyone']);
  });

  it('reads titles and comments of tests, not their data', () => {
    const test =
      "// Told once.\nit('tells it', () => {\n  send('nobody'); // anew\n});\nit.each(['told'])('%s is heard', run);\n";
    expect(found('test/a.test.ts', test)).toEqual(['1 told', '2 tells', '3 anew', '5 heard']);
    expect(found('packages/a/test/a.test.ts', "  ])('told %s', () => {")).toEqual(['1 told']);
  });
});
