// A plain Baileys client for tests of the simulated platform. It keeps its auth state in memory, has a silent logger,
// and offers promises in place of listeners.
import {
  type AuthenticationCreds,
  type AuthenticationState,
  type BaileysEventMap,
  type ConnectionState,
  initAuthCreds,
  makeWASocket,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  type WASocket,
} from '@whiskeysockets/baileys';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { installRootKey } from '../../src/whatsapp/baileys/patches/root-key.ts';

/** Credentials and keys of one device, which survive reconnects. */
export function createAuth(creds: AuthenticationCreds = initAuthCreds()): AuthenticationState {
  const stored = new Map<string, unknown>();
  return {
    creds,
    keys: {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const found: Record<string, SignalDataTypeMap[T]> = {};
        for (const id of ids) {
          const value = stored.get(`${type}|${id}`);
          if (value !== undefined) found[id] = value as SignalDataTypeMap[T];
        }
        return found;
      },
      set: async (data) => {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null) stored.delete(`${type}|${id}`);
            else stored.set(`${type}|${id}`, value);
          }
        }
      },
    },
  };
}

export interface Client {
  readonly socket: WASocket;
  readonly auth: AuthenticationState;
  /** Resolves with the first connection update that `matches`, including past updates. */
  update(matches: (update: Partial<ConnectionState>) => boolean): Promise<Partial<ConnectionState>>;
  /** Resolves when the connection is open. Rejects when it closes before. */
  open(): Promise<void>;
  /** Resolves with the status code of Baileys when the connection closes or has closed. */
  closed(): Promise<number | undefined>;
  /** Resolves with the first payload of a later event that `matches`. */
  event<E extends keyof BaileysEventMap>(
    name: E,
    matches?: (payload: BaileysEventMap[E]) => boolean,
  ): Promise<BaileysEventMap[E]>;
}

const codeOf = ({ lastDisconnect }: Partial<ConnectionState>): number | undefined => {
  const output: unknown = lastDisconnect?.error && Reflect.get(lastDisconnect.error, 'output');
  return typeof output === 'object' && output !== null ? Number(Reflect.get(output, 'statusCode')) : undefined;
};

/** Connects to the sandbox. The end of the test closes the socket. */
export function connect(sandbox: Sandbox, auth = createAuth(), config: Partial<UserFacingSocketConfig> = {}): Client {
  installRootKey(sandbox.rootKey);
  const socket = makeWASocket({
    auth,
    waWebSocketUrl: sandbox.platformUrl,
    logger: pino({ level: 'silent' }),
    ...config,
  });
  const updates: Partial<ConnectionState>[] = [];
  const waiters = new Set<(update: Partial<ConnectionState>) => void>();
  socket.ev.on('connection.update', (update) => {
    updates.push(update);
    for (const waiter of waiters) waiter(update);
  });
  onTestFinished(() => void socket.end(undefined));
  const update: Client['update'] = (matches) =>
    new Promise((resolve) => {
      const found = updates.find(matches);
      if (found) return resolve(found);
      const waiter = (next: Partial<ConnectionState>) => {
        if (!matches(next)) return;
        waiters.delete(waiter);
        resolve(next);
      };
      waiters.add(waiter);
    });
  return {
    socket,
    auth,
    update,
    async open() {
      const finalUpdate = await update(({ connection }) => connection === 'open' || connection === 'close');
      if (finalUpdate.connection === 'close') throw new Error(`closed with ${codeOf(finalUpdate)}`);
    },
    closed: async () => codeOf(await update(({ connection }) => connection === 'close')),
    event: (name, matches = () => true) =>
      new Promise((resolve) => {
        socket.ev.on(name, (payload) => {
          if (matches(payload)) resolve(payload);
        });
      }),
  };
}

/** Pairs a new client with the phone of `number` by QR code, and reconnects it after the status code 515. */
export async function pair(
  sandbox: Sandbox,
  number: string,
  config?: Partial<UserFacingSocketConfig>,
): Promise<Client> {
  const newClient = connect(sandbox, createAuth(), config);
  const { qr } = await newClient.update((update) => Boolean(update.qr));
  const [, code] = await Promise.all([sandbox.pairing.scanQr(number, qr ?? ''), newClient.closed()]);
  if (code !== 515) throw new Error(`expected 515 after pairing, got ${code}`);
  const client = connect(sandbox, newClient.auth, config);
  await client.open();
  return client;
}
