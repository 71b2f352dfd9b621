// Limits the number of open connections to MAX_CONNECTIONS. The limit is lower if the process can open too few files,
// because the gateway also needs file descriptors for other purposes. Decisions D-099 and D-153.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';
import { openFileLimit } from '../../lib/open-files.ts';

/**
 * Number of file descriptors that are reserved for sessions, webhooks, the database and media. If this is more than
 * half of the files that the process can open, half of them are reserved.
 */
const RESERVED_FILES = 1_024;
/** Minimum ms between two log lines about refused connections. */
const REPORT_INTERVAL_MS = 60_000;

/**
 * Returns the maximum number of connections; undefined for no limit. `maxConnections` is the setting, where 0 means no
 * limit. `openFiles` is the number of files that the process can open; undefined for no limit.
 */
export function connectionLimit(maxConnections: number, openFiles: number | undefined): number | undefined {
  const requested = maxConnections === 0 ? undefined : maxConnections;
  if (openFiles === undefined) return requested;
  const available = Math.max(1, openFiles - Math.min(RESERVED_FILES, Math.ceil(openFiles / 2)));
  return Math.min(requested ?? available, available);
}

/** Refuses connections above the limit. Logs a warning if the limit of open files does not allow MAX_CONNECTIONS. */
export function limitConnections(
  { server, log }: Pick<FastifyInstance, 'server' | 'log'>,
  { maxConnections }: Pick<Config, 'maxConnections'>,
  openFiles = openFileLimit(),
): void {
  const limit = connectionLimit(maxConnections, openFiles);
  if (limit === undefined) return;
  if (maxConnections > limit) {
    const hint =
      `MAX_CONNECTIONS is ${maxConnections}, but this process can open only ${openFiles} files. It accepts ${limit} ` +
      'connections and keeps the other files for instances, webhooks, the database and media. ' +
      'Raise the limit of open files (ulimit -n, LimitNOFILE), or lower MAX_CONNECTIONS.';
    log.warn({ maxConnections, openFiles, connections: limit, hint }, 'server.connections.limited');
  }
  server.maxConnections = limit;
  let refused = 0;
  let nextReport = 0;
  // Emitted for each connection that the server refuses because of `maxConnections`.
  server.on('drop', () => {
    refused += 1;
    if (performance.now() < nextReport) return;
    nextReport = performance.now() + REPORT_INTERVAL_MS;
    log.warn({ connections: limit, refused }, 'server.connections.refused');
    refused = 0;
  });
}
