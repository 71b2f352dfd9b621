// Checks that the texts of errors start with a capital letter or with the name of a field of the contract.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spec, yamlText } from '../support/openapi-document.ts';
import { argumentsOf, calledBy, filesBelow, nodesOf, parseSource, root, textsOf } from '../support/syntax-tree.ts';

/** The functions that create errors, with the position of the text among their arguments. */
const CREATORS = new Map([
  ['GatewayError', 1],
  ['mediaError', 1],
  ['hostFailedError', 0],
  ['invalidRequestError', 0],
]);

/** Names of the properties and parameters of the contract, and `instance`, the root of a body in compatible texts. */
const FIELDS = new Set(['instance', ...[...yamlText.matchAll(/^ +(\w+):/gm)].map(([, name]) => name)]);

/** True for texts that start with a capital, a quoted name, a value, or the name or path of a field. */
function hasValidStart(text: string): boolean {
  const [, name = ''] = /^([a-z]\w*)(?:[.[ ]|$)/.exec(text) ?? [];
  return /^(?:[A-Z]|"|…)/.test(text) || FIELDS.has(name);
}

const texts = filesBelow('src').flatMap((path) => {
  const { program, lineAt } = parseSource(path, readFileSync(join(root, path), 'utf8'));
  const calls = [...nodesOf(program)].filter((node) => CREATORS.has(calledBy(node) ?? ''));
  return calls.flatMap((call) => {
    const message = argumentsOf(call)[CREATORS.get(calledBy(call) ?? '') ?? 1];
    return message ? textsOf(message).map((text) => ({ place: `${path}:${lineAt(call.start)}`, text })) : [];
  });
});

/** The strings of a `message`, which is a string or a list that can contain lists. */
function messagesOf(node: unknown): string[] {
  if (typeof node === 'string') return [node];
  return Array.isArray(node) ? node.flatMap(messagesOf) : [];
}

describe('texts of errors', () => {
  it('the error texts in src/ start with a capital letter or the name of a field', () => {
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter(({ text }) => !hasValidStart(text))).toEqual([]);
  });

  it('the error texts in the examples of the contract start with a capital letter or the name of a field', () => {
    const examples: unknown = Object.values(spec.components.responses).map(({ content }) => content);
    const messages: string[] = [];
    JSON.stringify(examples, (key, value: unknown) => {
      if (key === 'message') messages.push(...messagesOf(value));
      return value;
    });
    expect(messages.length).toBeGreaterThan(50);
    expect(messages.filter((text) => !hasValidStart(text))).toEqual([]);
  });
});
