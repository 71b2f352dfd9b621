// A real Baileys socket for tests of the sandbox. It keeps its keys in memory, records events and can wait for them.
import makeWASocket, {
  type AuthenticationCreds,
  type BaileysEventMap,
  initAuthCreds,
  type proto,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys';
import pino from 'pino';
import { installRootKey } from '../../../src/whatsapp/baileys/patches/root-key.ts';
import { Condition } from '../src/lib/condition.ts';
import type { Sandbox } from '../src/sandbox.ts';

type Update = BaileysEventMap['messages.update'][number];
type Presence = BaileysEventMap['presence.update'];
type Upsert = { message: WAMessage; type: 'append' | 'notify' };

export type Keys = Map<string, unknown>;

export interface Identity {
  creds: AuthenticationCreds;
  keys: Keys;
}

export class RealClient {
  readonly sock: WASocket;
  readonly identity: Identity;
  readonly upserts: Upsert[] = [];
  readonly updates: Update[] = [];
  readonly presences: Presence[] = [];
  connection: BaileysEventMap['connection.update'] = {};
  qr: string | undefined;
  readonly #condition = new Condition();

  constructor(
    { platformUrl, rootKey }: Pick<Sandbox, 'platformUrl' | 'rootKey'>,
    identity: Identity,
    config: Partial<UserFacingSocketConfig> = {},
  ) {
    // Another test file in the same worker may have installed the verification of signatures. With WhatsApp's root key,
    // that verification rejects the sandbox.
    installRootKey(rootKey);
    this.identity = identity;
    this.sock = makeWASocket({
      waWebSocketUrl: platformUrl,
      auth: { creds: identity.creds, keys: memoryKeys(identity.keys) },
      logger: pino({ level: process.env.BAILEYS_LOG ?? 'silent' }),
      defaultQueryTimeoutMs: 10_000,
      // Otherwise Baileys merges early statuses of a sent message into its own upsert instead of reporting them.
      emitOwnEvents: false,
      ...config,
    });
    this.sock.ev.process((events) => {
      if (events['creds.update']) Object.assign(identity.creds, events['creds.update']);
      const upsert = events['messages.upsert'];
      for (const message of upsert?.messages ?? []) this.upserts.push({ message, type: upsert?.type ?? 'notify' });
      this.updates.push(...(events['messages.update'] ?? []));
      if (events['presence.update']) this.presences.push(events['presence.update']);
      const change = events['connection.update'];
      if (change) {
        this.qr = change.qr ?? this.qr;
        this.connection = { ...this.connection, ...change };
      }
      this.#condition.notify();
    });
  }

  /** Calls `check` now and after every event. Resolves with its first result that is neither undefined nor false. */
  until<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  open(): Promise<boolean> {
    return this.until(() => this.connection.connection === 'open');
  }

  /** Waits until the connection is closed, and resolves with the code that Baileys reports. */
  closed(): Promise<number> {
    return this.until(() => {
      const { connection, lastDisconnect } = this.connection;
      const output = lastDisconnect?.error && Reflect.get(lastDisconnect.error, 'output');
      return connection === 'close' && Number(output?.statusCode);
    });
  }

  /** Waits until the chat message with this id has content, and resolves with it. */
  message(id: string): Promise<Upsert> {
    return this.until(() => this.upserts.find(({ message }) => message.key.id === id && message.message));
  }

  /** The highest status of an own message in updates and upserts. */
  status(id: string): proto.WebMessageInfo.Status {
    const updates = this.updates.filter(({ key }) => key.id === id).map(({ update }) => update.status ?? 0);
    const upserts = this.upserts
      .filter(({ message }) => message.key.id === id)
      .map(({ message }) => message.status ?? 0);
    return Math.max(0, ...updates, ...upserts);
  }
}

/** Credentials for a new link. */
export const newIdentity = (): Identity => ({ creds: initAuthCreds(), keys: new Map() });

export function memoryKeys(store: Keys) {
  return {
    async get<T extends keyof SignalDataTypeMap>(
      type: T,
      ids: string[],
    ): Promise<Record<string, SignalDataTypeMap[T]>> {
      const found: Record<string, SignalDataTypeMap[T]> = {};
      for (const id of ids) {
        const value = store.get(`${type}|${id}`);
        if (value !== undefined && value !== null) found[id] = value as SignalDataTypeMap[T];
      }
      return found;
    },
    async set(data: { [T in keyof SignalDataTypeMap]?: Record<string, SignalDataTypeMap[T] | null> }) {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values)) store.set(`${type}|${id}`, value);
      }
    },
  };
}
