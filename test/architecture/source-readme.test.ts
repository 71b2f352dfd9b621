// Checks the paths in src/README.md and the size of the READMEs of its folders.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

  it('each folder of src has a README of 5 to 15 lines', () => {
    const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const sizes = folders.map(({ name }) => {
      const text = readFileSync(new URL(`${name}/README.md`, src), 'utf8');
      return [name, text.trimEnd().split('\n').length] as const;
    });
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.filter(([, lines]) => lines < 5 || lines > 15)).toEqual([]);
  });
});
