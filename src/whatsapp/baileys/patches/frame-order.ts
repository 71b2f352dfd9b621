// Handles frames in the order of their arrival.
// Why: Baileys waits for the decompression of a frame, and meanwhile handles the next frames. A later message is then
//   processed before an earlier one, or before the message that contains the key for its decryption.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `decodeFrame` waits for the previous frames.

import { handleOneByOne } from '../../../lib/one-by-one.ts';
import type { WASocket } from '../library.ts';

/**
 * Lets each call of Baileys' listener for data of the WebSocket wait for the previous call. An error of a call is
 * passed to the caller of that call only. Throws Error when there is not exactly one listener.
 */
export function patchFrameOrder({ ws }: Pick<WASocket, 'ws'>): void {
  const [listener, ...others] = ws.listeners('message');
  if (!listener || others.length > 0) throw new Error('expected one listener for messages of the WebSocket');
  ws.removeAllListeners('message');
  ws.on(
    'message',
    handleOneByOne(async (data: Buffer) => void (await listener(data))),
  );
}
