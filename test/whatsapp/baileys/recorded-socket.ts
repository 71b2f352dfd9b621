// A Baileys socket that never finishes its handshake, so that its frames can be recorded in plain text.
import { once } from 'node:events';
import { createServer } from 'node:net';
import makeWASocket, {
  DEFAULT_CONNECTION_CONFIG,
  decodeBinaryNode,
  type UserFacingSocketConfig,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll } from 'vitest';
import type { Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import type { Socket } from '../../../src/whatsapp/baileys/types.ts';
import { silent } from '../../support/session-fakes.ts';

/** Accepts connections and never answers, so that the sockets neither open nor fail. */
const silentServer = createServer();

/** Starts the server of recorded sockets before the tests of a file, and stops it afterwards. */
export function useSilentServer(): void {
  beforeAll(async () => {
    silentServer.listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
  });
  afterAll(() => {
    silentServer.close();
  });
}

/** Opens a socket. `answer` returns the answer to a stanza that the socket sends, if it has one. */
export function openRecordedSocket(
  config: Pick<UserFacingSocketConfig, 'auth'> & Partial<UserFacingSocketConfig>,
  answer: (stanza: Stanza) => Stanza | undefined = () => undefined,
) {
  const address = silentServer.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const socket: Socket = makeWASocket({
    ...DEFAULT_CONNECTION_CONFIG,
    waWebSocketUrl: `ws://127.0.0.1:${port}`,
    logger: silent,
    connectTimeoutMs: 0,
    ...config,
  });
  const frames: Promise<Stanza>[] = [];
  const raw: unknown = Reflect.get(socket.ws, 'socket');
  Reflect.set(socket.ws, 'socket', {
    readyState: 1,
    send: (frame: Buffer, callback: () => void) => {
      const start = frame.subarray(0, 2).toString() === 'WA' ? 4 : 0;
      const decoded = decodeBinaryNode(frame.subarray(start + 3)) as Promise<Stanza>;
      frames.push(decoded);
      void decoded.then((stanza) => {
        const answerStanza = answer(stanza);
        if (!answerStanza) return;
        socket.ws.emit('frame', answerStanza);
        socket.ws.emit(`TAG:${stanza.attrs.id}`, answerStanza);
      });
      callback();
    },
  });
  return {
    socket,
    /** Resolves with the stanzas with this tag that the socket has sent. */
    stanzas: (tag: string) => Promise.all(frames).then((all) => all.filter((stanza) => stanza.tag === tag)),
    close() {
      Reflect.set(socket.ws, 'socket', raw);
      return socket.end(undefined);
    },
  };
}
