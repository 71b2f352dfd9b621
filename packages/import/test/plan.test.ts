import { describe, expect, it } from 'vitest';
import { planSessions } from '../src/plan.ts';
import type { FoundSession } from '../src/source.ts';

const found = (name: string, more: Partial<FoundSession> = {}): FoundSession => ({
  name,
  account: '4915550001001@s.whatsapp.net',
  counts: {},
  read: () => Promise.reject(new Error('not read')),
  ...more,
});
const options = { instances: [], name: undefined, force: false };
const problemsOf = (sessions: FoundSession[], more = {}) =>
  planSessions(sessions, { ...options, ...more }).map(({ problem }) => problem?.split(':')[0] ?? null);

describe('the plan', () => {
  it('takes all sessions, or those that --instance names', () => {
    const sessions = [found('a'), found('b'), found('c')];
    expect(planSessions(sessions, options).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    const selected = planSessions(sessions, { ...options, instances: ['c', 'a'] });
    expect(selected.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(() => planSessions(sessions, { ...options, instances: ['a', 'd'] })).toThrow(
      '--instance: the source has no session d.',
    );
  });

  it('renames one session only', () => {
    expect(planSessions([found('a/b')], { ...options, name: 'shop' })).toMatchObject([
      { name: 'shop', problem: undefined },
    ]);
    expect(() => planSessions([found('a'), found('b')], { ...options, name: 'shop' })).toThrow(
      '--name is for one session, but there are 2. Select one with --instance.',
    );
  });

  it.each(['a/b', 'a\\b', '..', ' ', 'a\nb', 'x'.repeat(101)])('refuses the name %j with advice', (name) => {
    const [planned] = planSessions([found(name)], options);
    expect(planned?.problem).toMatch(/^The name is invalid: .* --instance and give it another name with --name\.$/);
  });

  it('refuses the second of two sessions with one name', () => {
    expect(problemsOf([found('a'), found('a')])).toEqual([
      null,
      'Another session of the source has the same name. Move this one from its own file or folder, with --name.',
    ]);
  });

  it('refuses sessions that are connected, unless forced, and those that were never linked', () => {
    const sessions = [
      found('a', { isConnected: true }),
      found('b', { isConnected: false }),
      found('c', { account: null }),
    ];
    const neverLinked = 'The session was never linked';
    expect(problemsOf(sessions)).toEqual([
      'The source says that the session is connected. Stop the program that has it. If it is stopped already, add --force.',
      null,
      neverLinked,
    ]);
    expect(problemsOf(sessions, { force: true })).toEqual([null, null, neverLinked]);
  });

  it('keeps the problem that the source reports', () => {
    expect(problemsOf([found('a', { problem: 'The keys are in the memory of the program' })], { force: true })).toEqual(
      ['The keys are in the memory of the program'],
    );
  });
});
