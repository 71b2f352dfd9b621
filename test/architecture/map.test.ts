import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourcesOf } from './sources.ts';

const src = new URL('../../src/', import.meta.url);
const map = readFileSync(new URL('README.md', src), 'utf8');

/** Files of the map: `- ` + backticked path, with the folder of the heading above (`### webhooks/`) in front. */
function listed(): string[] {
  let folder = '';
  const paths: string[] = [];
  for (const line of map.split('\n')) {
    const heading = /^### (?:`([^`]+\/)`)?/.exec(line);
    if (heading) folder = heading[1] ?? '';
    const entry = /^- `([^`]+\.ts)` \S/.exec(line);
    if (entry) paths.push(folder + entry[1]);
  }
  return paths;
}

describe('src/README.md', () => {
  it('has one line for every file, and no line for a file that is not there', () => {
    expect(listed().sort()).toEqual(sourcesOf('src').map(({ path }) => path));
  });

  it('sends a reader only to files that exist', () => {
    const places = [...map.matchAll(/`((?:src|openapi|test)\/[^`*{}\s]+|\.env\.example)`/g)].map((match) => match[1]);
    expect(places.length).toBeGreaterThan(10);
    expect(places.filter((place) => !existsSync(new URL(`../${place}`, src)))).toEqual([]);
  });
});
