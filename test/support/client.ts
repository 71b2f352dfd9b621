// A plain Baileys client for tests of the simulated platform: memory auth state, silent logger, promises instead of listeners.
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

/** Credentials and keys as one device keeps them, across reconnects. */
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
  /** The first connection update, past or to come, that `matches`. */
  update(matches: (update: Partial<ConnectionState>) => boolean): Promise<Partial<ConnectionState>>;
  /** Resolves when the connection is open; rejects when it closes instead. */
  open(): Promise<void>;
  /** Resolves with the status code Baileys gives when the connection closes, now or earlier. */
  closed(): Promise<number | undefined>;
  /** The first payload of an event from now on that `matches`. */
  event<E extends keyof BaileysEventMap>(
    name: E,
    matches?: (payload: BaileysEventMap[E]) => boolean,
  ): Promise<BaileysEventMap[E]>;
}

const codeOf = ({ lastDisconnect }: Partial<ConnectionState>): number | undefined => {
  const output: unknown = lastDisconnect?.error && Reflect.get(lastDisconnect.error, 'output');
  return typeof output === 'object' && output !== null ? Number(Reflect.get(output, 'statusCode')) : undefined;
};

/** Connects to the sandbox; the socket ends with the test. */
export function connect(sandbox: Sandbox, auth = createAuth(), config: Partial<UserFacingSocketConfig> = {}): Client {
  installRootKey(sandbox.rootKey);
  const socket = makeWASocket({
    auth,
    waWebSocketUrl: sandbox.platformUrl,
    logger: pino({ level: 'silent' }),
    ...config,
  });
  const past: Partial<ConnectionState>[] = [];
  const waiting = new Set<(update: Partial<ConnectionState>) => void>();
  socket.ev.on('connection.update', (update) => {
    past.push(update);
    for (const waiter of waiting) waiter(update);
  });
  onTestFinished(() => void socket.end(undefined));
  const update: Client['update'] = (matches) =>
    new Promise((resolve) => {
      const found = past.find(matches);
      if (found) return resolve(found);
      const waiter = (next: Partial<ConnectionState>) => {
        if (!matches(next)) return;
        waiting.delete(waiter);
        resolve(next);
      };
      waiting.add(waiter);
    });
  return {
    socket,
    auth,
    update,
    async open() {
      const settled = await update(({ connection }) => connection === 'open' || connection === 'close');
      if (settled.connection === 'close') throw new Error(`closed with ${codeOf(settled)}`);
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

/** Pairs a new client by QR with the phone of `number`, and reconnects it after the 515. */
export async function pair(
  sandbox: Sandbox,
  number: string,
  config?: Partial<UserFacingSocketConfig>,
): Promise<Client> {
  const fresh = connect(sandbox, createAuth(), config);
  const { qr } = await fresh.update((update) => Boolean(update.qr));
  const [, code] = await Promise.all([sandbox.pairing.scanQr(number, qr ?? ''), fresh.closed()]);
  if (code !== 515) throw new Error(`expected 515 after pairing, got ${code}`);
  const client = connect(sandbox, fresh.auth, config);
  await client.open();
  return client;
}
