// Reports that the server refused the WebSocket upgrade, so that the session can end.
// Why: Baileys re-emits the `unexpected-response` event of ws, the WebSocket library. With a listener of that event, ws
//   does not abort the handshake, and Baileys neither reports nor closes the connection.
// Upstream: not reported; the same finding is described in rmyndharis/OpenWA pull request #1579.
// Applies to: Baileys 7.0.0-rc14, ws 8.
// Remove when: Baileys closes the socket on `unexpected-response`.
import type { EventEmitter } from 'node:events';

/** Calls `onRefused` with a reason that contains the HTTP status. `webSocket` is the WebSocket client of Baileys. */
export function patchRefusedUpgrade(webSocket: EventEmitter, onRefused: (reason: string) => void): void {
  webSocket.on('unexpected-response', (_request: unknown, { statusCode }: { statusCode?: number }) =>
    onRefused(`the platform refused the connection with HTTP ${statusCode}`),
  );
}
