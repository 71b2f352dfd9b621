// Runs before each program that npm starts (`node --import`): enables the compile cache, refuses an old Node, loads .env
// and sets the size of libuv's thread pool. This file is JavaScript, because an old Node cannot run TypeScript. It loads
// .env itself, because Node's option `--env-file-if-exists` prints a message when there is no file.
import './module-loading.js';
import { existsSync, readFileSync } from 'node:fs';
import tls from 'node:tls';

const OLDEST_NODE = 24;
/** EXIT_CODES.unusable of exit-codes.ts. */
const UNUSABLE = 78;
const ENV_FILE = '.env';
/**
 * libuv resolves names in half of the threads of its pool. Names that callers choose use up to four threads at once
 * (egress/name-lookups.ts). Of ten threads, five resolve names, so one of them is always free for WhatsApp's servers.
 */
const THREAD_POOL_SIZE = 10;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `messaging-gateway: needs Node ${OLDEST_NODE} or newer and runs on ${process.versions.node}. Run npm ci with the development packages, which bring Node 26, or install a newer Node.\n`,
  );
  process.exit(UNUSABLE);
}

const extraBefore = process.env.NODE_EXTRA_CA_CERTS;
if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE);
// libuv reads this variable when the pool is first used, which is later.
process.env.UV_THREADPOOL_SIZE ??= String(THREAD_POOL_SIZE);

// Node reads this variable only at its start, before .env is loaded.
const extra = process.env.NODE_EXTRA_CA_CERTS;
if (extra && !extraBefore) {
  try {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(extra, 'utf8')]);
  } catch (error) {
    process.stderr.write(`messaging-gateway: NODE_EXTRA_CA_CERTS ${extra} cannot be used: ${error.message}\n`);
    process.exit(UNUSABLE);
  }
}
