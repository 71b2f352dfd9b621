// Asks a PostgreSQL server to cancel the statement of a connection. A closed connection does not end its statement: the
// server notices only when it sends the result. Decision D-144.
import { connect, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import type { PoolClient } from 'pg';

/** The code of a CancelRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const CANCEL_REQUEST_CODE = 80_877_102;
const CANCEL_REQUEST_BYTES = 16;

/**
 * Sends a CancelRequest for the statement that `client` runs. The server can act on the request after the statement has
 * ended, and would then cancel the next statement of the connection, so the caller must close the connection. Gives up
 * after `timeoutMs`. Failures are ignored: the caller then waits until its own timeout for the reply to the statement.
 * The request is not encrypted, as with most clients: its secret key is valid only for the connection of `client`.
 */
export function requestCancellation(client: PoolClient, timeoutMs: number): void {
  const key = backendKeyOf(client);
  if (!key) return;
  const request = Buffer.alloc(CANCEL_REQUEST_BYTES);
  const fields = [CANCEL_REQUEST_BYTES, CANCEL_REQUEST_CODE, key.processId, key.secretKey];
  for (const [index, value] of fields.entries()) request.writeInt32BE(value, index * 4);
  const socket = connect(addressOf(client), () => socket.end(request));
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.unref();
}

/** The process id and the secret key by which the server identifies a connection. The types of pg lack both. */
function backendKeyOf(client: object): { processId: number; secretKey: number } | undefined {
  if (!('processID' in client && 'secretKey' in client)) return undefined;
  const { processID: processId, secretKey } = client;
  return typeof processId === 'number' && typeof secretKey === 'number' ? { processId, secretKey } : undefined;
}

/** The address of the server. A host that is a path is the folder of a Unix socket. */
const addressOf = ({ host, port }: PoolClient): NetConnectOpts =>
  host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
