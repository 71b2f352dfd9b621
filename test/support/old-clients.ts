// Linked clients as other programs run them: Baileys 6.7 or 7.0 without the patches of this project, with the state in
// a folder that Baileys writes. Tests move their sessions into the gateway and out of it.
import * as seven from '@whiskeysockets/baileys';
import * as six from 'baileys-6';
import pino from 'pino';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { installRootKey } from '../../src/whatsapp/baileys/patches/root-key.ts';
import { openSlowStart } from './slow-start.ts';

const SIX = 'baileys 6.7.21';
export type Make = typeof SIX | 'baileys 7.0.0-rc14';

/** The state of a client in the memory of its Baileys. */
export interface OldState {
  creds: unknown;
  /** By `<type>-<id>`, the name of a key in the databases of other programs. */
  keys: ReadonlyMap<string, unknown>;
}

/** The events of both versions that this file uses. */
interface Events {
  'creds.update'?: object;
  'connection.update'?: { qr?: string; connection?: string; lastDisconnect?: { error?: Error | undefined } };
  'messages.upsert'?: { messages: readonly Message[] };
  'chats.update'?: readonly Chat[];
}

interface Message {
  key: { id?: string | null };
  message?: { conversation?: string | null; extendedTextMessage?: { text?: string | null } | null } | null;
}

interface Chat {
  id?: string | null;
  muteEndTime?: unknown;
  archived?: boolean | null;
}

/** The part of a socket that both versions have. */
interface Socket {
  ev: { process(handler: (events: Events) => void): () => void; flush(): unknown; isBuffering(): boolean };
  sendMessage(jid: string, content: { text: string }): Promise<{ key: { id?: string | null } } | undefined>;
  chatModify(change: { pin: boolean }, jid: string): Promise<void>;
  end(error: undefined): void | Promise<void>;
}

/** A socket and the credentials that it changes. save() resolves when the folder has the current credentials. */
interface ClientSocket {
  socket: Socket;
  creds: unknown;
  save(): Promise<void>;
  /** Closes further resources that the socket needs. */
  close?(): void;
}

const logger = pino({ level: process.env.BAILEYS_LOG ?? 'silent' });

async function openSeven(sandbox: Sandbox, { folder, record, getMessage }: SocketOptions): Promise<ClientSocket> {
  installRootKey(sandbox.rootKey);
  const { state, saveCreds } = await seven.useMultiFileAuthState(folder);
  const { get, set } = state.keys;
  const keys = { get, set: (data: seven.SignalDataSet) => record(data, set(data)) };
  const socket = seven.makeWASocket({
    auth: { creds: state.creds, keys },
    waWebSocketUrl: sandbox.platformUrl,
    logger,
    getMessage,
  });
  return { socket, creds: state.creds, save: saveCreds };
}

async function openSix(sandbox: Sandbox, { folder, record, getMessage }: SocketOptions): Promise<ClientSocket> {
  const { state, saveCreds } = await six.useMultiFileAuthState(folder);
  const { get, set } = state.keys;
  const keys = { get, set: (data: six.SignalDataSet) => record(data, set(data)) };
  const { connect, close } = await openSlowStart(sandbox.platformUrl);
  const auth = { creds: state.creds, keys };
  const socket = connect((url) => six.makeWASocket({ auth, waWebSocketUrl: url, logger, getMessage }));
  return { socket, creds: state.creds, save: saveCreds, close };
}

interface SocketOptions {
  folder: string;
  record: Recorder;
  /** Returns a sent message for a device that could not decrypt it. */
  getMessage(key: { id?: string | null }): Promise<{ extendedTextMessage: { text: string } } | undefined>;
}

/** Interval of flushes in ms. Without them, both versions buffer some events for 30 s or until another event. */
const FLUSH_INTERVAL = 500;

/** Records the keys that Baileys stores. `written` resolves when Baileys has written them. */
type Recorder = (data: object, written: void | Promise<void>) => Promise<void>;

/** A client that links and connects. A new connection has the same number and folder. */
export class OldClient {
  readonly make: Make;
  readonly number: string;
  readonly folder: string;
  readonly #sandbox: Sandbox;
  readonly #keys = new Map<string, unknown>();
  readonly #sent = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  readonly #chats: Chat[] = [];
  readonly #condition = new Condition();
  readonly #pendingWrites = new Set<Promise<void>>();
  #current: ClientSocket | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #connection = '';
  #closeCode = 0;
  #qr: string | undefined;

  /** `folder` is empty for a client that is not linked yet. */
  constructor(sandbox: Sandbox, options: { make: Make; number: string; folder: string }) {
    this.make = options.make;
    this.number = options.number;
    this.folder = options.folder;
    this.#sandbox = sandbox;
  }

  /**
   * Links the client with the phone of its number, by QR code, and connects it. Resolves when it has the app state of
   * the phone. Rejects when that fails.
   */
  async link(): Promise<void> {
    await this.#openSocket();
    const qr = await this.#condition.waitFor(() => this.#qr);
    await this.#sandbox.pairing.scanQr(this.number, qr);
    await this.#condition.waitFor(() => this.#connection === 'close');
    if (this.#closeCode !== 515) throw new Error(`expected 515 after linking, got ${this.#closeCode}`);
    await this.connect();
    await this.#condition.waitFor(() => [...this.#keys.keys()].some((key) => key.startsWith('app-state-sync-key-')));
    // Until the first synchronization has ended, Baileys 7 drops changes of unknown chats.
    if (this.make !== SIX)
      await this.#condition.waitFor(() => Number(Reflect.get(Object(this.#current?.creds), 'accountSyncCounter')) > 0);
  }

  /** Connects with the state in the folder. Rejects when the connection closes, or when the client shows a QR code. */
  async connect(): Promise<void> {
    await this.#disconnect();
    await this.#openSocket();
    await this.#condition.waitFor(() => {
      if (this.#qr) throw new Error('the client is not linked');
      if (this.#connection === 'close') throw new Error(`closed with ${this.#closeCode}`);
      return this.#connection === 'open';
    });
  }

  /** Ends the connection. Resolves when the folder contains the whole state. */
  async stop(): Promise<void> {
    await this.#disconnect();
    while (this.#pendingWrites.size > 0) await Promise.all(this.#pendingWrites);
    await this.#current?.save();
  }

  /** The current state. Call stop() first. */
  state(): OldState {
    return { creds: this.#current?.creds, keys: this.#keys };
  }

  /** Sends a text to a number or a JID. Resolves with the id of the message. */
  async send(to: string, text: string): Promise<string> {
    const sent = await this.#requireSocket().sendMessage(jidOf(to), { text });
    const id = sent?.key.id ?? '';
    this.#sent.set(id, text);
    return id;
  }

  /** Resolves with the text of a received message, also of one that the client had to request again. */
  receivedText(id: string): Promise<string> {
    return this.#condition.waitFor(() => this.#texts.get(id));
  }

  /** The progress of the client, for the error text of a wait that fails. */
  progress(): object {
    return { connection: this.#connection, closeCode: this.#closeCode, texts: [...this.#texts.keys()] };
  }

  /** Pins a chat through a change of the app state. */
  async pin(number: string): Promise<void> {
    await this.#requireSocket().chatModify({ pin: true }, jidOf(number));
  }

  /** Resolves when the client has received an update that mutes the chat. */
  async muted(number: string): Promise<void> {
    await this.#condition.waitFor(() => this.#chats.some(({ id, muteEndTime }) => id === jidOf(number) && muteEndTime));
  }

  #requireSocket(): Socket {
    if (!this.#current) throw new Error(`the client of ${this.number} is not connected`);
    return this.#current.socket;
  }

  async #disconnect(): Promise<void> {
    clearInterval(this.#flushTimer);
    await this.#current?.socket.end(undefined);
    this.#current?.close?.();
  }

  async #openSocket(): Promise<void> {
    this.#connection = '';
    this.#qr = undefined;
    const open = this.make === SIX ? openSix : openSeven;
    const client = await open(this.#sandbox, {
      folder: this.folder,
      record: (data, written) => this.#record(data, written),
      getMessage: async ({ id }) => {
        const text = this.#sent.get(id ?? '');
        return text === undefined ? undefined : { extendedTextMessage: { text } };
      },
    });
    this.#current = client;
    this.#flushTimer = setInterval(() => {
      if (client.socket.ev.isBuffering()) client.socket.ev.flush();
    }, FLUSH_INTERVAL).unref();
    client.socket.ev.process((events) => {
      if (client !== this.#current) return;
      if (events['creds.update']) void this.#trackWrite(client.save());
      this.#chats.push(...(events['chats.update'] ?? []));
      for (const message of events['messages.upsert']?.messages ?? []) this.#recordText(message);
      const { connection, qr, lastDisconnect } = events['connection.update'] ?? {};
      this.#qr = qr ?? this.#qr;
      this.#connection = connection ?? this.#connection;
      if (connection === 'close') this.#closeCode = codeOf(lastDisconnect?.error);
      this.#condition.notify();
    });
  }

  #recordText({ key, message }: Message): void {
    const text = message?.conversation ?? message?.extendedTextMessage?.text;
    if (key.id && text) this.#texts.set(key.id, text);
  }

  #record(data: object, written: void | Promise<void>): Promise<void> {
    for (const [type, values] of Object.entries(data)) {
      for (const [id, value] of Object.entries(values ?? {})) {
        if (value === null || value === undefined) this.#keys.delete(`${type}-${id}`);
        // The map gets a copy, because Baileys changes some objects after it has stored them.
        else this.#keys.set(`${type}-${id}`, structuredClone(value));
      }
    }
    this.#condition.notify();
    return this.#trackWrite(Promise.resolve(written));
  }

  #trackWrite(written: Promise<void>): Promise<void> {
    this.#pendingWrites.add(written);
    void written.finally(() => this.#pendingWrites.delete(written));
    return written;
  }
}

const jidOf = (to: string) => (to.includes('@') ? to : `${to}@s.whatsapp.net`);

/** The status code in the error with which Baileys closed a connection. 0 for an error without one. */
function codeOf(error: Error | undefined): number {
  const output: unknown = error && Reflect.get(error, 'output');
  return typeof output === 'object' && output !== null ? Number(Reflect.get(output, 'statusCode')) : 0;
}
