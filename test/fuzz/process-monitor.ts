// Loaded into the gateway under test before its start. Writes blocks of the event loop, their cause and the memory to
// file descriptor 3 as lines of JSON. The first byte on file descriptor 4 starts the reports of blocks. Each byte
// requests a garbage collection and a report.
import { readFileSync, writeSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const REPORT_FD = 3;
/**
 * Commands use a file descriptor instead of a signal, because the signals that Node leaves to programs end the gateway.
 */
const COMMAND_FD = 4;
/** ms between two samples. */
const RESOLUTION = 10;
/** Processor time of the thread between two samples above which the event loop counts as blocked, ms. */
const MAX_CPU_TIME = 200;
/**
 * Time between two samples above which the event loop counts as blocked, ms. It contains waits in the kernel, for
 * example for a disk or a process, but no time without a processor.
 */
const MAX_ELAPSED = 2_000;
const REPORT_EVERY = 500;
/** Whether reports name the cause of a block. The start of a profile takes half a second. */
const IS_PROFILING = process.env.FUZZ_PROFILE !== undefined;
/** ms after which a profile is discarded and the next one starts. */
const PROFILE_EVERY = 30_000;
/** Microseconds between the samples of a profile. */
const SAMPLING_INTERVAL = 5_000;
const MAX_FRAMES = 14;

const report = (fields: object): void => void writeSync(REPORT_FD, `${JSON.stringify(fields)}\n`);

interface Sample {
  at: number;
  /** Processor time of the thread so far, ms. */
  cpuTime: number;
  /** Time for which the thread was ready but had no processor so far, ms. */
  waitTime: number;
}

function takeSample(): Sample {
  const { user, system } = process.threadCpuUsage();
  const [, waitTime = '0'] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return { at: performance.now(), cpuTime: (user + system) / 1000, waitTime: Number(waitTime) / 1e6 };
}

const session = new Session();
if (IS_PROFILING) {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL });
}

let profileStartedAt = 0;

function startProfile(): void {
  if (!IS_PROFILING) return;
  session.post('Profiler.start');
  profileStartedAt = performance.now();
}

function stopProfile(): Profiler.Profile | undefined {
  if (!IS_PROFILING) return undefined;
  let profile: Profiler.Profile | undefined;
  // Node calls the callback before `post` returns, because the session belongs to this thread.
  session.post('Profiler.stop', (_error, result) => {
    profile = result?.profile;
  });
  return profile;
}

/** The stack with the largest share of the last `ms` of the profile, innermost frame first. */
function heaviestStack(
  { nodes, samples = [], timeDeltas = [], endTime, startTime }: Profiler.Profile,
  ms: number,
): string[] {
  const timeByNode = new Map<number, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    if (at > endTime - (ms + 50) * 1000) timeByNode.set(id, (timeByNode.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  const nameOf = (id: number) => nodesById.get(id)?.callFrame.functionName ?? '';
  const total = [...timeByNode].reduce((sum, [id, time]) => sum + (/^\((idle|root)\)$/.test(nameOf(id)) ? 0 : time), 0);
  const ranked = [...timeByNode].filter(([id]) => !/^\(/.test(nameOf(id))).sort(([, a], [, b]) => b - a);
  const [leaf, leafTime = 0] = ranked[0] ?? [];
  const collectionTime = [...timeByNode].reduce(
    (sum, [id, time]) => sum + (nameOf(id) === '(garbage collector)' ? time : 0),
    0,
  );
  const share = (time: number) => `${Math.round((time / Math.max(1, total)) * 100)} %`;
  const frames = [`${share(collectionTime)} garbage collector, ${share(leafTime)}`];
  for (let id = leaf; id !== undefined && frames.length < MAX_FRAMES; id = parents.get(id)) {
    const { functionName, url, lineNumber } = nodesById.get(id)?.callFrame ?? {
      functionName: '?',
      url: '',
      lineNumber: 0,
    };
    frames.push(
      `${functionName || '(anonymous)'} ${url.replace(/^.*\/(?=(src|node_modules)\/)/, '')}:${lineNumber + 1}`,
    );
  }
  return frames;
}

let lastSample = takeSample();
let lastReportAt = 0;
let isWatching = false;

function watch(): void {
  setInterval(() => {
    const sample = takeSample();
    const cpuTime = sample.cpuTime - lastSample.cpuTime;
    const elapsed = sample.at - lastSample.at - (sample.waitTime - lastSample.waitTime);
    if (isWatching && (cpuTime > MAX_CPU_TIME || elapsed > MAX_ELAPSED)) {
      const profile = stopProfile();
      const stack = profile ? heaviestStack(profile, sample.at - lastSample.at) : [];
      report({ blocked: Math.round(Math.max(cpuTime, elapsed)), cpuTime: Math.round(cpuTime), stack });
      startProfile();
    } else if (IS_PROFILING && isWatching && sample.at - profileStartedAt > PROFILE_EVERY) {
      stopProfile();
      startProfile();
    }
    // The duration of this callback does not count for the next sample.
    lastSample = takeSample();
    if (sample.at - lastReportAt < REPORT_EVERY) return;
    lastReportAt = sample.at;
    const { rss, heapUsed, external } = process.memoryUsage();
    report({ rss, heapUsed, external, waitTime: Math.round(sample.waitTime), cpuTime: Math.round(sample.cpuTime) });
  }, RESOLUTION).unref();

  const commands = new Socket({ fd: COMMAND_FD, readable: true, writable: false });
  commands.on('data', () => {
    if (!isWatching) startProfile();
    isWatching = true;
    global.gc?.();
    lastSample = takeSample();
    const { rss, heapUsed, external } = process.memoryUsage();
    report({ collected: true, rss, heapUsed, external });
  });
  // The fuzzer has ended or was killed. Without this kill, the process would continue forever.
  commands.on('end', () => process.kill(process.pid, 'SIGKILL'));
  commands.unref();
}

// Node also loads this file into worker threads. A worker that ends would close the descriptors, and the process would
// then open other files under the same numbers.
if (isMainThread) watch();
