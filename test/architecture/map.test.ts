import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const src = new URL('../../src/', import.meta.url);
const map = readFileSync(new URL('README.md', src), 'utf8');

describe('src/README.md', () => {
  it('sends a reader only to files that exist', () => {
    const places = [...map.matchAll(/`((?:src|openapi|test)\/[^`*{}\s]+|\.env\.example)`/g)].map((match) => match[1]);
    expect(places.length).toBeGreaterThan(10);
    expect(places.filter((place) => !existsSync(new URL(`../${place}`, src)))).toEqual([]);
  });
});
