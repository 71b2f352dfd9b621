// Loaded into a gateway by `--import`: on SIGWINCH it appends the longest time in ms for which the event loop was blocked since the last
// signal to the file DELAY_PROBE.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.DELAY_PROBE ?? '';
const RESOLUTION = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
delays.enable();
process.on('SIGWINCH', () => {
  appendFileSync(file, `${delays.max / 1e6 - RESOLUTION}\n`);
  delays.reset();
});
