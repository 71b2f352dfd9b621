import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/variables.ts';

const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

/** The file as it must be: one line of description and one of value each, in the order of variables.ts. */
const expected = Object.entries(variables)
  .map(([name, schema]) => `# ${schema.description}\n${name}=${schema.default}\n`)
  .join('');

describe('.env.example', () => {
  it('lists every variable of variables.ts with its description and default (vitest -u rewrites it)', async () => {
    const head =
      '# Settings and their defaults. Copy to .env and change what you need; an empty value means: not set.\n\n';
    await expect(head + expected).toMatchFileSnapshot('../../.env.example');
  });

  it('reads back as the defaults', () => {
    const defaults = Object.entries(variables).map(([name, schema]) => [name, String(schema.default)]);
    expect(parseEnv(text)).toEqual(Object.fromEntries(defaults));
  });
});
