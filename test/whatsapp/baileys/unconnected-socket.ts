// A Baileys socket that never connects, for tests of its members.
import makeWASocket, { DEFAULT_CONNECTION_CONFIG, initAuthCreds } from '@whiskeysockets/baileys';
import type { Socket } from '../../../src/whatsapp/baileys/types.ts';
import { silent } from '../../support/session-fakes.ts';

/** Opens a socket to a port that refuses connections, and passes it to `use`. Closes it afterwards. */
export async function withSocket(use: (socket: Socket) => void | Promise<void>): Promise<void> {
  const socket = makeWASocket({
    ...DEFAULT_CONNECTION_CONFIG,
    waWebSocketUrl: 'ws://127.0.0.1:9',
    auth: { creds: initAuthCreds(), keys: { get: () => ({}), set: () => undefined } },
    logger: silent,
  });
  socket.ws.on('error', () => undefined);
  try {
    await use(socket);
  } finally {
    await socket.end(undefined);
  }
}
