// Limits open connections of callers to MAX_CONNECTIONS and keeps enough file descriptors for the gateway itself.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';
import { openFileLimit } from '../../lib/open-files.ts';

/** File descriptors for sessions, webhooks, the database and media. At most half of the process limit is reserved. */
const RESERVED_FILES = 1_024;
/** ms between two log lines about refused connections. */
const REPORT_INTERVAL_MS = 60_000;

/** The connection limit for the setting (0 for none) and the limit of open files; undefined for no limit. */
export function connectionLimit(maxConnections: number, openFiles: number | undefined): number | undefined {
  const requested = maxConnections === 0 ? undefined : maxConnections;
  if (openFiles === undefined) return requested;
  const room = Math.max(1, openFiles - Math.min(RESERVED_FILES, Math.ceil(openFiles / 2)));
  return Math.min(requested ?? room, room);
}

/** Closes connections above the limit. Logs a warning at start when the limit of open files is below the setting. */
export function limitConnections(
  { server, log }: Pick<FastifyInstance, 'server' | 'log'>,
  { maxConnections }: Pick<Config, 'maxConnections'>,
  openFiles = openFileLimit(),
): void {
  const limit = connectionLimit(maxConnections, openFiles);
  if (limit === undefined) return;
  if (maxConnections > limit) {
    const hint =
      `MAX_CONNECTIONS is ${maxConnections}, and this process may have ${openFiles} files open: ${limit} connections are accepted, the rest ` +
      `is for instances, webhooks, the database and files. Raise the limit (ulimit -n, LimitNOFILE), or lower MAX_CONNECTIONS.`;
    log.warn({ maxConnections, openFiles, connections: limit, hint }, 'server.connections.limited');
  }
  server.maxConnections = limit;
  let refused = 0;
  let nextReport = 0;
  server.on('drop', () => {
    refused += 1;
    if (performance.now() < nextReport) return;
    nextReport = performance.now() + REPORT_INTERVAL_MS;
    log.warn({ connections: limit, refused }, 'server.connections.refused');
    refused = 0;
  });
}
