// The yardstick: one plain Baileys socket in a process of its own, with its default options, or as lean as its options allow.
import makeWASocket, {
  type AuthenticationCreds,
  type AuthenticationState,
  BufferJSON,
  type SignalDataSet,
  type SignalDataTypeMap,
} from '@whiskeysockets/baileys';
import pino from 'pino';
import { installRootKey } from '../../src/whatsapp/baileys/patches/root-key.ts';
import { drive, serve } from './protocol.ts';

const sockets: ReturnType<typeof makeWASocket>[] = [];
console.info = () => undefined;

function memoryState(creds: AuthenticationCreds): AuthenticationState {
  const data = new Map<string, unknown>();
  return {
    creds,
    keys: {
      async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found: { [id: string]: SignalDataTypeMap[T] } = {};
        for (const id of ids) {
          const value = data.get(`${type}|${id}`);
          if (value !== undefined) found[id] = value as SignalDataTypeMap[T];
        }
        return found;
      },
      async set(writes: SignalDataSet) {
        for (const [type, entries] of Object.entries(writes)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null) data.delete(`${type}|${id}`);
            else data.set(`${type}|${id}`, value);
          }
        }
      },
    },
  };
}

async function open(url: string, creds: AuthenticationCreds, lean: boolean): Promise<void> {
  const socket = makeWASocket({
    waWebSocketUrl: url,
    auth: memoryState(creds),
    logger: pino({ level: 'silent' }),
    ...(lean
      ? { emitOwnEvents: false, markOnlineOnConnect: false, syncFullHistory: false, enableRecentMessageCache: false }
      : {}),
  });
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => {
    socket.ev.on('connection.update', ({ connection, lastDisconnect }) => {
      if (connection === 'open') resolve();
      if (connection === 'close') reject(lastDisconnect?.error ?? new Error('closed'));
    });
  });
}

serve(async (request) => {
  if (request.do === 'open') {
    installRootKey(Buffer.from(request.rootKey, 'base64'));
    await open(request.url, JSON.parse(request.creds, BufferJSON.reviver), request.lean);
    return sockets.length;
  }
  if (request.do === 'send') {
    const socket = sockets[0];
    if (!socket) throw new Error('not open');
    return drive(request.load, async (target, n) => {
      await socket.sendMessage(target.includes('@') ? target : `${target}@s.whatsapp.net`, { text: `message ${n}` });
    });
  }
  if (request.do === 'rss') {
    for (let i = 0; i < 4; i++) globalThis.gc?.();
    return process.memoryUsage().rss / 2 ** 20;
  }
  throw new Error(`cannot ${request.do}`);
});
