// Checks of docs/reference/events.md and of the pages docs/reference/events-*.md.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findDescriptor } from '../../../src/events/event-descriptors.ts';
import { SUBSCRIPTION_NAMES, toSubscriptionName } from '../../../src/events/event-names.ts';
import { schemaViolations, spec } from '../../support/openapi-document.ts';

const list = readFileSync('docs/reference/events.md', 'utf8');
const pages = globSync('docs/reference/events-*.md').map((path) => readFileSync(path, 'utf8'));
const types = Object.keys(spec.webhooks);

/** The cells of the rows of the list, by event. */
const rows = new Map(
  [...list.matchAll(/^\| \[`([a-z.-]+)`\]\([^)]+\) \|(.*)\|$/gm)].map(([, type = '', cells = '']) => [
    type,
    cells.split('|').map((cell) => cell.trim()),
  ]),
);
/** Heading and text of each section of the event pages. */
const sections = pages.flatMap((page) =>
  page
    .split(/^## /m)
    .slice(1)
    .map((section): [string, string] => [section.slice(0, section.indexOf('\n')), section]),
);
const sectionOf = (title: string) => sections.find(([heading]) => heading === title)?.[1] ?? '';
const fieldsOf = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)` \| (.+?) \| (always|optional) \| (.*) \|$/gm)].map(
    ([, path = '', type = '', present = '', meaning = '']) => ({ path, type, present, meaning }),
  );

describe('docs/reference/events.md', () => {
  it('the event reference lists each event of the contract exactly once', () => {
    const listedTypes = [...list.matchAll(/^\| \[`([a-z.-]+)`\]/gm)].map(([, type]) => type);
    expect(listedTypes.toSorted()).toEqual(types.toSorted());
  });

  it('the event reference shows every subscription name', () => {
    expect(SUBSCRIPTION_NAMES.filter((name) => !list.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(
    types.filter((type) => findDescriptor(type)),
  )('the event reference shows both names, the summary and the order of %s', (type) => {
    const [subscription, when, order] = rows.get(type) ?? [];
    expect(subscription).toBe(`\`${toSubscriptionName(type)}\``);
    expect(when).toBe(spec.webhooks[type]?.post.summary);
    expect(order).toBe(findDescriptor(type)?.lane ? 'chat' : 'instance');
  });

  it('the event reference shows that a full backlog drops messages.update and presence.update first', () => {
    const first = [...rows].filter(([, cells]) => cells.at(-1) === 'first').map(([type]) => type);
    expect(first.toSorted()).toEqual(['messages.update', 'presence.update']);
  });

  it('the event reference shows the fields of the envelope', () => {
    const body = fieldsOf(list).map(({ path }) => path);
    expect(body).toEqual(['event', 'instance', 'data', 'destination', 'date_time', 'sender', 'server_url', 'apikey']);
  });
});

describe('event pages', () => {
  it('the event pages have exactly one section for each event', () => {
    const titles = sections.map(([title]) => title).filter((title) => !/^[A-Z]/.test(title));
    expect(titles.toSorted()).toEqual(types.toSorted());
  });

  it.each(types)('the event pages show an example of %s that the contract accepts', (type) => {
    const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(sectionOf(type)) ?? [];
    const name = spec.webhooks[type]?.post.requestBody?.content?.['application/json']?.schema?.$ref?.split('/').at(-1);
    const envelope = { event: type, instance: 'shop', destination: 'http://a/', server_url: 'http://b/' };
    const body = { ...envelope, date_time: '2026-01-01T00:00:00.000Z', data: JSON.parse(example) };
    expect(schemaViolations(name ?? '', body)).toBeUndefined();
  });

  it.each(types)('the event pages describe all fields in the example of %s', (type) => {
    const section = sectionOf(type);
    const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(section) ?? [];
    const data: unknown = JSON.parse(example);
    const first: unknown = Array.isArray(data) ? data[0] : data;
    const [, shared = ''] = /^`data` is (?:one|a list of) \[(\w+)\]/m.exec(section) ?? [];
    const describedPaths = fieldsOf(shared ? sectionOf(shared) : section).map(({ path }) => path);
    const names = typeof first === 'object' && first !== null ? Object.keys(first) : [];
    expect(names.filter((name) => !describedPaths.includes(name))).toEqual([]);
  });

  it('the event pages explain every field in a full sentence', () => {
    const fields = pages.flatMap(fieldsOf);
    expect(fields.length).toBeGreaterThan(150);
    expect(fields.filter(({ meaning }) => !/^\S.*\.$/.test(meaning))).toEqual([]);
  });

  it('the event pages mark fields that only one form of qrcode.updated has as optional', () => {
    const fields = fieldsOf(sectionOf('qrcode.updated'));
    expect(fields.find(({ path }) => path === 'message')?.present).toBe('optional');
    expect(fields.find(({ path }) => path === 'qrcode.code')?.present).toBe('always');
  });

  it('the event page of groups.upsert leaves out the field updateParticipants, which only responses have', () => {
    expect(sectionOf('groups.upsert')).not.toContain('updateParticipants');
  });
});
