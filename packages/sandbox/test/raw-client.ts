// A client without a mind of its own: handshake and cipher only, every stanza kept as it came, and any stanza or bytes
// sent as told.
import {
  type AuthenticationCreds,
  type BinaryNode,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeBinaryNode,
  generateLoginNode,
  generateRegistrationNode,
  getBinaryNodeChild,
  makeNoiseHandler,
  NOISE_WA_HEADER,
  proto,
} from '@whiskeysockets/baileys';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

const CONFIG = { ...DEFAULT_CONNECTION_CONFIG, logger: pino({ level: 'silent' }) };

export class RawClient {
  readonly nodes: BinaryNode[] = [];
  /** What came on the wire, as it was cut by the WebSocket: length bytes and frame. */
  readonly messages: Buffer[] = [];
  /** Why frames could not be read. */
  readonly failures: unknown[] = [];
  closed = false;
  readonly #socket: WebSocket;
  readonly #noise: ReturnType<typeof makeNoiseHandler>;
  readonly #ephemeral = Curve.generateKeyPair();
  readonly #watchers = new Set<() => void>();
  #ready: Promise<void>;
  #lastId = 0;

  constructor(url: string, creds: AuthenticationCreds) {
    this.#noise = makeNoiseHandler({
      keyPair: this.#ephemeral,
      NOISE_HEADER: Buffer.from(NOISE_WA_HEADER),
      logger: CONFIG.logger,
    });
    this.#socket = new WebSocket(url);
    this.#ready = this.#shake(creds);
    this.#socket.on('close', () => {
      this.closed = true;
      this.#changed();
    });
    this.#socket.on('error', () => undefined);
    onTestFinished(() => this.#socket.terminate());
  }

  /** Logs in with these credentials (or registers, without `me`) and resolves after the handshake. */
  static async connect(url: string, creds: AuthenticationCreds): Promise<RawClient> {
    const client = new RawClient(url, creds);
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
    this.sendBytes(this.#noise.encodeFrame(bytes));
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

  async #shake(creds: AuthenticationCreds): Promise<void> {
    await new Promise((resolve) => this.#socket.once('open', resolve));
    const clientHello = { ephemeral: this.#ephemeral.public };
    this.#write(proto.HandshakeMessage.encode({ clientHello }).finish());
    const hello = await new Promise<Buffer>((resolve) => {
      this.#socket.on('message', async (data: Buffer) => {
        this.messages.push(data);
        try {
          await this.#noise.decodeFrame(data, (frame) => {
            if (Buffer.isBuffer(frame) || frame instanceof Uint8Array) return resolve(Buffer.from(frame));
            this.nodes.push(frame);
            this.#changed();
          });
        } catch (error) {
          this.failures.push(error);
          this.#changed();
        }
      });
    });
    const sealed = this.#noise.processHandshake(proto.HandshakeMessage.decode(hello), creds.noiseKey);
    const payload = creds.me ? generateLoginNode(creds.me.id, CONFIG) : generateRegistrationNode(creds, CONFIG);
    const clientFinish = { static: sealed, payload: this.#noise.encrypt(proto.ClientPayload.encode(payload).finish()) };
    this.#write(proto.HandshakeMessage.encode({ clientFinish }).finish());
    await this.#noise.finishInit();
  }

  #write(data: Uint8Array): void {
    this.#socket.send(this.#noise.encodeFrame(data));
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
