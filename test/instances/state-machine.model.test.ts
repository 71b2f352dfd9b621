import { describe, expect, it } from 'vitest';
import type { DisconnectCause } from '../../src/instances/disconnect-causes.ts';
import {
  type Effect,
  type LifecycleEvent,
  type Reduce,
  reduce,
  type State,
} from '../../src/instances/state-machine.ts';

/** The state of the machine, and the state of everything that its effects change. */
interface World {
  state: State;
  socket: boolean;
  retry: boolean;
  watchdog: 'none' | 'connect' | 'close';
  /** `partial`: an unfinished pairing has written the credentials. */
  creds: 'none' | 'partial' | 'linked';
  data: boolean;
}

const CLOSE_CAUSES: DisconnectCause[] = [
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

/**
 * The events that can occur in `world`. `before` is the change of the world that the event itself makes, before the
 * machine processes the event.
 */
function possibleEvents(world: World): { event: LifecycleEvent; before: Partial<World> }[] {
  const paired = world.creds === 'linked';
  const list: { event: LifecycleEvent; before: Partial<World> }[] = [];
  const addEvent = (event: LifecycleEvent, before: Partial<World> = {}): number => list.push({ event, before });
  for (const type of ['START', 'STOP', 'RESTART', 'LOGOUT', 'DELETE'] as const) addEvent({ type });
  if (world.socket) {
    if (!paired) addEvent({ type: 'QR' }, { creds: 'partial' });
    if (!paired) addEvent({ type: 'QR_LIMIT' });
    addEvent({ type: 'OPEN' }, { creds: 'linked' });
    for (const cause of CLOSE_CAUSES) addEvent({ type: 'CLOSED', cause, paired, code: 0 }, { socket: false });
    // The phone accepts. The credentials are linked before the connection closes with 515.
    addEvent(
      { type: 'CLOSED', cause: 'restart_required', paired: true, code: 515 },
      { socket: false, creds: 'linked' },
    );
    // The credentials cannot be read. The socket did not connect, so it wrote no credentials.
    if (world.creds !== 'partial')
      addEvent({ type: 'CLOSED', cause: 'unreadable', paired: true, code: 0 }, { socket: false });
  }
  if (world.retry) addEvent({ type: 'RETRY_DUE' }, { retry: false });
  if (world.watchdog === 'connect') addEvent({ type: 'CONNECT_TIMEOUT' }, { watchdog: 'none' });
  // After this timeout the socket counts as closed, and its later events are ignored.
  if (world.watchdog === 'close') addEvent({ type: 'CLOSE_TIMEOUT', paired }, { watchdog: 'none', socket: false });
  return list;
}

const LIVE_PHASES = ['connecting', 'pairing', 'open', 'closing'];
const REST_PHASES = ['stopped', 'logged_out', 'blocked', 'deleted'];

function performEffect(world: World, effect: Effect, reportViolation: (rule: string) => void): void {
  const assertRule = (isFulfilled: boolean, rule: string): void => {
    if (!isFulfilled) reportViolation(rule);
  };
  switch (effect) {
    case 'openSocket':
      assertRule(!world.socket, 'never two sockets');
      assertRule(world.data, 'no socket of a deleted instance');
      world.socket = true;
      return;
    case 'endSocket':
    case 'sendLogout':
      assertRule(world.socket, `${effect} needs a socket`);
      return;
    case 'armRetry':
      assertRule(!world.retry, 'no double arm of the retry timer');
      world.retry = true;
      return;
    case 'cancelRetry':
      assertRule(world.retry, 'no cancel of nothing (retry timer)');
      world.retry = false;
      return;
    case 'armConnectWatchdog':
    case 'armCloseWatchdog':
      assertRule(world.watchdog === 'none', 'no double arm of the watchdog');
      world.watchdog = effect === 'armConnectWatchdog' ? 'connect' : 'close';
      return;
    case 'cancelWatchdog':
      assertRule(world.watchdog !== 'none', 'no cancel of nothing (watchdog)');
      world.watchdog = 'none';
      return;
    case 'wipeCreds':
      assertRule(!world.socket, 'credentials are never wiped under a live socket');
      world.creds = 'none';
      return;
    case 'deleteData':
      assertRule(!world.socket, 'data is never deleted under a live socket');
      assertRule(world.data, 'data is deleted once');
      world.data = false;
      world.creds = 'none';
      return;
    case 'emit':
      return;
  }
}

/** Rules that hold in every world between two steps. */
function checkRules(world: World, reportViolation: (rule: string) => void): void {
  const { phase } = world.state;
  const rules: [boolean, string][] = [
    [world.socket === LIVE_PHASES.includes(phase), 'a socket is alive exactly in the four live states'],
    [world.retry === (phase === 'backoff'), 'the retry timer runs exactly in backoff'],
    [(world.watchdog === 'close') === (phase === 'closing'), 'the close watchdog runs exactly in closing'],
    [(world.watchdog === 'connect') === (phase === 'connecting'), 'the connect watchdog runs exactly in connecting'],
    [
      !REST_PHASES.includes(phase) || (!world.socket && !world.retry && world.watchdog === 'none'),
      'a rest state is quiet',
    ],
    [!['logged_out', 'deleted'].includes(phase) || world.creds === 'none', 'no credentials in logged_out and deleted'],
    [world.creds !== 'partial' || world.socket, 'credentials of an unfinished pairing do not outlive its socket'],
    [world.data === (phase !== 'deleted'), 'data exists exactly until deleted'],
  ];
  for (const [isFulfilled, rule] of rules) if (!isFulfilled) reportViolation(rule);
}

interface Search {
  worlds: number;
  steps: number;
  violations: Set<string>;
}

const COMMANDS = ['START', 'STOP', 'RESTART', 'LOGOUT', 'DELETE'];

/** Returns `world` after `event`, and the rules that the step breaks. */
function step(machine: Reduce, world: World, { event, before }: ReturnType<typeof possibleEvents>[number]) {
  const brokenRules = new Set<string>();
  const [state, effects] = machine(world.state, event);
  const next: World = { ...world, ...before, state };
  for (const effect of effects) performEffect(next, effect, (rule) => brokenRules.add(rule));
  checkRules(next, (rule) => brokenRules.add(rule));
  return { next, brokenRules };
}

/**
 * Whether the instance stays stopped after STOP in `world`: no timer and no event of a socket opens another socket. A
 * node that loses the lease of an instance stops the instance, so the instance must not start again on this node.
 */
function isStopFinal(machine: Reduce, world: World): boolean {
  const seen = new Set<string>();
  const queue = [step(machine, world, { event: { type: 'STOP' }, before: {} }).next];
  for (let next = queue.pop(); next; next = queue.pop()) {
    const key = JSON.stringify(next);
    if (seen.has(key)) continue;
    seen.add(key);
    if (LIVE_PHASES.includes(next.state.phase) && next.state.phase !== 'closing') return false;
    for (const possibleEvent of possibleEvents(next))
      if (!COMMANDS.includes(possibleEvent.event.type)) queue.push(step(machine, next, possibleEvent).next);
  }
  return true;
}

/** Visits every reachable world, and performs every event that can occur in it. */
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
    if (!isStopFinal(machine, world)) violations.add('nothing but a command brings a stopped instance back');
    for (const possibleEvent of possibleEvents(world)) {
      steps += 1;
      const { next, brokenRules } = step(machine, world, possibleEvent);
      for (const rule of brokenRules) violations.add(rule);
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
  const isCommittedToDeletion = (w: World): boolean =>
    w.state.phase === 'deleted' || (w.state.phase === 'closing' && w.state.goal === 'deleted');
  if (
    unreached(
      (w) => w.state.phase === 'open',
      (w) => !isCommittedToDeletion(w),
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

const withoutEffect =
  (effect: Effect): Reduce =>
  (state, event) => {
    const [next, effects] = reduce(state, event);
    return [next, effects.filter((e) => e !== effect)];
  };
const ignoring =
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
  ).map((effect): [string, Reduce] => [`omits the effect ${effect}`, withoutEffect(effect)]),
  ...(['DELETE', 'OPEN', 'CLOSED', 'CLOSE_TIMEOUT', 'CONNECT_TIMEOUT', 'RETRY_DUE'] as const).map(
    (type): [string, Reduce] => [`ignores ${type}`, ignoring(type)],
  ),
  [
    'opens the new socket before the old socket is closed',
    (state, event) =>
      event.type === 'RESTART' && state.phase === 'open'
        ? [{ phase: 'connecting' }, ['endSocket', 'openSocket', 'armConnectWatchdog']]
        : reduce(state, event),
  ],
  [
    'wipes credentials before the socket is closed',
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

describe('exhaustive search of the state machine', () => {
  it('reduce() breaks no rule in any reachable state', () => {
    const { worlds, steps, violations } = search(reduce);
    expect([...violations]).toEqual([]);
    expect(worlds).toBeGreaterThan(30);
    expect(steps).toBeGreaterThan(400);
  });

  it.each(mutants)('the search finds a violation when the state machine %s', (_name, mutant) => {
    expect(search(mutant).violations.size).toBeGreaterThan(0);
  });

  it('reduce() returns the same state and no effects for an event without meaning in the state', () => {
    const deleted: State = { phase: 'deleted' };
    expect(reduce(deleted, { type: 'START' })).toEqual([deleted, []]);
    const open: State = { phase: 'open' };
    expect(reduce(open, { type: 'RETRY_DUE' })[0]).toBe(open);
  });
});
