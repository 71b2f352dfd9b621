// One minute of fuzzing. What it finds is printed with the cases that it takes (test/fuzz/cli.ts), and becomes a case of its own in
// test/e2e/hostile-findings.test.ts or the unit tests.
import { expect, it } from 'vitest';
import { runNpm } from '../support/process.ts';

it('finds nothing in a gateway that is attacked for a minute', async () => {
  const fuzzer = runNpm(['run', '--silent', 'fuzz', '--', '12', '60']);
  const code = await fuzzer.ended;
  expect(fuzzer.lines.join('\n')).toContain('"findings":0,');
  expect(code).toBe(0);
});
