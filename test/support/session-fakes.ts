// Fakes for tests of src/whatsapp: a key store and a session that record calls, and a logger whose lines can be read.
import { initAuthCreds, type SignalDataTypeMap } from '@whiskeysockets/baileys';
import pino from 'pino';
import type { DomainEvent, Message, MessageKey } from '../../src/events/events.ts';
import { KeyedQueue } from '../../src/lib/keyed-queue.ts';
import type { TokenBucket } from '../../src/lib/token-bucket.ts';
import type { InstanceSettings } from '../../src/storage/instance-row.ts';
import type { AuthKeys, KeyWrite, Recipient } from '../../src/storage/storage.ts';
import { GroupCache } from '../../src/whatsapp/group/cache.ts';
import { fetchGroup } from '../../src/whatsapp/group/read.ts';
import { HistoryRequests } from '../../src/whatsapp/inbound/history-requests.ts';
import type { Account, Profile, Session, SessionSocket } from '../../src/whatsapp/session.ts';
import { createSessionState } from '../../src/whatsapp/session-state.ts';

export const settings: InstanceSettings = {
  rejectCall: false,
  msgCall: '',
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
};

/** A token bucket without a limit, for operations that look numbers up. */
export const unlimitedLookups: TokenBucket = { limit: Number.POSITIVE_INFINITY, take: () => 0 };

export const silent = pino({ level: 'silent' });

/** A logger and the lines it wrote. */
export function readableLog(level: pino.Level = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

/** Credentials of a linked account. */
export const linkedCreds = () => ({
  ...initAuthCreds(),
  me: { id: '5511900000001:4@s.whatsapp.net', lid: '111:4@lid', name: 'Shop' },
  account: { details: Buffer.from('d'), accountSignatureKey: Buffer.alloc(32) },
});

export class FakeKeys implements AuthKeys {
  readonly rows = new Map<string, Uint8Array>();
  readonly transactions: KeyWrite[][] = [];
  credsRow: Uint8Array | null = null;
  /** When set, get(), set(), creds() and setCreds() reject with it. */
  broken: Error | undefined;
  /** When set, set() and setCreds() wait for it. */
  gate: Promise<void> | undefined;

  async get(_instance: string, type: string, ids: readonly string[]) {
    if (this.broken) throw this.broken;
    const found = new Map<string, Uint8Array>();
    for (const id of ids) {
      const row = this.rows.get(`${type}|${id}`);
      if (row) found.set(id, row);
    }
    return found;
  }

  async readAll(_instance: string, type: string) {
    const rowsOfType = [...this.rows].filter(([key]) => key.startsWith(`${type}|`));
    return new Map(rowsOfType.map(([key, value]) => [key.slice(type.length + 1), value]));
  }

  async ids(instance: string, type: string) {
    return [...(await this.readAll(instance, type)).keys()];
  }

  async page(): Promise<never[]> {
    return [];
  }

  async set(_instance: string, writes: readonly KeyWrite[]) {
    await this.gate;
    if (this.broken) throw this.broken;
    this.transactions.push([...writes]);
    for (const { type, id, value } of writes) {
      if (value) this.rows.set(`${type}|${id}`, value);
      else this.rows.delete(`${type}|${id}`);
    }
  }

  async creds() {
    if (this.broken) throw this.broken;
    return this.credsRow;
  }

  async setCreds(_instance: string, value: Uint8Array) {
    await this.gate;
    if (this.broken) throw this.broken;
    this.credsRow = value;
  }

  async wipe() {
    this.rows.clear();
    this.credsRow = null;
  }
}

export const me: Account = { jid: '5511900000001@s.whatsapp.net', lid: '111@lid', name: 'Shop' };

export interface FakeSession extends Session {
  /** Calls of the socket, in order: name and arguments. */
  readonly calls: [name: string, ...args: unknown[]][];
  readonly ingested: DomainEvent[];
  readonly saved: Map<string, Recipient>;
  readonly stored: Map<string, Message>;
  readonly acks: string[];
  readonly profiles: Profile[];
  /** Ends the session. `cause` becomes the abort reason of `ended`. */
  end(cause?: unknown): void;
}

/**
 * Creates a session whose socket records calls. `socket` replaces members of the socket. A number is registered on
 * WhatsApp unless it ends in 0000. Without `socket.query`, each group has the members 1@lid and 2@lid.
 */
export function fakeSession(socket: Partial<SessionSocket> = {}, parts: Partial<Session> = {}): FakeSession {
  const calls: FakeSession['calls'] = [];
  const ingested: DomainEvent[] = [];
  const saved = new Map<string, Recipient>();
  const stored = new Map<string, Message>();
  const acks: string[] = [];
  const profiles: Profile[] = [];
  const ended = new AbortController();
  const lidPairs: Record<string, string> = {};
  const fake: Partial<SessionSocket> = {
    async relayMessage(jid, content, options) {
      calls.push(['relayMessage', jid, content, options.messageId]);
      return options.messageId ?? '';
    },
    async onWhatsApp(...numbers) {
      calls.push(['onWhatsApp', ...numbers]);
      return numbers
        .filter((number) => !number.endsWith('0000'))
        .map((number) => ({ jid: `${number}@s.whatsapp.net`, exists: true }));
    },
    async presenceSubscribe(jid) {
      calls.push(['presenceSubscribe', jid]);
    },
    async sendPresenceUpdate(type, jid) {
      calls.push(['sendPresenceUpdate', type, jid]);
    },
    ...socket,
  };
  const keys = {
    async get<T extends keyof SignalDataTypeMap>(_type: T, ids: string[]) {
      return Object.fromEntries(ids.filter((id) => id in lidPairs).map((id) => [id, lidPairs[id]])) as Record<
        string,
        SignalDataTypeMap[T]
      >;
    },
  };
  const session: Session = {
    instanceId: 'one',
    // Operations can use only the members of the socket that are faked above. All others are undefined.
    socket: { ...fake, authState: { keys } } as unknown as SessionSocket,
    storage: {
      messages: {
        get: async (_instance: string, id: string) => stored.get(id) ?? null,
        setFileLocation: async () => undefined,
        statuses: async () => [],
        originsByMessageId: async () => new Map(),
        record: async () => ({ queued: new Map(), events: [] }),
        find: async () => [],
        count: async () => 0,
        findStatuses: async () => [],
        findPending: async () => [],
        prune: async () => 0,
        pruneStatuses: async () => 0,
      },
      chats: {
        list: async () => [],
        countUnread: async () => 0,
        listNewest: async () => null,
        firstMessageAt: async () => null,
        disappearingTimer: async () => 0,
        findArchived: async () => new Map(),
      },
      contacts: {
        find: async () => [],
        findStoredLids: async (_instance: string, lids: readonly string[]) => [...lids],
        recipient: async (_instance: string, candidate: string) => saved.get(candidate) ?? null,
        saveRecipient: async (_instance: string, candidate: string, recipient: Recipient) =>
          void saved.set(candidate, recipient),
      },
    },
    state: createSessionState(),
    ingest: async (events: readonly DomainEvent[]) => void ingested.push(...events),
    waitForEvents: async () => undefined,
    log: silent,
    fetchPreview: async () => undefined,
    groups: new GroupCache({
      fetch: async (id) =>
        socket.query
          ? fetchGroup(session, id)
          : { id, owner: undefined, subject: 'G', participants: [{ id: '1@lid' }, { id: '2@lid' }] },
      isMe: (jid) => jid === me.jid || jid === me.lid,
      log: silent,
    }),
    devices: {
      queryNumber: async (spellings) => {
        const answers = await session.socket.onWhatsApp(...spellings);
        if (!answers) throw Object.assign(new Error('the platform did not answer'), { data: 408 });
        return answers;
      },
      isPrefetched: () => true,
      prefetch: async () => undefined,
      copy: async () => undefined,
    },
    addresses: {
      find: async (chat) => ({ chat, jid: chat, attributes: {}, ...(chat.endsWith('@g.us') ? {} : { form: 'pn' }) }),
      findOther: async () => undefined,
      setForm: () => undefined,
    },
    ended: ended.signal,
    expectAck: ({ id }: MessageKey) => void acks.push(id),
    restrictions: { refresh: async () => undefined, newChatRestriction: () => undefined, current: () => undefined },
    firstContacts: { hasSalt: false, tokenFor: () => undefined },
    historyRequests: new HistoryRequests(),
    pendingMessages: { nextStatus: async () => undefined },
    passkey: Object.create(null),
    sendQueue: new KeyedQueue(),
    sendTimeout: 5_000,
    maxDelay: 60_000,
    numberLookupTtl: 7 * 24 * 3_600_000,
    me: () => me,
    reportProfile: (profile: Profile) => void profiles.push(profile),
    isPaired: () => true,
    requestPairingCode: async () => 'CODE1234',
    logout: async () => undefined,
    close: async () => undefined,
    ...parts,
  };
  return { ...session, calls, ingested, saved, stored, acks, profiles, end: (cause) => ended.abort(cause) };
}
