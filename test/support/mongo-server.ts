// A small server of the wire protocol of MongoDB with fixed documents. It has the commands hello, find, listDatabases,
// listCollections, ping and endSessions. It replaces MongoDB in tests of the import. The import has never run against a
// real MongoDB.
import { createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import type { MongoData } from './evolution-layouts.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;

export interface MongoServer {
  /** mongodb://…, without user. */
  url: string;
  /** The names of all commands that arrived, in order. */
  commands: string[];
  close(): Promise<void>;
}

/** The document of a request, and the function that frames the reply. */
function readRequest(frame: Buffer): { command: Document; reply(document: Document): Buffer } {
  const requestId = frame.readInt32LE(4);
  const opcode = frame.readInt32LE(12);
  const frameOf = (op: number, body: Buffer): Buffer => {
    const header = Buffer.alloc(HEADER);
    header.writeInt32LE(HEADER + body.length, 0);
    header.writeInt32LE(requestId, 8);
    header.writeInt32LE(op, 12);
    return Buffer.concat([header, body]);
  };
  if (opcode === OP_QUERY) {
    // The request starts with flags, the name of the collection, and the numbers of documents to skip and to return.
    // The reply starts with flags, cursor, start and count.
    const start = frame.indexOf(0, HEADER + 4) + 1 + 8;
    const head = Buffer.alloc(20);
    head.writeInt32LE(1, 16);
    return {
      command: BSON.deserialize(frame.subarray(start)),
      reply: (document) => frameOf(OP_REPLY, Buffer.concat([head, BSON.serialize(document)])),
    };
  }
  if (opcode !== OP_MSG) throw new Error(`unexpected opcode ${opcode}`);
  // Requests and replies have flags and one section of kind 0.
  return {
    command: BSON.deserialize(frame.subarray(HEADER + 5)),
    reply: (document) => frameOf(OP_MSG, Buffer.concat([Buffer.alloc(5), BSON.serialize(document)])),
  };
}

const cursorOf = (namespace: string, documents: readonly Document[]) => ({
  cursor: { id: BSON.Long.ZERO, ns: namespace, firstBatch: documents },
  ok: 1,
});

function answer(data: MongoData, command: Document): Document {
  const [name = ''] = Object.keys(command);
  const database = data.get(String(command.$db)) ?? new Map<string, Map<string, Document>>();
  if (['hello', 'ismaster', 'isMaster'].includes(name)) {
    return {
      ...{ helloOk: true, isWritablePrimary: true, ismaster: true, maxBsonObjectSize: 16 * 2 ** 20 },
      ...{ maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000, minWireVersion: 0, maxWireVersion: 21 },
      ...{ readOnly: true, ok: 1 },
    };
  }
  if (name === 'listDatabases') return { databases: [...data.keys()].map((one) => ({ name: one })), ok: 1 };
  if (name === 'listCollections') {
    const collections = [...database.keys()].map((one) => ({ name: one, type: 'collection' }));
    return cursorOf(`${command.$db}.$cmd.listCollections`, collections);
  }
  if (name === 'find') {
    const documents = database.get(String(command.find)) ?? new Map<string, Document>();
    const { _id: id } = Object(command.filter);
    const found = [...documents.values()].filter((document) => id === undefined || document._id === id);
    return cursorOf(`${command.$db}.${command.find}`, found);
  }
  if (['endSessions', 'ping', 'killCursors'].includes(name)) return { ok: 1 };
  return { ok: 0, errmsg: `no such command: '${name}'`, code: 59, codeName: 'CommandNotFound' };
}

/** Starts a server with these documents on a free port of the loopback address. */
export async function startMongoServer(data: MongoData): Promise<MongoServer> {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      while (received.length >= HEADER && received.length >= received.readInt32LE(0)) {
        const size = received.readInt32LE(0);
        const { command, reply } = readRequest(received.subarray(0, size));
        received = received.subarray(size);
        commands.push(Object.keys(command)[0] ?? '');
        socket.write(reply(answer(data, command)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
