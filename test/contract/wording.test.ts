// The texts of openapi.yaml: imperative summaries, short descriptions that end with a full stop, aliases that name their operation.
import { describe, expect, it } from 'vitest';
import { operations, spec } from './document.ts';

const VERBS = new Set(
  `Add Answer Approve Archive Block Change Check Confirm Create Delete Download Edit Follow Forward Get Join Leave Link
  List Map Mark Mute Pin Place Post Preview React Read Remove Replace Replay Request Restart Revoke Rotate Search Send Set
  Show Star Unfollow Unlink`.split(/\s+/),
);
const MAX_SENTENCES = 3;

/** Number of sentences. Code spans, and full stops inside a word such as `messages.upsert`, do not count. */
function countSentences(text: string): number {
  return (
    text
      .replaceAll(/`[^`]*`/g, 'X')
      .trim()
      .match(/[.!?](?=\s+\S|$)/g)?.length ?? 0
  );
}

/** Every description below a part of the document with its place, without the values of examples. */
function descriptionsOf(node: unknown, place: string): { place: string; text: string }[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (['example', 'examples', 'enum', 'required'].includes(key)) return [];
    const inner = `${place}/${key}`;
    return key === 'description' && typeof value === 'string'
      ? [{ place: inner, text: value.replaceAll(/\s+/g, ' ').trim() }]
      : descriptionsOf(value, inner);
  });
}

const descriptions = [
  ...descriptionsOf(spec.paths, 'paths'),
  ...descriptionsOf(spec.webhooks, 'webhooks'),
  ...descriptionsOf(spec.components, 'components'),
];

describe('the summaries of operations', () => {
  it('start with an imperative verb', () => {
    const others = operations.filter(({ operation }) => !VERBS.has(operation.summary?.split(' ')[0] ?? ''));
    expect(others.map(({ operation }) => operation.summary)).toEqual([]);
  });

  it('have no full stop and no question mark', () => {
    expect(operations.map(({ operation }) => operation.summary).filter((text) => /[.?!]$/.test(text ?? ''))).toEqual(
      [],
    );
  });

  it('differ from each other', () => {
    const groups = Map.groupBy(operations, ({ operation }) => operation.summary);
    const repeated = [...groups].filter(([, group]) => group.length > 1).map(([summary]) => summary);
    expect(repeated).toEqual([]);
  });
});

describe('the summaries of events', () => {
  it('start with a capital, have no full stop and differ from each other', () => {
    const summaries = Object.values(spec.webhooks).map(({ post }) => post.summary ?? '');
    expect(summaries.filter((text) => !/^[A-Z].*[^.?!]$/.test(text))).toEqual([]);
    expect(new Set(summaries).size).toBe(summaries.length);
  });
});

describe('the descriptions of the contract', () => {
  it('start with a capital, a number, a code span or the name of a value, a field or an event', () => {
    const start = /^(?:[A-Z`0-9]|[a-z]+[A-Z]|[a-z]+[./:]\w|\w+:)/;
    expect(descriptions.filter(({ text }) => !start.test(text))).toEqual([]);
  });

  it('end with a full stop', () => {
    expect(descriptions.filter(({ text }) => !text.endsWith('.'))).toEqual([]);
  });

  it(`have at most ${MAX_SENTENCES} sentences`, () => {
    expect(descriptions.filter(({ text }) => countSentences(text) > MAX_SENTENCES)).toEqual([]);
  });
});

describe('operations that repeat another', () => {
  const names = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));

  it('name a method and a path of the contract', () => {
    const aliases = operations.filter(({ operation }) => operation.description?.startsWith('Alias'));
    expect(aliases.length).toBeGreaterThan(0);
    const nameOf = (text = '') => /^Alias of `([A-Z]+ [^`]+)`/.exec(text)?.[1] ?? '';
    expect(aliases.filter(({ operation }) => !names.has(nameOf(operation.description)))).toEqual([]);
  });

  it('include every POST operation that has the id of the PUT operation of its path', () => {
    const twins = operations.filter(
      ({ method, path, operation }) =>
        method === 'post' && operation.operationId === `${spec.paths[path]?.put?.operationId}Post`,
    );
    expect(twins.length).toBeGreaterThan(0);
    expect(twins.filter(({ operation }) => !operation.description?.startsWith('Alias of `PUT /'))).toEqual([]);
  });
});
