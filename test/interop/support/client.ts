// The interop client: whatsapp-interop-client, which shares no code with Baileys, with a transport and a store. It
// records all events, messages and history chunks that it receives.
import {
  createWhatsAppClient,
  decodeMessageWireBatch,
  initWasmEngine,
  type WasmWhatsAppClient,
  type WhatsAppEvent,
} from 'whatsapp-interop-client';
import { proto } from 'whatsapp-interop-client/proto-types';
import { Condition } from '../../../packages/sandbox/src/lib/condition.ts';
import { MemoryStore } from '../../support/interop-store.ts';
import { withTimeout } from '../../support/observations.ts';
import type { Platform } from './platform.ts';
import { createHttp, Transport } from './transport.ts';

/** The version that the client announces. Without it, the client looks up a version on the internet. */
const VERSION = [2, 3000, 1043857760] as const;

/** Metadata of a message, in the format of the client. */
export interface MessageMetadata {
  chat: string;
  sender: string;
  senderAlt?: string;
  recipientAlt?: string;
  isFromMe: boolean;
  isGroup: boolean;
  id: string;
  /** Epoch seconds. */
  timestamp: number;
  pushName: string;
  isViewOnce: boolean;
  isOffline: boolean;
  edit?: string;
}

export interface ReceivedMessage {
  info: MessageMetadata;
  content: proto.IMessage;
}

/** The text of a text message. */
export const textOf = ({ content }: ReceivedMessage): string | null | undefined =>
  content.conversation ?? content.extendedTextMessage?.text;

export type EventOf<T extends WhatsAppEvent['type']> = Extract<WhatsAppEvent, { type: T }>;

/** Holds references to the open clients: a client without a reference is garbage-collected and disconnects. */
const openClients = new Set<InteropClient>();

const silent = () => undefined;
const print = (level: string) => (fields: object, text?: string) => console.log(level, text ?? '', fields);
let isEngineReady = false;

/** Initializes the engine once. INTEROP_LOG=1 prints the log of the client. */
function prepareEngine(): void {
  if (isEngineReady) return;
  isEngineReady = true;
  const logAt = process.env.INTEROP_LOG ? print : () => silent;
  initWasmEngine({
    level: process.env.INTEROP_LOG ? 'debug' : 'silent',
    trace: silent,
    ...{ debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
  });
}

export class InteropClient {
  readonly events: WhatsAppEvent[] = [];
  readonly messages: ReceivedMessage[] = [];
  readonly history: { conversation: proto.IConversation; syncType: number }[] = [];
  readonly store: MemoryStore;
  readonly transport: Transport;
  readonly #condition = new Condition();
  #engine: WasmWhatsAppClient | undefined;

  private constructor(platform: Platform, store: MemoryStore) {
    this.store = store;
    this.transport = new Transport(platform.endpoint);
  }

  /** Creates a client and connects it. A new store shows a QR code; the store of an earlier client logs in. */
  static async start(platform: Platform, store = new MemoryStore()): Promise<InteropClient> {
    prepareEngine();
    const client = new InteropClient(platform, store);
    client.#engine = await createWhatsAppClient(
      client.transport.callbacks,
      createHttp(platform.endpoint),
      {
        onEvent: (event) => client.#record(event),
        onMessageBatch: (batch) => client.#recordMessages(batch),
        onHistorySyncBatch: (batch) => client.#recordHistory(batch),
      },
      store.callbacks,
      null,
      VERSION,
    );
    openClients.add(client);
    client.engine.run();
    return client;
  }

  /** The operations of the client. */
  get engine(): WasmWhatsAppClient {
    if (!this.#engine) throw new Error('the client is not started');
    return this.#engine;
  }

  /** Calls `check` now and after every report. Resolves with its first result that is neither undefined nor false. */
  until<T>(what: string, check: () => T | undefined | false): Promise<T> {
    return withTimeout(this.#condition.waitFor(check), what, () => [
      ...this.events.slice(-8),
      ...this.messages.slice(-4),
    ]);
  }

  /** Resolves with the first event of a type that matches, past or future, from index `after` of `events` on. */
  event<T extends WhatsAppEvent['type']>(
    type: T,
    matches: (data: EventOf<T>['data']) => boolean = () => true,
    after = 0,
  ): Promise<EventOf<T>> {
    const isWanted = (event: WhatsAppEvent): event is EventOf<T> => event.type === type && matches(event.data);
    return this.until<EventOf<T>>(`event ${type}`, () => this.events.slice(after).find(isWanted));
  }

  /** Waits for the message with this id. */
  message(id: string): Promise<ReceivedMessage> {
    return this.until(`message ${id}`, () => this.messages.find(({ info }) => info.id === id));
  }

  /** Sends a message and resolves with its id. */
  send(to: string, content: proto.IMessage): Promise<string> {
    return this.engine.sendMessageBytes(to, proto.Message.encode(content).finish());
  }

  /** Closes the connection; the store stays usable. */
  async stop(): Promise<void> {
    if (!openClients.delete(this)) return;
    await this.engine.disconnect();
  }

  #record(event: WhatsAppEvent): void {
    this.events.push(event);
    this.#condition.notify();
  }

  #recordMessages(batch: Uint8Array): void {
    const view: { messageData: Uint8Array; messageOffsets: Uint32Array; infos: MessageMetadata[] } =
      decodeMessageWireBatch(batch);
    view.infos.forEach((info, at) => {
      const bytes = view.messageData.slice(view.messageOffsets[at], view.messageOffsets[at + 1]);
      this.messages.push({ info: { ...info }, content: proto.Message.decode(bytes) });
    });
    this.#condition.notify();
  }

  #recordHistory(batch: { conversationData: Uint8Array; conversationOffsets: Uint32Array; syncType: number }): void {
    const { conversationData, conversationOffsets, syncType } = batch;
    for (let at = 0; at + 1 < conversationOffsets.length; at++) {
      const bytes = conversationData.slice(conversationOffsets[at], conversationOffsets[at + 1]);
      this.history.push({ conversation: proto.Conversation.decode(bytes), syncType });
    }
    this.#condition.notify();
  }
}
