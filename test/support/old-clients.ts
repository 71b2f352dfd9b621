// Linked clients as other programs run them: Baileys 6.7 or 7.0 without the patches of this project, with the state in
// the folder that Baileys itself writes. Tests move their sessions into the gateway, and out of it.
import * as seven from '@whiskeysockets/baileys';
import * as six from 'baileys-6';
import pino from 'pino';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { installRootKey } from '../../src/whatsapp/baileys/patches/root-key.ts';
import { openSlowStart } from './slow-start.ts';

const SIX = 'baileys 6.7.21';
export type Make = typeof SIX | 'baileys 7.0.0-rc14';

/** The state of a client as its Baileys has it in memory. */
export interface OldState {
  creds: unknown;
  /** By `<type>-<id>`, as programs name the keys that they keep in a database. */
  keys: ReadonlyMap<string, unknown>;
}

/** The events that both versions have, as far as they are used here. */
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

/** What both versions offer. */
interface Socket {
  ev: { process(handler: (events: Events) => void): () => void; flush(): unknown; isBuffering(): boolean };
  sendMessage(jid: string, content: { text: string }): Promise<{ key: { id?: string | null } } | undefined>;
  chatModify(change: { pin: boolean }, jid: string): Promise<void>;
  end(error: undefined): void | Promise<void>;
}

/** A socket, the credentials that it changes, and `saved`, which resolves when everything so far is in the folder. */
interface Dialled {
  socket: Socket;
  creds: unknown;
  save(): Promise<void>;
  /** Ends what is needed beside the socket. */
  close?(): void;
}

const logger = pino({ level: process.env.BAILEYS_LOG ?? 'silent' });

async function dialSeven(sandbox: Sandbox, { folder, record, getMessage }: DialOptions): Promise<Dialled> {
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

async function dialSix(sandbox: Sandbox, { folder, record, getMessage }: DialOptions): Promise<Dialled> {
  const { state, saveCreds } = await six.useMultiFileAuthState(folder);
  const { get, set } = state.keys;
  const keys = { get, set: (data: six.SignalDataSet) => record(data, set(data)) };
  const { connect, close } = await openSlowStart(sandbox.platformUrl);
  const auth = { creds: state.creds, keys };
  const socket = connect((url) => six.makeWASocket({ auth, waWebSocketUrl: url, logger, getMessage }));
  return { socket, creds: state.creds, save: saveCreds, close };
}

interface DialOptions {
  folder: string;
  record: Recorder;
  /** A message that was sent, for devices that could not decrypt it. */
  getMessage(key: { id?: string | null }): Promise<{ extendedTextMessage: { text: string } } | undefined>;
}

/** ms. Both versions keep some events for 30 s or longer, until another event comes. */
const FLUSH_INTERVAL = 500;

/** Takes the keys that Baileys stores, and the promise of having written them. */
type Recorder = (data: object, written: void | Promise<void>) => Promise<void>;

/** A linked client. Number and folder stay the same when it connects again. */
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
  readonly #writing = new Set<Promise<void>>();
  #line: Dialled | undefined;
  #flushing: NodeJS.Timeout | undefined;
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
   * Links the client with the phone of its number, by QR code, and connects it. Resolves when it has the app state of the
   * phone. Rejects when that fails.
   */
  async link(): Promise<void> {
    await this.#dial();
    const qr = await this.#condition.waitFor(() => this.#qr);
    await this.#sandbox.pairing.scanQr(this.number, qr);
    await this.#condition.waitFor(() => this.#connection === 'close');
    if (this.#closeCode !== 515) throw new Error(`expected 515 after linking, got ${this.#closeCode}`);
    await this.connect();
    await this.#condition.waitFor(() => [...this.#keys.keys()].some((key) => key.startsWith('app-state-sync-key-')));
    // Before the first synchronization has ended, Baileys 7 drops changes of chats that it does not know.
    if (this.make !== SIX)
      await this.#condition.waitFor(() => Number(Reflect.get(Object(this.#line?.creds), 'accountSyncCounter')) > 0);
  }

  /** Connects with the state in the folder. Rejects when the platform or the client closes the connection, or asks for a QR code. */
  async connect(): Promise<void> {
    await this.#hangUp();
    await this.#dial();
    await this.#condition.waitFor(() => {
      if (this.#qr) throw new Error('the client is not linked');
      if (this.#connection === 'close') throw new Error(`closed with ${this.#closeCode}`);
      return this.#connection === 'open';
    });
  }

  /** Ends the connection; resolves when the folder contains the whole state. */
  async stop(): Promise<void> {
    await this.#hangUp();
    while (this.#writing.size > 0) await Promise.all(this.#writing);
    await this.#line?.save();
  }

  /** The state as of now. Stop the client before. */
  state(): OldState {
    return { creds: this.#line?.creds, keys: this.#keys };
  }

  /** Sends a text to a number or a JID; resolves with its id. */
  async send(to: string, text: string): Promise<string> {
    const sent = await this.#open().sendMessage(jidOf(to), { text });
    const id = sent?.key.id ?? '';
    this.#sent.set(id, text);
    return id;
  }

  /** The text of a received message, past or to come, also when the client had to request it again. */
  receivedText(id: string): Promise<string> {
    return this.#condition.waitFor(() => this.#texts.get(id));
  }

  /** What the client has done so far, for the error of a wait that ends in vain. */
  progress(): object {
    return { connection: this.#connection, closeCode: this.#closeCode, texts: [...this.#texts.keys()] };
  }

  /** Pins a chat, by a change of the app state. */
  async pin(number: string): Promise<void> {
    await this.#open().chatModify({ pin: true }, jidOf(number));
  }

  /** Resolves when the client has learnt, from the app state, that the chat is muted. */
  async muted(number: string): Promise<void> {
    await this.#condition.waitFor(() => this.#chats.some(({ id, muteEndTime }) => id === jidOf(number) && muteEndTime));
  }

  #open(): Socket {
    if (!this.#line) throw new Error(`the client of ${this.number} is not connected`);
    return this.#line.socket;
  }

  async #hangUp(): Promise<void> {
    clearInterval(this.#flushing);
    await this.#line?.socket.end(undefined);
    this.#line?.close?.();
  }

  async #dial(): Promise<void> {
    this.#connection = '';
    this.#qr = undefined;
    const dial = this.make === SIX ? dialSix : dialSeven;
    const line = await dial(this.#sandbox, {
      folder: this.folder,
      record: (data, written) => this.#record(data, written),
      getMessage: async ({ id }) => {
        const text = this.#sent.get(id ?? '');
        return text === undefined ? undefined : { extendedTextMessage: { text } };
      },
    });
    this.#line = line;
    this.#flushing = setInterval(() => {
      if (line.socket.ev.isBuffering()) line.socket.ev.flush();
    }, FLUSH_INTERVAL).unref();
    line.socket.ev.process((events) => {
      if (line !== this.#line) return;
      if (events['creds.update']) void this.#writes(line.save());
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
        // As it is now: Baileys changes some objects after storing them.
        else this.#keys.set(`${type}-${id}`, structuredClone(value));
      }
    }
    this.#condition.notify();
    return this.#writes(Promise.resolve(written));
  }

  #writes(written: Promise<void>): Promise<void> {
    this.#writing.add(written);
    void written.finally(() => this.#writing.delete(written));
    return written;
  }
}

const jidOf = (to: string) => (to.includes('@') ? to : `${to}@s.whatsapp.net`);

/** The status code with which Baileys explains that a connection closed; 0 for none. */
function codeOf(error: Error | undefined): number {
  const output: unknown = error && Reflect.get(error, 'output');
  return typeof output === 'object' && output !== null ? Number(Reflect.get(output, 'statusCode')) : 0;
}
