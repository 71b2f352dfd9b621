// A client with handshake and encryption only. It records every stanza unchanged, and sends the stanzas and bytes that
// a test passes to it. It sends nothing else after the handshake.
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
import { Condition } from '../src/lib/condition.ts';
import { NoiseClient } from './noise-client.ts';

// Otherwise the encoder of Baileys would find inherited names such as `constructor` in its dictionary.
Object.setPrototypeOf(TOKEN_MAP, null);

const INTRO = Buffer.from([0x57, 0x41, 6, 3]);
const CONFIG = { ...DEFAULT_CONNECTION_CONFIG, logger: pino({ level: 'silent' }) };

export class RawClient {
  readonly nodes: BinaryNode[] = [];
  /** The received WebSocket messages: length bytes and frame. */
  readonly messages: Buffer[] = [];
  /** The errors of frames that could not be read. */
  readonly failures: unknown[] = [];
  closed = false;
  readonly noise: NoiseClient;
  readonly #socket: WebSocket;
  readonly #condition = new Condition();
  readonly #ready: Promise<void>;
  #received: Promise<void> = Promise.resolve();
  #lastId = 0;

  constructor(url: string, creds: AuthenticationCreds, serverKey?: Uint8Array) {
    const payload = creds.me ? generateLoginNode(creds.me.id, CONFIG) : generateRegistrationNode(creds, CONFIG);
    this.noise = new NoiseClient(creds.noiseKey, proto.ClientPayload.encode(payload).finish(), serverKey);
    this.#socket = new WebSocket(url);
    this.#ready = this.#handshake();
    this.#socket.on('close', () => {
      this.closed = true;
      this.#condition.notify();
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
   * Calls `check` now, after every frame and when the connection is closed. Resolves with its first result that is
   * neither undefined nor false.
   */
  until<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  /** Resolves with the first stanza that has this tag and these attributes, past or future. */
  received(tag: string, attrs: BinaryNode['attrs'] = {}): Promise<BinaryNode> {
    const matches = (node: BinaryNode) =>
      node.tag === tag && Object.entries(attrs).every(([name, value]) => node.attrs[name] === value);
    return this.until(() => this.nodes.find(matches));
  }

  send(node: BinaryNode): void {
    this.sendPlain(encodeBinaryNode(node));
  }

  /** Encrypts and sends the bytes of a stanza, including the flag byte. They can be invalid. */
  sendPlain(bytes: Buffer): void {
    this.#write(this.noise.encrypt(bytes));
  }

  /** Sends several frames, each with these bytes encrypted, in one WebSocket message. */
  sendFrames(bytes: Buffer, count: number): void {
    this.#socket.send(Buffer.concat(Array.from({ length: count }, () => toFrame(this.noise.encrypt(bytes)))));
  }

  /** Stops reading from the WebSocket. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Sends bytes unchanged, without encryption and length bytes. */
  sendBytes(bytes: Buffer): void {
    this.#socket.send(bytes);
  }

  /** Asks the server to close the WebSocket. */
  hangUp(): void {
    this.#socket.close();
  }

  /** Sends an iq with a new id and resolves with the answer, which can be an error. */
  ask(attrs: BinaryNode['attrs'], content: BinaryNode[] = []): Promise<BinaryNode> {
    const id = `ask-${++this.#lastId}`;
    this.send({ tag: 'iq', attrs: { to: '@s.whatsapp.net', id, ...attrs }, content });
    return this.received('iq', { id });
  }

  /** Requests the queued stanzas and resolves when the server has sent the last of them. */
  async goLive(): Promise<void> {
    await this.ask({ xmlns: 'passive', type: 'set' }, [{ tag: 'active', attrs: {} }]);
    await this.until(() => this.nodes.find((node) => getBinaryNodeChild(node, 'offline')));
  }

  async #handshake(): Promise<void> {
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
    this.#condition.notify();
  }

  #write(data: Uint8Array): void {
    this.#socket.send(toFrame(data));
  }
}

function toFrame(data: Uint8Array): Buffer {
  const length = Buffer.alloc(3);
  length.writeUIntBE(data.length, 0, 3);
  return Buffer.concat([length, data]);
}
