import { describe, expect, it } from 'vitest';
import type { DisconnectCause } from '../../src/instances/disconnect-causes.ts';
import {
  type Effect,
  type LifecycleEvent,
  type Reduce,
  reduce,
  type State,
} from '../../src/instances/state-machine.ts';

/** Everything around the machine that can be in a wrong state. */
interface World {
  state: State;
  socket: boolean;
  retry: boolean;
  watchdog: 'none' | 'connect' | 'close';
  /** partial: written by an unfinished pairing. */
  creds: 'none' | 'partial' | 'linked';
  data: boolean;
}

const closes: DisconnectCause[] = [
  'restart_required',
  'qr_expired',
  'passkey_failed',
  'passkey_interrupted',
  'transient',
  'qr_exhausted',
  'logged_out',
  'replaced',
  'banned',
  'outdated',
  'incompatible',
  'bad_session',
];

/** Events that can happen in this world, each with what it does to the world before the machine gets it. */
function possible(world: World): { event: LifecycleEvent; before: Partial<World> }[] {
  const paired = world.creds === 'linked';
  const list: { event: LifecycleEvent; before: Partial<World> }[] = [];
  const may = (event: LifecycleEvent, before: Partial<World> = {}): number => list.push({ event, before });
  for (const type of ['START', 'STOP', 'RESTART', 'LOGOUT', 'DELETE'] as const) may({ type });
  if (world.socket) {
    if (!paired) may({ type: 'QR' }, { creds: 'partial' });
    if (!paired) may({ type: 'QR_LIMIT' });
    may({ type: 'OPEN' }, { creds: 'linked' });
    for (const cause of closes) may({ type: 'CLOSED', cause, paired, code: 0 }, { socket: false });
    // The phone accepted: credentials are linked before the connection ends with 515.
    may({ type: 'CLOSED', cause: 'restart_required', paired: true, code: 515 }, { socket: false, creds: 'linked' });
    // Credentials that cannot be read: the socket never came up, so nothing was written either.
    if (world.creds !== 'partial')
      may({ type: 'CLOSED', cause: 'unreadable', paired: true, code: 0 }, { socket: false });
  }
  if (world.retry) may({ type: 'RETRY_DUE' }, { retry: false });
  if (world.watchdog === 'connect') may({ type: 'CONNECT_TIMEOUT' }, { watchdog: 'none' });
  // After this timeout the socket counts as gone: its generation is abandoned.
  if (world.watchdog === 'close') may({ type: 'CLOSE_TIMEOUT', paired }, { watchdog: 'none', socket: false });
  return list;
}

const live = ['connecting', 'pairing', 'open', 'closing'];
const resting = ['stopped', 'logged_out', 'blocked', 'deleted'];

function perform(world: World, effect: Effect, broken: (rule: string) => void): void {
  const must = (held: boolean, rule: string): void => {
    if (!held) broken(rule);
  };
  switch (effect) {
    case 'openSocket':
      must(!world.socket, 'never two sockets');
      must(world.data, 'no socket of a deleted instance');
      world.socket = true;
      return;
    case 'endSocket':
    case 'sendLogout':
      must(world.socket, `${effect} needs a socket`);
      return;
    case 'armRetry':
      must(!world.retry, 'no double arm of the retry timer');
      world.retry = true;
      return;
    case 'cancelRetry':
      must(world.retry, 'no cancel of nothing (retry timer)');
      world.retry = false;
      return;
    case 'armConnectWatchdog':
    case 'armCloseWatchdog':
      must(world.watchdog === 'none', 'no double arm of the watchdog');
      world.watchdog = effect === 'armConnectWatchdog' ? 'connect' : 'close';
      return;
    case 'cancelWatchdog':
      must(world.watchdog !== 'none', 'no cancel of nothing (watchdog)');
      world.watchdog = 'none';
      return;
    case 'wipeCreds':
      must(!world.socket, 'credentials are never wiped under a live socket');
      world.creds = 'none';
      return;
    case 'deleteData':
      must(!world.socket, 'data is never deleted under a live socket');
      must(world.data, 'data is deleted once');
      world.data = false;
      world.creds = 'none';
      return;
    case 'emit':
      return;
  }
}

/** Rules that hold in every world between two steps. */
function check(world: World, broken: (rule: string) => void): void {
  const { phase } = world.state;
  const rules: [boolean, string][] = [
    [world.socket === live.includes(phase), 'a socket is alive exactly in the four live states'],
    [world.retry === (phase === 'backoff'), 'the retry timer runs exactly in backoff'],
    [(world.watchdog === 'close') === (phase === 'closing'), 'the close watchdog runs exactly in closing'],
    [(world.watchdog === 'connect') === (phase === 'connecting'), 'the connect watchdog runs exactly in connecting'],
    [!resting.includes(phase) || (!world.socket && !world.retry && world.watchdog === 'none'), 'a rest state is quiet'],
    [!['logged_out', 'deleted'].includes(phase) || world.creds === 'none', 'no credentials in logged_out and deleted'],
    [world.creds !== 'partial' || world.socket, 'credentials of an unfinished pairing do not outlive its socket'],
    [world.data === (phase !== 'deleted'), 'data exists exactly until deleted'],
  ];
  for (const [held, rule] of rules) if (!held) broken(rule);
}

interface Search {
  worlds: number;
  steps: number;
  violations: Set<string>;
}

const COMMANDS = ['START', 'STOP', 'RESTART', 'LOGOUT', 'DELETE'];

/** `world` after `event`, and the rules that the step breaks. `before` is what the event itself changes. */
function step(machine: Reduce, world: World, { event, before }: ReturnType<typeof possible>[number]) {
  const broken = new Set<string>();
  const [state, effects] = machine(world.state, event);
  const next: World = { ...world, ...before, state };
  for (const effect of effects) perform(next, effect, (rule) => broken.add(rule));
  check(next, (rule) => broken.add(rule));
  return { next, broken };
}

/**
 * Whether STOP in `world` ends the instance: no socket, no timer and no report of the socket opens another one. A node that loses the
 * lease of an instance stops it, so this is what keeps an instance from running on two nodes.
 */
function stopEnds(machine: Reduce, world: World): boolean {
  const seen = new Set<string>();
  const queue = [step(machine, world, { event: { type: 'STOP' }, before: {} }).next];
  for (let next = queue.pop(); next; next = queue.pop()) {
    const key = JSON.stringify(next);
    if (seen.has(key)) continue;
    seen.add(key);
    if (live.includes(next.state.phase) && next.state.phase !== 'closing') return false;
    for (const each of possible(next))
      if (!COMMANDS.includes(each.event.type)) queue.push(step(machine, next, each).next);
  }
  return true;
}

/** Walks every world that can be reached and every event possible in it. */
function search(machine: Reduce): Search {
  const violations = new Set<string>();
  const seen = new Map<string, World>();
  const edges = new Map<string, Set<string>>();
  const start: World = {
    state: { phase: 'stopped' },
    socket: false,
    retry: false,
    watchdog: 'none',
    creds: 'none',
    data: true,
  };
  const queue = [start];
  seen.set(JSON.stringify(start), start);
  let steps = 0;
  for (let world = queue.shift(); world; world = queue.shift()) {
    const from = JSON.stringify(world);
    const targets = new Set<string>();
    edges.set(from, targets);
    if (!stopEnds(machine, world)) violations.add('nothing but a command brings a stopped instance back');
    for (const each of possible(world)) {
      steps += 1;
      const { next, broken } = step(machine, world, each);
      for (const rule of broken) violations.add(rule);
      const key = JSON.stringify(next);
      targets.add(key);
      if (!seen.has(key) && seen.size < 2000) {
        seen.set(key, next);
        queue.push(next);
      }
    }
  }
  const unreached = (goal: (world: World) => boolean, among: (world: World) => boolean): World[] =>
    [...seen].filter(([key, world]) => among(world) && !reaches(key, seen, edges, goal)).map(([, world]) => world);
  if (
    unreached(
      (w) => w.state.phase === 'deleted',
      () => true,
    ).length > 0
  )
    violations.add('every world reaches deleted');
  const committed = (w: World): boolean =>
    w.state.phase === 'deleted' || (w.state.phase === 'closing' && w.state.goal === 'deleted');
  if (
    unreached(
      (w) => w.state.phase === 'open',
      (w) => !committed(w),
    ).length > 0
  ) {
    violations.add('every world not committed to deletion reaches open');
  }
  return { worlds: seen.size, steps, violations };
}

function reaches(
  from: string,
  worlds: Map<string, World>,
  edges: Map<string, Set<string>>,
  goal: (world: World) => boolean,
): boolean {
  const seen = new Set([from]);
  const queue = [from];
  for (let key = queue.pop(); key; key = queue.pop()) {
    const world = worlds.get(key);
    if (world && goal(world)) return true;
    for (const next of edges.get(key) ?? []) {
      if (!seen.has(next)) {
        seen.add(next);
        queue.push(next);
      }
    }
  }
  return false;
}

const without =
  (effect: Effect): Reduce =>
  (state, event) => {
    const [next, effects] = reduce(state, event);
    return [next, effects.filter((e) => e !== effect)];
  };
const deafTo =
  (type: LifecycleEvent['type']): Reduce =>
  (state, event) =>
    event.type === type ? [state, []] : reduce(state, event);

const mutants: [string, Reduce][] = [
  ...(
    [
      'openSocket',
      'armRetry',
      'cancelRetry',
      'armConnectWatchdog',
      'armCloseWatchdog',
      'cancelWatchdog',
      'wipeCreds',
      'deleteData',
    ] as const
  ).map((effect): [string, Reduce] => [`forgets ${effect}`, without(effect)]),
  ...(['DELETE', 'OPEN', 'CLOSED', 'CLOSE_TIMEOUT', 'CONNECT_TIMEOUT', 'RETRY_DUE'] as const).map(
    (type): [string, Reduce] => [`is deaf to ${type}`, deafTo(type)],
  ),
  [
    'opens the new socket before the old one is gone',
    (state, event) =>
      event.type === 'RESTART' && state.phase === 'open'
        ? [{ phase: 'connecting' }, ['endSocket', 'openSocket', 'armConnectWatchdog']]
        : reduce(state, event),
  ],
  [
    'wipes credentials before the socket is gone',
    (state, event) => {
      const [next, effects] = reduce(state, event);
      return [next, event.type === 'LOGOUT' && state.phase === 'open' ? ['wipeCreds', ...effects] : effects];
    },
  ],
  [
    'keeps its retry when it is stopped in backoff',
    (state, event) => (event.type === 'STOP' && state.phase === 'backoff' ? [state, []] : reduce(state, event)),
  ],
  [
    'reconnects although it was stopped while it closed',
    (state, event) => (event.type === 'STOP' && state.phase === 'closing' ? [state, []] : reduce(state, event)),
  ],
  [
    'keeps the credentials of an unfinished pairing',
    (state, event) =>
      event.type === 'CLOSED' && !event.paired ? reduce(state, { ...event, paired: true }) : reduce(state, event),
  ],
];

describe('the state machine, searched exhaustively', () => {
  it('breaks no rule in any world that can be reached', () => {
    const { worlds, steps, violations } = search(reduce);
    expect([...violations]).toEqual([]);
    expect(worlds).toBeGreaterThan(30);
    expect(steps).toBeGreaterThan(400);
  });

  it.each(mutants)('finds a violation when the machine %s', (_name, mutant) => {
    expect(search(mutant).violations.size).toBeGreaterThan(0);
  });

  it('returns the same state and no effects for an event that means nothing there', () => {
    const deleted: State = { phase: 'deleted' };
    expect(reduce(deleted, { type: 'START' })).toEqual([deleted, []]);
    const open: State = { phase: 'open' };
    expect(reduce(open, { type: 'RETRY_DUE' })[0]).toBe(open);
  });
});
