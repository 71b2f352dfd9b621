// Fills the compile cache of the container image: starts the gateway in this process with an empty data folder, stops
// it when it answers, and exits with its exit code. The whole gateway starts, because a cache without one of the files
// that a start loads is of little use (D-184).
import './app/module-loading.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const PORT = '8080';
/** Time between two requests to the gateway, ms. */
const INTERVAL_MS = 100;

const folder = mkdtempSync(join(tmpdir(), 'fill-compile-cache-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.DATA_DIR = folder;
process.env.HOST = '127.0.0.1';
process.env.PORT = PORT;
await import('./server.ts');
while (!(await fetch(`http://127.0.0.1:${PORT}/livez`).catch(() => undefined))) await setTimeout(INTERVAL_MS);
process.kill(process.pid, 'SIGTERM');
