// The reference of the benchmark: plain Baileys sockets in a separate process, with default options or those of
// PlainOptions.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import makeWASocket, {
  type AnyMessageContent,
  type AuthenticationCreds,
  type AuthenticationState,
  BufferJSON,
  type GroupMetadata,
  type SignalDataSet,
  type SignalDataTypeMap,
  type WASocket,
} from '@whiskeysockets/baileys';
import pino from 'pino';
import sharp from 'sharp';
import { installRootKey } from '../../src/whatsapp/baileys/patches/root-key.ts';
import { drive, type Picture, type PlainOptions, serve } from './protocol.ts';

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

const groups = new Map<string, GroupMetadata>();
let received = 0;
let onReceived = (): void => undefined;
let post: ((message: object) => Promise<void>) | undefined;

async function open(url: string, creds: AuthenticationCreds, options: PlainOptions): Promise<void> {
  const socket: WASocket = makeWASocket({
    waWebSocketUrl: url,
    auth: memoryState(creds),
    logger: pino({ level: 'silent' }),
    ...(options.isLean
      ? { emitOwnEvents: false, markOnlineOnConnect: false, syncFullHistory: false, enableRecentMessageCache: false }
      : {}),
    ...(options.areGroupsCached ? { cachedGroupMetadata: (jid: string) => metadataOf(socket, jid) } : {}),
  });
  sockets.push(socket);
  socket.ev.on('messages.upsert', ({ messages }) => {
    const incoming = messages.filter(({ key, message }) => !key.fromMe && message);
    received += incoming.length;
    onReceived();
    for (const message of incoming) void post?.(message);
  });
  await new Promise<void>((resolve, reject) => {
    socket.ev.on('connection.update', ({ connection, lastDisconnect }) => {
      if (connection === 'open') resolve();
      if (connection === 'close') reject(lastDisconnect?.error ?? new Error('closed'));
    });
  });
}

async function metadataOf(socket: WASocket, jid: string): Promise<GroupMetadata> {
  const metadata = groups.get(jid) ?? (await socket.groupMetadata(jid));
  groups.set(jid, metadata);
  return metadata;
}

/**
 * The decoded files of forms by their base64 text. As for the gateway, no text must be decoded during the measurement.
 */
const files = new Map<string, Buffer>();

function fileOf({ base64 }: Picture): Buffer {
  const file = files.get(base64) ?? Buffer.from(base64, 'base64');
  files.set(base64, file);
  return file;
}

async function fetchFile(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

async function contentOf(picture: Picture): Promise<AnyMessageContent> {
  const { as, url, base64 } = picture;
  const readers = {
    url: () => fetchFile(url),
    base64: () => Buffer.from(base64, 'base64'),
    form: () => fileOf(picture),
  };
  return toPictureContent(await readers[as]());
}

/**
 * Makes a thumbnail of 100 pixels and reads the size of the picture, as the gateway does and with the same library.
 * Baileys keeps this thumbnail. By default, it makes a thumbnail of 32 pixels, which takes slightly less work.
 */
async function toPictureContent(image: Buffer): Promise<AnyMessageContent> {
  const source = sharp(image);
  const { autoOrient: size } = await source.metadata();
  const upright = source.autoOrient().flatten({ background: '#ffffff' });
  const thumbnail = await upright.resize({ width: 100, height: 100, fit: 'inside' }).jpeg({ quality: 50 }).toBuffer();
  return { image, jpegThumbnail: thumbnail.toString('base64'), ...size };
}

/** Sends to a number or a group. */
async function send(target: string, content: AnyMessageContent): Promise<void> {
  const socket = sockets[0];
  if (!socket) throw new Error('not open');
  await socket.sendMessage(target.includes('@') ? target : `${target}@s.whatsapp.net`, content);
}

/** Returns a function for a minimal webhook: it posts a message without storing or signing it. */
async function createPost(url: string): Promise<(message: object) => Promise<void>> {
  // Loaded here, so that the other parts measure the memory of Baileys only.
  const [{ Pool }, { exchange }] = await Promise.all([import('undici'), import('../../src/egress/exchange.ts')]);
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: 16, pipelining: 1 });
  const headers = { 'content-type': 'application/json' };
  return async (message) => {
    const body = JSON.stringify(message);
    const { status } = await exchange(
      pool,
      { origin, path, method: 'POST', headers, body },
      { timeout: 60_000, maxBytes: 1_024 },
    );
    if (status !== 200) throw new Error(`the receiver answered ${status}`);
  };
}

/** Reads the text or the picture of a request: JSON with `text`, `url` or `base64`, or the bytes of a picture. */
async function readContent(request: IncomingMessage): Promise<AnyMessageContent> {
  if (request.headers['content-type'] === 'image/jpeg') return toPictureContent(await buffer(request));
  const { text, url, base64 = '' } = (await json(request)) as { text?: string; url?: string; base64?: string };
  if (text !== undefined) return { text };
  return toPictureContent(url === undefined ? Buffer.from(base64, 'base64') : await fetchFile(url));
}

/**
 * Starts a minimal gateway. It reads a request, sends its content to the number in its path, and responds. Resolves
 * with the URL.
 */
async function listen(): Promise<string> {
  const sendContent = async (request: IncomingMessage) => send(request.url?.slice(1) ?? '', await readContent(request));
  const server = createServer((request, response) => {
    sendContent(request).then(
      () => response.writeHead(201).end('{}'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

serve(async (request) => {
  if (request.do === 'open') {
    installRootKey(Buffer.from(request.rootKey, 'base64'));
    await open(request.url, JSON.parse(request.creds, BufferJSON.reviver), request.options);
    return sockets.length;
  }
  if (request.do === 'send') {
    const { picture } = request.load;
    return drive(request.load, async (target, n) =>
      send(target, picture ? await contentOf(picture) : { text: `message ${n}` }),
    );
  }
  if (request.do === 'listen') return listen();
  if (request.do === 'post') {
    post = await createPost(request.url);
    return true;
  }
  if (request.do === 'await') {
    while (received < request.count) await new Promise<void>((resolve) => (onReceived = resolve));
    return received;
  }
  if (request.do === 'rss') {
    for (let i = 0; i < 4; i++) globalThis.gc?.();
    return process.memoryUsage().rss / 2 ** 20;
  }
  throw new Error(`cannot ${request.do}`);
});
