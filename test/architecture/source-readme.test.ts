// Checks the paths in src/README.md.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const src = new URL('../../src/', import.meta.url);
const readme = readFileSync(new URL('README.md', src), 'utf8');

describe('src/README.md', () => {
  it('src/README.md names only files that exist', () => {
    const places = [...readme.matchAll(/`((?:src|openapi|test)\/[^`*{}\s]+|\.env\.example)`/g)].map(
      (match) => match[1],
    );
    expect(places.length).toBeGreaterThan(10);
    expect(places.filter((place) => !existsSync(new URL(`../${place}`, src)))).toEqual([]);
  });
});
