// How many connections of callers are open at one time: MAX_CONNECTIONS, and never so many that nothing is left for the gateway's own work.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';
import { openFileLimit } from '../../lib/open-files.ts';

/** Files and connections of the gateway itself: sessions, webhooks, the database, files on their way. Half of a small limit. */
const RESERVED = 1_024;
/** ms between two log lines about refused connections. */
const REPORT_INTERVAL = 60_000;

/** The most connections for the setting (0: any number) and the limit of open files; undefined: any number. */
export function connectionLimit(maxConnections: number, openFiles: number | undefined): number | undefined {
  const wanted = maxConnections === 0 ? undefined : maxConnections;
  if (openFiles === undefined) return wanted;
  const room = Math.max(1, openFiles - Math.min(RESERVED, Math.ceil(openFiles / 2)));
  return Math.min(wanted ?? room, room);
}

/** Closes further connections as they come. Warns at once when the limit of open files allows fewer than the setting. */
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
    nextReport = performance.now() + REPORT_INTERVAL;
    log.warn({ connections: limit, refused }, 'server.connections.refused');
    refused = 0;
  });
}
