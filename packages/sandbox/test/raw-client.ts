// A client that handles nothing itself: handshake and encryption only. It keeps every stanza as it came, and sends any
// stanza or bytes that a test asks for.
import {
  type AuthenticationCreds,
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  decodeBinaryNode,
  encodeBinaryNode,
  generateLoginNode,
  generateRegistrationNode,
  getBinaryNodeChild,
  proto,
} from '@whiskeysockets/baileys';
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { NoiseClient } from './noise-client.ts';

// Otherwise the encoder of Baileys would find inherited names such as `constructor` in its dictionary.
Object.setPrototypeOf(TOKEN_MAP, null);

const INTRO = Buffer.from([0x57, 0x41, 6, 3]);
const CONFIG = { ...DEFAULT_CONNECTION_CONFIG, logger: pino({ level: 'silent' }) };

export class RawClient {
  readonly nodes: BinaryNode[] = [];
  /** What came on the wire, as it was cut by the WebSocket: length bytes and frame. */
  readonly messages: Buffer[] = [];
  /** Why frames could not be read. */
  readonly failures: unknown[] = [];
  closed = false;
  readonly noise: NoiseClient;
  readonly #socket: WebSocket;
  readonly #watchers = new Set<() => void>();
  readonly #ready: Promise<void>;
  #received: Promise<void> = Promise.resolve();
  #lastId = 0;

  constructor(url: string, creds: AuthenticationCreds, serverKey?: Uint8Array) {
    const payload = creds.me ? generateLoginNode(creds.me.id, CONFIG) : generateRegistrationNode(creds, CONFIG);
    this.noise = new NoiseClient(creds.noiseKey, proto.ClientPayload.encode(payload).finish(), serverKey);
    this.#socket = new WebSocket(url);
    this.#ready = this.#shake();
    this.#socket.on('close', () => {
      this.closed = true;
      this.#changed();
    });
    this.#socket.on('error', () => undefined);
    onTestFinished(() => this.#socket.terminate());
  }

  /**
   * Logs in with these credentials (or registers, without `me`) and resolves after the handshake. With `serverKey`, the
   * server's static key from an earlier handshake, the client resumes.
   */
  static async connect(url: string, creds: AuthenticationCreds, serverKey?: Uint8Array): Promise<RawClient> {
    const client = new RawClient(url, creds, serverKey);
    await client.#ready;
    return client;
  }

  /**
   * Resolves with the first answer of `check` that is neither undefined nor false, asked now and after every stanza.
   */
  until<T>(check: () => T | undefined | false): Promise<T> {
    return new Promise((resolve) => {
      const watcher = () => {
        const answer = check();
        if (answer === undefined || answer === false) return;
        this.#watchers.delete(watcher);
        resolve(answer);
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }

  /** The first stanza with this tag and these attributes, received or to come. */
  received(tag: string, attrs: BinaryNode['attrs'] = {}): Promise<BinaryNode> {
    const fits = (node: BinaryNode) =>
      node.tag === tag && Object.entries(attrs).every(([name, value]) => node.attrs[name] === value);
    return this.until(() => this.nodes.find(fits));
  }

  send(node: BinaryNode): void {
    this.sendPlain(encodeBinaryNode(node));
  }

  /** Encrypts and sends what should be a stanza: flag byte and all. */
  sendPlain(bytes: Buffer): void {
    this.#write(this.noise.encrypt(bytes));
  }

  /** Sends several frames, each with these bytes encrypted, in one WebSocket message. */
  sendFrames(bytes: Buffer, count: number): void {
    this.#socket.send(Buffer.concat(Array.from({ length: count }, () => toFrame(this.noise.encrypt(bytes)))));
  }

  /** Stops reading what the server sends. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Sends bytes of the stream as they are. */
  sendBytes(bytes: Buffer): void {
    this.#socket.send(bytes);
  }

  /** Asks the server to close the WebSocket. */
  hangUp(): void {
    this.#socket.close();
  }

  /** Asks with a fresh id and resolves with the answer, errors included. */
  ask(attrs: BinaryNode['attrs'], content: BinaryNode[] = []): Promise<BinaryNode> {
    const id = `ask-${++this.#lastId}`;
    this.send({ tag: 'iq', attrs: { to: '@s.whatsapp.net', id, ...attrs }, content });
    return this.received('iq', { id });
  }

  /** Says that it wants its messages, and resolves when the last of those that waited is there. */
  async goLive(): Promise<void> {
    await this.ask({ xmlns: 'passive', type: 'set' }, [{ tag: 'active', attrs: {} }]);
    await this.until(() => this.nodes.find((node) => getBinaryNodeChild(node, 'offline')));
  }

  async #shake(): Promise<void> {
    await new Promise((resolve) => this.#socket.once('open', resolve));
    this.#socket.send(INTRO);
    this.#write(this.noise.hello());
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('message', (hello: Buffer) => {
        this.messages.push(hello);
        try {
          const finish = this.noise.finish(hello.subarray(3));
          if (finish) this.#write(finish);
          resolve();
        } catch (error) {
          reject(error);
        }
        this.#socket.on('message', (data: Buffer) => {
          this.messages.push(data);
          this.#received = this.#received.then(() => this.#read(data));
        });
      });
    });
  }

  /** Reads one WebSocket message of the sandbox, which is one frame. */
  async #read(data: Buffer): Promise<void> {
    try {
      this.nodes.push(await decodeBinaryNode(this.noise.decrypt(data.subarray(3))));
    } catch (error) {
      this.failures.push(error);
    }
    this.#changed();
  }

  #write(data: Uint8Array): void {
    this.#socket.send(toFrame(data));
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function toFrame(data: Uint8Array): Buffer {
  const length = Buffer.alloc(3);
  length.writeUIntBE(data.length, 0, 3);
  return Buffer.concat([length, data]);
}
