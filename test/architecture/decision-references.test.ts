// Checks of the numbers of decisions in the code. Each number is a decision of docs/decisions. The code names each
// decision where it implements the decision.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DECISIONS } from '../support/decisions.ts';

const NUMBER = /(?<![\w-])D-\d{3}(?!\d)/g;

const decisions = DECISIONS.map(({ number }) => number);

/** Decisions without code of their own, with the reason. */
const WITHOUT_CODE: Readonly<Record<string, string>> = {
  'D-005': 'a parameter that openapi.yaml does not have',
  'D-021': 'limits in openapi.yaml, from which the validators are generated',
  'D-032': 'statuses and bodies in openapi.yaml',
  'D-036': 'a required parameter in openapi.yaml',
  'D-037': 'a rule for openapi.yaml: x-status',
  'D-116': 'ids are those of WhatsApp; the rest is replaced by D-175',
};

/** Files with numbers as examples, such as the number of a decision that does not exist. */
const WITH_EXAMPLES = ['test/architecture/decision-references.test.ts', 'test/contract/decisions.test.ts'];

const filesOf = (...patterns: string[]): string[] =>
  patterns
    .flatMap((pattern) => globSync(pattern))
    .filter((path) => !path.includes('node_modules') && !path.startsWith('src/http/schemas/'))
    .filter((path) => !WITH_EXAMPLES.includes(path));

const numbersIn = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(NUMBER)].map(([number]) => number);

const codeFiles = filesOf(
  'src/**/*.{ts,js}',
  'packages/*/src/**/*.{ts,js}',
  'openapi/**/*.ts',
  'deploy/*',
  'Dockerfile',
);
const otherFiles = filesOf('src/**/*.md', 'packages/*/*.md', '{test,packages/*/test}/**/*.ts');

describe('numbers of decisions', () => {
  it('every number of a decision in code and tests exists in docs/decisions', () => {
    const unknown = [...codeFiles, ...otherFiles].flatMap((path) =>
      numbersIn(path)
        .filter((number) => !decisions.includes(number))
        .map((number) => `${path}: ${number}`),
    );
    expect(unknown).toEqual([]);
  });

  it('the code names every decision, except those that have no code of their own', () => {
    const numbersInCode = new Set(codeFiles.flatMap(numbersIn));
    expect(decisions.length).toBeGreaterThan(171);
    expect(decisions.filter((number) => !numbersInCode.has(number))).toEqual(Object.keys(WITHOUT_CODE));
  });
});
