import { describe, expect, it } from 'vitest';
import {
  type LifecycleEvent,
  reduce,
  type State,
  stateNameOf,
  toPublicState,
} from '../../src/instances/state-machine.ts';

const stopped: State = { phase: 'stopped' };
const connecting: State = { phase: 'connecting' };
const pairing: State = { phase: 'pairing' };
const open: State = { phase: 'open' };
const backoff: State = { phase: 'backoff' };
const loggedOut: State = { phase: 'logged_out' };
const blocked: State = { phase: 'blocked', cause: 'replaced' };
const deleted: State = { phase: 'deleted' };
const closing = (goal: Extract<State, { phase: 'closing' }>['goal']): State => ({ phase: 'closing', goal });

const commands = ['START', 'RESTART', 'STOP', 'LOGOUT', 'DELETE'] as const;
const none = '–';

/** One row per state: where each command leads, `–` when it means nothing there. */
const table: [State, ...string[]][] = [
  [stopped, 'connecting', 'connecting', none, 'logged_out', 'deleted'],
  [connecting, none, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [pairing, none, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [open, none, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [backoff, none, 'connecting', 'stopped', 'logged_out', 'deleted'],
  [loggedOut, 'connecting', 'connecting', none, 'logged_out', 'deleted'],
  [blocked, 'connecting', 'connecting', 'stopped', 'logged_out', 'deleted'],
  [deleted, none, none, none, none, none],
  [closing('backoff'), none, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [closing('connecting'), none, none, 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [closing('stopped'), 'closing(connecting)', 'closing(connecting)', none, 'closing(logged_out)', 'closing(deleted)'],
  [closing('logged_out'), none, none, none, none, 'closing(deleted)'],
  [closing('deleted'), none, none, none, none, none],
];

const rows = table.flatMap(([state, ...targets]) =>
  commands.map((type, i): [string, string, string, State, LifecycleEvent] => [
    stateNameOf(state),
    type,
    targets[i] ?? '',
    state,
    { type },
  ]),
);

describe('the state machine', () => {
  it.each(rows)('%s + %s → %s', (_state, _type, target, state, event) => {
    const [next, effects] = reduce(state, event);
    if (target === none) expect([next, effects]).toEqual([state, []]);
    else expect(stateNameOf(next)).toBe(target);
    // Identity is how the runner recognises that nothing happened.
    expect(next === state).toBe(target === none);
  });

  it.each([
    ['restart_required', 'connecting'],
    ['qr_expired', 'connecting'],
    ['transient', 'backoff'],
    ['bad_session', 'backoff'],
    ['qr_exhausted', 'stopped'],
    ['logged_out', 'logged_out'],
    ['replaced', 'blocked(replaced)'],
    ['banned', 'blocked(banned)'],
    ['outdated', 'blocked(outdated)'],
    ['incompatible', 'blocked(incompatible)'],
    ['unreadable', 'blocked(unreadable)'],
  ] as const)('a close because of %s leads to %s from every live state', (cause, target) => {
    for (const state of [connecting, pairing, open]) {
      expect(stateNameOf(reduce(state, { type: 'CLOSED', cause, paired: true, code: 0 })[0])).toBe(target);
    }
  });

  it('unlinks first only where the platform can be reached', () => {
    expect(reduce(open, { type: 'LOGOUT' })[1]).toEqual(['sendLogout', 'endSocket', 'armCloseWatchdog']);
    expect(reduce(open, { type: 'DELETE' })[1]).toEqual(['sendLogout', 'endSocket', 'armCloseWatchdog']);
    expect(reduce(open, { type: 'STOP' })[1]).not.toContain('sendLogout');
    expect(reduce(pairing, { type: 'LOGOUT' })[1]).not.toContain('sendLogout');
  });

  it('believes a 401 that arrives while closing for something weaker, and nothing else', () => {
    const close = (cause: 'logged_out' | 'replaced'): LifecycleEvent => ({
      type: 'CLOSED',
      cause,
      paired: true,
      code: 0,
    });
    expect(stateNameOf(reduce(closing('connecting'), close('logged_out'))[0])).toBe('logged_out');
    expect(stateNameOf(reduce(closing('deleted'), close('logged_out'))[0])).toBe('deleted');
    expect(stateNameOf(reduce(closing('connecting'), close('replaced'))[0])).toBe('connecting');
  });

  it('shows open, connecting and close, and an instance on its way back as connecting', () => {
    const states = [stopped, connecting, pairing, open, backoff, loggedOut, blocked, deleted].map(toPublicState);
    expect(states).toEqual(['close', 'connecting', 'connecting', 'open', 'connecting', 'close', 'close', 'close']);
    expect(toPublicState(closing('connecting'))).toBe('connecting');
    expect(toPublicState(closing('logged_out'))).toBe('close');
  });
});
