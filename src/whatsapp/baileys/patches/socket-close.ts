// Limits the time that closing the WebSocket takes, and rejects the queries of a closed Baileys socket.
// Why: `ws.close()` waits up to 30 s for the closing handshake when the server no longer responds. After `end()` of the
//   socket, the queries in flight stay pending until their timeout and keep the whole socket in memory.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, ws 8.
// Remove when: `end()` terminates the WebSocket after a timeout and rejects the queries in flight.
import type { EventEmitter } from 'node:events';
import { CONNECTION_CLOSED } from '../errors.ts';
import type { WASocket } from '../library.ts';

/** Makes `ws.close()` terminate the connection when the closing handshake takes longer than `timeout` ms. */
export function patchCloseTimeout(ws: WASocket['ws'], timeout: number): void {
  const close = ws.close.bind(ws);
  ws.close = () => {
    // `ws` is Baileys' wrapper. Its field `socket` is the WebSocket of the library ws.
    const webSocket: unknown = Reflect.get(ws, 'socket');
    const timer = setTimeout(() => {
      const terminate: unknown = Reflect.get(Object(webSocket), 'terminate');
      if (typeof terminate === 'function') terminate.call(webSocket);
    }, timeout);
    return close().finally(() => clearTimeout(timer));
  };
}

/** Rejects all queries in flight: Baileys rejects them when `ws` emits `error`. Call it after the socket is closed. */
export function endQueries(ws: EventEmitter): void {
  ws.emit('error', Object.assign(new Error('Connection Closed'), { output: { statusCode: CONNECTION_CLOSED } }));
}
