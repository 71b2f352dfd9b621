import { expect, it } from 'vitest';
import { runNpm } from '../support/process.ts';

it('finds nothing in a minute of fuzzing through messages, stanzas and requests', async () => {
  const fuzz = runNpm(['run', '--silent', 'fuzz', '--', '12', '60']);
  const code = await fuzz.ended;
  expect(fuzz.lines.join('\n')).toMatch(/"findings":0,/);
  expect(code).toBe(0);
});
