import { describe, expect, it } from 'vitest';
import { planSessions } from '../src/plan.ts';
import type { FoundSession } from '../src/session/source.ts';

const createFound = (name: string, overrides: Partial<FoundSession> = {}): FoundSession => ({
  name,
  account: '4915550001001@s.whatsapp.net',
  counts: {},
  read: () => Promise.reject(new Error('not read')),
  ...overrides,
});
const options = { instances: [], name: undefined, force: false };
const problemsOf = (sessions: FoundSession[], overrides = {}) =>
  planSessions(sessions, { ...options, ...overrides }).map(({ problem }) => problem?.split(':')[0] ?? null);

describe('planSessions()', () => {
  it('planSessions() takes all sessions, or those that --instance names', () => {
    const sessions = [createFound('a'), createFound('b'), createFound('c')];
    expect(planSessions(sessions, options).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    const selected = planSessions(sessions, { ...options, instances: ['c', 'a'] });
    expect(selected.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(() => planSessions(sessions, { ...options, instances: ['a', 'd'] })).toThrow(
      '--instance: the source has no session d.',
    );
  });

  it('planSessions() renames a single session, and rejects --name for two sessions', () => {
    expect(planSessions([createFound('a/b')], { ...options, name: 'shop' })).toMatchObject([
      { name: 'shop', problem: undefined },
    ]);
    expect(() => planSessions([createFound('a'), createFound('b')], { ...options, name: 'shop' })).toThrow(
      '--name is for one session, but there are 2. Select one with --instance.',
    );
  });

  it.each([
    'a/b',
    'a\\b',
    '..',
    ' ',
    'a\nb',
    'x'.repeat(101),
  ])('planSessions() refuses the name %j and recommends --name', (name) => {
    const [planned] = planSessions([createFound(name)], options);
    expect(planned?.problem).toMatch(/^The name is invalid: .* --instance and give it another name with --name\.$/);
  });

  it('planSessions() refuses the second of two sessions with the same name', () => {
    expect(problemsOf([createFound('a'), createFound('a')])).toEqual([
      null,
      'Another session of the source has the same name. Move this one from its own file or folder, with --name.',
    ]);
  });

  it('planSessions() refuses connected sessions without --force, and sessions that were never linked', () => {
    const sessions = [
      createFound('a', { isConnected: true }),
      createFound('b', { isConnected: false }),
      createFound('c', { account: null }),
    ];
    const neverLinked = 'The session was never linked';
    expect(problemsOf(sessions)).toEqual([
      'The source says that the session is connected. Stop the program that has it. If it is stopped already, add --force.',
      null,
      neverLinked,
    ]);
    expect(problemsOf(sessions, { force: true })).toEqual([null, null, neverLinked]);
  });

  it('planSessions() keeps a problem that the source reports', () => {
    expect(
      problemsOf([createFound('a', { problem: 'The keys are in the memory of the program' })], { force: true }),
    ).toEqual(['The keys are in the memory of the program']);
  });
});
