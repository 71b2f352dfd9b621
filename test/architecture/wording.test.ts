// Checks that the texts of the repository contain no avoided words, and tests the search for these words.
import { describe, expect, it } from 'vitest';
import { ALLOWED, findAllAvoided, findAvoided, unusedAllowances } from './wording.ts';

const findWords = (path: string, text: string) => findAvoided(path, text).map(({ line, found }) => `${line} ${found}`);

describe('avoided words', () => {
  it('the texts of the repository contain no avoided words: `npm run wording` lists the words to replace', () => {
    expect(findAllAvoided().map(({ path, line, found, instead }) => `${path}:${line} "${found}": ${instead}`)).toEqual(
      [],
    );
  });

  it('every exception for an avoided word is needed and has a reason', () => {
    expect(unusedAllowances()).toEqual([]);
    expect(ALLOWED.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });
});

describe('search for avoided words', () => {
  it('findAvoided() finds words in comments, error texts and names of the source', () => {
    const text = "// Whoever calls.\nconst told = 1;\nthrow new Error('Nobody is there');\n";
    expect(findWords('src/lib/a.ts', text)).toEqual(['1 whoever', '2 told', '3 nobody']);
  });

  it('findAvoided() finds phrases that a line break splits, in paragraphs and in comments', () => {
    expect(findWords('docs/a.md', 'It runs in\nearnest.')).toEqual(['1 in earnest']);
    expect(findWords('src/lib/a.ts', '  // It ends for\n  // ever.')).toEqual(['1 for ever']);
    expect(findWords('src/lib/a.ts', '/**\n * It ends for\n * ever.\n */')).toEqual(['2 for ever']);
    expect(findWords('docs/a.md', 'It ends for\n\never and a day.')).toEqual([]);
  });

  it('findAvoided() ignores names in backticks, fields, and longer words that contain an avoided word', () => {
    expect(findWords('docs/a.md', 'The line `ack.untold` was `told`; retold, untold.')).toEqual([]);
    expect(findWords('src/lib/a.ts', 'const { everyOne, mentionsEveryOne } = body;')).toEqual([]);
    expect(findWords('openapi/a.yaml', 'summary: Delete a message for everyone')).toEqual([]);
    expect(findWords('docs/a.md', 'It can tell apart what everyone sees.')).toEqual(['1 everyone']);
  });

  it('findAvoided() reads titles and comments of tests, and not their data', () => {
    const test =
      "// Told once.\nit('tells it', () => {\n  send('nobody'); // anew\n});\nit.each(['told'])('%s is heard', run);\n";
    expect(findWords('test/a.test.ts', test)).toEqual(['1 told', '2 tells', '3 anew', '5 heard']);
    expect(findWords('packages/a/test/a.test.ts', "  ])('told %s', () => {")).toEqual(['1 told']);
  });
});
