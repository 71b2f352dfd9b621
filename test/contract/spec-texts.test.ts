// Checks of the texts of openapi.yaml. Summaries are imperative. Descriptions are short and end with a full stop.
// Aliases name their operation.
import { describe, expect, it } from 'vitest';
import { operations, resolve, type Schema, spec, violationsOf } from '../support/openapi-document.ts';
import { type Field, fields, isOpenScalar } from './fields.ts';

const VERBS = new Set(
  `Add Answer Approve Archive Block Change Check Confirm Create Delete Download Edit Export Follow Forward Get Import Join Leave Link
  List Map Mark Mute Pin Place Post Preview React Read Remove Replace Replay Request Restart Revoke Rotate Search Send Set
  Show Star Unfollow Unlink`.split(/\s+/),
);
const MAX_SENTENCES = 3;

/** Number of sentences. Full stops in code spans and inside a word such as `messages.upsert` do not count. */
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

describe('summaries of operations', () => {
  it('the summary of every operation starts with an imperative verb', () => {
    const others = operations.filter(({ operation }) => !VERBS.has(operation.summary?.split(' ')[0] ?? ''));
    expect(others.map(({ operation }) => operation.summary)).toEqual([]);
  });

  it('the summary of every operation ends without a full stop, question mark or exclamation mark', () => {
    expect(operations.map(({ operation }) => operation.summary).filter((text) => /[.?!]$/.test(text ?? ''))).toEqual(
      [],
    );
  });

  it('the summaries of operations differ from each other', () => {
    const groups = Map.groupBy(operations, ({ operation }) => operation.summary);
    const repeated = [...groups].filter(([, group]) => group.length > 1).map(([summary]) => summary);
    expect(repeated).toEqual([]);
  });
});

describe('summaries of events', () => {
  it('the summaries of events start with a capital, end without a full stop and differ from each other', () => {
    const summaries = Object.values(spec.webhooks).map(({ post }) => post.summary ?? '');
    expect(summaries.filter((text) => !/^[A-Z].*[^.?!]$/.test(text))).toEqual([]);
    expect(new Set(summaries).size).toBe(summaries.length);
  });
});

describe('descriptions of the contract', () => {
  it('every description starts with a capital, a number, a code span or the name of a value, a field or an event', () => {
    const start = /^(?:[A-Z`0-9]|[a-z]+[A-Z]|[a-z]+[./:]\w|\w+:)/;
    expect(descriptions.filter(({ text }) => !start.test(text))).toEqual([]);
  });

  it('every description ends with a full stop', () => {
    expect(descriptions.filter(({ text }) => !text.endsWith('.'))).toEqual([]);
  });

  it(`every description has at most ${MAX_SENTENCES} sentences`, () => {
    expect(descriptions.filter(({ text }) => countSentences(text) > MAX_SENTENCES)).toEqual([]);
  });
});

/** Lower-case words without their plural ending, such as `jid` for `JIDs`. */
function wordsOf(text: string): string[] {
  return (
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  ).map((word) => word.replace(/s$/, ''));
}

const FILLERS = new Set(wordsOf('a an the this that it its of in on to for by with and or is are was whether when as'));

/** True for a description with a word that is neither in the name nor a filler. */
function saysMoreThanName({ name, description = '' }: Field): boolean {
  const words = new Set([...FILLERS, ...wordsOf(name)]);
  return wordsOf(description).some((word) => !words.has(word));
}

const UNIT =
  /\b(?:milliseconds?|seconds?|minutes?|hours?|days?|bytes?|pixels?|degrees|percent\w*|number of|maximum|ISO 8601)\b/i;
/** Names of fields that hold a time, a duration, a size or an amount. */
const MEASURE =
  /time|date|delay|duration|expir|ttl|seconds|age|hours|overlap|ms$|at$|until|since|size|length|height|width|limit|count|total|progress|creation|latitude|longitude/i;

describe('fields, parameters and headers of the contract', () => {
  it('the list of fields includes those of components, of forms, of parameters and of webhooks', () => {
    const places = fields.map(({ place }) => place);
    expect(places).toEqual(expect.arrayContaining(['MessageKey.id', 'CallData.from', 'Instance', 'RetryAfter']));
    expect(places).toContain('/message/sendMedia/{instance}.file');
    expect(places).toContain('/events/{instance}?types');
  });

  it('every field has a description', () => {
    expect(fields.filter(({ description }) => !description).map(({ place }) => place)).toEqual([]);
  });

  it('the description of a field has more than the words of its name', () => {
    expect(fields.filter((field) => !saysMoreThanName(field)).map((field) => [field.place, field.description])).toEqual(
      [],
    );
  });

  it('a field has an example if it holds a text, a number or a list of these that is not an enumeration', () => {
    const openScalars = fields.filter(({ schema }) => isOpenScalar(schema.items ?? schema));
    expect(openScalars.length).toBeGreaterThan(500);
    expect(openScalars.filter(({ examples }) => !examples?.length).map(({ place }) => place)).toEqual([]);
  });

  it('every example of a field is valid for the schema of the field', () => {
    // The compilation of a schema is slow, and many fields have the same schema.
    const distinctExamples = new Map<string, { place: string; schema: Schema; value: unknown }>();
    for (const { place, schema, examples = [] } of fields) {
      const { description: _description, examples: _examples, ...rules } = schema;
      for (const value of examples)
        distinctExamples.set(JSON.stringify([rules, value]), { place, schema: rules, value });
    }
    expect(distinctExamples.size).toBeGreaterThan(200);
    const wrong = [...distinctExamples.values()].map(({ place, schema, value }) => [
      place,
      violationsOf(schema, value),
    ]);
    expect(wrong.filter(([, errors]) => errors)).toEqual([]);
  });

  it('the description of a number names the unit of a time, a duration, a size or an amount', () => {
    const numbers = fields.filter(
      ({ name, schema }) =>
        MEASURE.test(name) && ['integer', 'number'].some((type) => [schema.type].flat().includes(type)),
    );
    expect(numbers.length).toBeGreaterThan(50);
    expect(
      numbers
        .filter(({ description }) => !UNIT.test(description ?? ''))
        .map(({ place, description }) => [place, description]),
    ).toEqual([]);
  });

  it('the description of a time as text names ISO 8601', () => {
    const times = fields.filter(({ schema }) => schema.format === 'date-time');
    expect(times.length).toBeGreaterThan(20);
    expect(times.filter(({ description }) => !description?.includes('ISO 8601')).map(({ place }) => place)).toEqual([]);
  });
});

describe('bodies in two forms', () => {
  it('a body with a wrapped and a flat form has descriptions in openapi.yaml that name these forms', () => {
    const forms = operations.flatMap(({ operation }) => {
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      return schema?.['x-dialects'] ? [schema] : [];
    });
    expect(forms.length).toBeGreaterThan(20);
    expect(forms.filter(({ description }) => !description?.includes('wrapped form'))).toEqual([]);
    const branches = forms.flatMap(({ anyOf = [] }) => anyOf.map((branch) => resolve(branch).description));
    const pattern = /\b(?:wrapped form|flat form|camelCase|snake_case|list)\b/i;
    expect(branches.filter((text) => !pattern.test(text ?? ''))).toEqual([]);
  });
});

describe('aliases of operations', () => {
  const names = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));

  it('the description of an alias names a method and a path of the contract', () => {
    const aliases = operations.filter(({ operation }) => operation.description?.startsWith('Alias'));
    expect(aliases.length).toBeGreaterThan(0);
    const nameOf = (text = '') => /^Alias of `([A-Z]+ [^`]+)`/.exec(text)?.[1] ?? '';
    expect(aliases.filter(({ operation }) => !names.has(nameOf(operation.description)))).toEqual([]);
  });

  it('the description of an operation names its aliases', () => {
    const withoutBackReference = operations.flatMap(({ method, path, operation }) => {
      const [, targetMethod = '', targetPath = ''] =
        /^Alias of `([A-Z]+) ([^`]+)`/.exec(operation.description ?? '') ?? [];
      const target = spec.paths[targetPath]?.[targetMethod.toLowerCase()];
      return target && !target.description?.includes(`\`${method.toUpperCase()} ${path}\``)
        ? [operation.operationId]
        : [];
    });
    expect(withoutBackReference).toEqual([]);
  });

  it('the description of a POST with the id of the PUT of its path names the PUT as its original', () => {
    const postCopies = operations.filter(
      ({ method, path, operation }) =>
        method === 'post' && operation.operationId === `${spec.paths[path]?.put?.operationId}Post`,
    );
    expect(postCopies.length).toBeGreaterThan(0);
    expect(postCopies.filter(({ operation }) => !operation.description?.startsWith('Alias of `PUT /'))).toEqual([]);
  });
});
