// One minute of fuzzing. The fuzzer prints each finding with the cases that cause it (test/fuzz/cli.ts). A finding
// becomes a test in test/e2e/fuzzer-findings.test.ts or a unit test.
import { expect, it } from 'vitest';
import { runNpm } from '../support/process.ts';

it('the fuzzer has no finding after one minute of attacks on a gateway', async () => {
  const fuzzer = runNpm(['run', '--silent', 'fuzz', '--', '12', '60']);
  const code = await fuzzer.ended;
  expect(fuzzer.lines.join('\n')).toContain('"findings":0,');
  expect(code).toBe(0);
});
