// Recognizes the errors of Baileys: a closed connection, and a refusal by WhatsApp.

/**
 * The close code of a connection that ended without a code from WhatsApp. After this code, the instance reconnects (see
 * `transient` in instances/disconnect-causes.ts). Baileys' error for a closed connection has it as `output.statusCode`.
 */
export const CONNECTION_CLOSED = 428;

/** Returns `output.statusCode` of a Boom error (the error class of Baileys); undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('output' in error)) return undefined;
  const { output } = error;
  if (typeof output !== 'object' || output === null || !('statusCode' in output)) return undefined;
  const code = Number(output.statusCode);
  return Number.isInteger(code) && code > 0 ? code : undefined;
}

/**
 * Whether a call failed because the connection is closed. A query in flight then rejects with a number: the close code
 * of the WebSocket.
 */
export const isConnectionClosed = (error: unknown): boolean =>
  typeof error === 'number' || statusOf(error) === CONNECTION_CLOSED;

/**
 * A refusal by WhatsApp: the answer to a query contained the element `<error>` with the attributes `code` and `text`.
 */
export interface PlatformRefusal extends Error {
  /** The attribute `code`. */
  data: number;
}

/** Whether WhatsApp refused a query. The message of the error is the attribute `text`. */
export const isRefusal = (error: unknown): error is PlatformRefusal =>
  error instanceof Error && 'data' in error && typeof error.data === 'number';
