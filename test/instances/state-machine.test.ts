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

const COMMANDS = ['START', 'RESTART', 'STOP', 'LOGOUT', 'DELETE'] as const;
const NO_CHANGE = '–';

/** One row per state: the state to which each command leads; `–` for a command without meaning. */
const TRANSITIONS: [State, ...string[]][] = [
  [stopped, 'connecting', 'connecting', NO_CHANGE, 'logged_out', 'deleted'],
  [connecting, NO_CHANGE, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [pairing, NO_CHANGE, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [open, NO_CHANGE, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [backoff, NO_CHANGE, 'connecting', 'stopped', 'logged_out', 'deleted'],
  [loggedOut, 'connecting', 'connecting', NO_CHANGE, 'logged_out', 'deleted'],
  [blocked, 'connecting', 'connecting', 'stopped', 'logged_out', 'deleted'],
  [deleted, NO_CHANGE, NO_CHANGE, NO_CHANGE, NO_CHANGE, NO_CHANGE],
  [closing('backoff'), NO_CHANGE, 'closing(connecting)', 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [closing('connecting'), NO_CHANGE, NO_CHANGE, 'closing(stopped)', 'closing(logged_out)', 'closing(deleted)'],
  [
    closing('stopped'),
    'closing(connecting)',
    'closing(connecting)',
    NO_CHANGE,
    'closing(logged_out)',
    'closing(deleted)',
  ],
  [closing('logged_out'), NO_CHANGE, NO_CHANGE, NO_CHANGE, NO_CHANGE, 'closing(deleted)'],
  [closing('deleted'), NO_CHANGE, NO_CHANGE, NO_CHANGE, NO_CHANGE, NO_CHANGE],
];

const rows = TRANSITIONS.flatMap(([state, ...targets]) =>
  COMMANDS.map((type, i): [string, string, string, State, LifecycleEvent] => [
    stateNameOf(state),
    type,
    targets[i] ?? '',
    state,
    { type },
  ]),
);

describe('the state machine', () => {
  it.each(
    rows,
  )('reduce() in the state %s with the command %s leads to %s (– means no change)', (_state, _type, target, state, event) => {
    const [next, effects] = reduce(state, event);
    if (target === NO_CHANGE) expect([next, effects]).toEqual([state, []]);
    else expect(stateNameOf(next)).toBe(target);
    // By the identity of the state, StateRunner recognizes that nothing has changed.
    expect(next === state).toBe(target === NO_CHANGE);
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
  ] as const)('reduce() for a close because of %s leads to %s from connecting, pairing and open', (cause, target) => {
    for (const state of [connecting, pairing, open]) {
      expect(stateNameOf(reduce(state, { type: 'CLOSED', cause, paired: true, code: 0 })[0])).toBe(target);
    }
  });

  it('reduce() sends a logout to the platform only for LOGOUT and DELETE of an open instance', () => {
    expect(reduce(open, { type: 'LOGOUT' })[1]).toEqual(['sendLogout', 'endSocket', 'armCloseWatchdog']);
    expect(reduce(open, { type: 'DELETE' })[1]).toEqual(['sendLogout', 'endSocket', 'armCloseWatchdog']);
    expect(reduce(open, { type: 'STOP' })[1]).not.toContain('sendLogout');
    expect(reduce(pairing, { type: 'LOGOUT' })[1]).not.toContain('sendLogout');
  });

  it('reduce() applies a logout by the phone to a closing instance with a weaker goal, and ignores other causes', () => {
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

  it('toPublicState() returns open, connecting or close, and connecting for an instance that reconnects', () => {
    const states = [stopped, connecting, pairing, open, backoff, loggedOut, blocked, deleted].map(toPublicState);
    expect(states).toEqual(['close', 'connecting', 'connecting', 'open', 'connecting', 'close', 'close', 'close']);
    expect(toPublicState(closing('connecting'))).toBe('connecting');
    expect(toPublicState(closing('logged_out'))).toBe('close');
  });
});
