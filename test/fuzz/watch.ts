// Loaded into the gateway under test before it starts: writes to file descriptor 3, as lines of JSON, when its event loop was blocked, by
// what, and how much memory it uses. The first byte on file descriptor 4 starts the watch over the loop; each asks for a garbage collection
// and a report.
import { readFileSync, writeSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const REPORTS = 3;
/** No signal: the gateway ends with those that Node leaves to programs. */
const ORDERS = 4;
/** ms between looks. */
const RESOLUTION = 10;
/** A busy loop: ms of the thread's own processor time between two looks. */
const BUSY = 200;
/** A loop that waits in the kernel, for a disk or a process: ms between two looks without those in which others had the processor. */
const WAITING = 2_000;
const REPORT_EVERY = 500;
/** Whether to say what blocked the loop. Starting a profile takes half a second itself. */
const IS_PROFILING = process.env.FUZZ_PROFILE !== undefined;
/** ms after which a profile is thrown away and the next one begins. */
const PROFILE_EVERY = 30_000;
/** Microseconds between its samples. */
const SAMPLING = 5_000;
const FRAMES = 14;

const report = (fields: object): void => void writeSync(REPORTS, `${JSON.stringify(fields)}\n`);

interface Look {
  at: number;
  /** ms of processor time of the thread. */
  busy: number;
  /** ms for which the thread was ready and others had the processor. */
  waited: number;
}

function look(): Look {
  const { user, system } = process.threadCpuUsage();
  const [, waited = '0'] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return { at: performance.now(), busy: (user + system) / 1000, waited: Number(waited) / 1e6 };
}

const session = new Session();
if (IS_PROFILING) {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLING });
}

let profiledSince = 0;

function startProfile(): void {
  if (!IS_PROFILING) return;
  session.post('Profiler.start');
  profiledSince = performance.now();
}

function stopProfile(): Profiler.Profile | undefined {
  if (!IS_PROFILING) return undefined;
  let profile: Profiler.Profile | undefined;
  // Called before `post` returns: the session belongs to this thread.
  session.post('Profiler.stop', (_error, result) => {
    profile = result?.profile;
  });
  return profile;
}

/** The stack in which most of the last `ms` of the profile were spent, outermost frame last. */
function heaviest(
  { nodes, samples = [], timeDeltas = [], endTime, startTime }: Profiler.Profile,
  ms: number,
): string[] {
  const spent = new Map<number, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    if (at > endTime - (ms + 50) * 1000) spent.set(id, (spent.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const known = new Map(nodes.map((node) => [node.id, node]));
  const nameOf = (id: number) => known.get(id)?.callFrame.functionName ?? '';
  const total = [...spent].reduce((sum, [id, time]) => sum + (/^\((idle|root)\)$/.test(nameOf(id)) ? 0 : time), 0);
  const ranked = [...spent].filter(([id]) => !/^\(/.test(nameOf(id))).sort(([, a], [, b]) => b - a);
  const [leaf, most = 0] = ranked[0] ?? [];
  const collecting = [...spent].reduce((sum, [id, time]) => sum + (nameOf(id) === '(garbage collector)' ? time : 0), 0);
  const share = (time: number) => `${Math.round((time / Math.max(1, total)) * 100)} %`;
  const frames = [`${share(collecting)} garbage collector, ${share(most)}`];
  for (let id = leaf; id !== undefined && frames.length < FRAMES; id = parents.get(id)) {
    const { functionName, url, lineNumber } = known.get(id)?.callFrame ?? { functionName: '?', url: '', lineNumber: 0 };
    frames.push(
      `${functionName || '(anonymous)'} ${url.replace(/^.*\/(?=(src|node_modules)\/)/, '')}:${lineNumber + 1}`,
    );
  }
  return frames;
}

let last = look();
let reported = 0;
let isStarted = false;

function watch(): void {
  setInterval(() => {
    const now = look();
    const busy = now.busy - last.busy;
    const stood = now.at - last.at - (now.waited - last.waited);
    if (isStarted && (busy > BUSY || stood > WAITING)) {
      const profile = stopProfile();
      const by = profile ? heaviest(profile, now.at - last.at) : [];
      report({ blocked: Math.round(Math.max(busy, stood)), busy: Math.round(busy), by });
      startProfile();
    } else if (IS_PROFILING && isStarted && now.at - profiledSince > PROFILE_EVERY) {
      stopProfile();
      startProfile();
    }
    // The look itself is no part of the next one.
    last = look();
    if (now.at - reported < REPORT_EVERY) return;
    reported = now.at;
    const { rss, heapUsed, external } = process.memoryUsage();
    report({ rss, heapUsed, external, waited: Math.round(now.waited), busy: Math.round(now.busy) });
  }, RESOLUTION).unref();

  const orders = new Socket({ fd: ORDERS, readable: true, writable: false });
  orders.on('data', () => {
    if (!isStarted) startProfile();
    isStarted = true;
    global.gc?.();
    last = look();
    const { rss, heapUsed, external } = process.memoryUsage();
    report({ collected: true, rss, heapUsed, external });
  });
  // The fuzzer is gone, perhaps killed: without it nothing would end this process.
  orders.on('end', () => process.kill(process.pid, 'SIGKILL'));
  orders.unref();
}

// Node loads this file into worker threads, too: one that ends would close the descriptors, of which the process opens others under the same
// numbers.
if (isMainThread) watch();
