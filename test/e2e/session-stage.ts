// Sessions for tests, opened in the same way as by the lifecycle. Each test gets a new sandbox and a new store. The
// keys of the store are in memory, so that a test can damage them. The stage also checks that no code prints to the
// console and that the sandbox could answer every stanza.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';
import { type ClientStanza, createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { DomainEvent } from '../../src/events/events.ts';
import { createEventRecorder } from '../../src/events/recorder.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { encodeCreds } from '../../src/whatsapp/baileys/auth/codec.ts';
import { createOpenSession } from '../../src/whatsapp/connection/open-session.ts';
import type { AddressForm, AddressRetryOutcome, Session, SessionSignal } from '../../src/whatsapp/session.ts';
import { FakeKeys, settings, silent } from '../support/session-fakes.ts';

export const ownNumber = '15550009001';
export const contact = '15550009002';
export const instanceId = randomUUID();
export const textBody = (body: string, number = contact) => ({ number, textMessage: { text: body } });

/** One session with the signals and events that it has emitted. */
export class SessionProbe {
  readonly signals: SessionSignal[] = [];
  readonly events: DomainEvent[] = [];
  readonly session: Session;
  readonly #condition: Condition;

  constructor(session: Session, inbound: { signals: SessionSignal[]; events: DomainEvent[]; condition: Condition }) {
    this.session = session;
    this.signals = inbound.signals;
    this.events = inbound.events;
    this.#condition = inbound.condition;
  }

  /**
   * Resolves with the first result of `check` that is neither undefined nor false. Checks now and after each signal or
   * event.
   */
  until<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  signal<T extends SessionSignal['type']>(type: T): Promise<Extract<SessionSignal, { type: T }>> {
    const isWanted = (signal: SessionSignal): signal is Extract<SessionSignal, { type: T }> => signal.type === type;
    return this.until(() => this.signals.find(isWanted));
  }

  /** Statuses reported for a message, in order. */
  statuses(id: string) {
    return this.events.flatMap((event) =>
      event.type === 'messages.update' && event.key.id === id ? [event.status] : [],
    );
  }

  received() {
    return this.events.flatMap((event) => (event.type === 'messages.upsert' ? [event.message] : []));
  }
}

/** `url` replaces the URL of the sandbox. Timeouts are in ms. */
export interface SessionProbeOptions {
  url?: string;
  sendTimeout?: number;
  queryTimeout?: number;
  passkeyLinking?: boolean;
  addressForm?: AddressForm;
}

export interface Stage {
  sandbox: Sandbox;
  /** The stanzas that clients have sent to the sandbox. */
  stanzas: ClientStanza[];
  /** Resolves with the first stanza in `stanzas` that matches, past or future. */
  stanza(matches: (stanza: ClientStanza) => boolean): Promise<ClientStanza>;
  /** The number of messages that the session has written to each form of address. */
  addressed: Record<AddressForm, number>;
  /** The outcomes of retries at the other address. */
  retries: AddressRetryOutcome[];
  storage: Storage;
  keys: FakeKeys;
  /** While this is set, every ingest fails with it. */
  ingestFailure: Error | undefined;
  open(options?: SessionProbeOptions): Promise<SessionProbe>;
  /** A session of `mine`, linked and open. */
  openLinked(options?: SessionProbeOptions): Promise<SessionProbe>;
  phone(number: string): ReturnType<Sandbox['phones']['phone']>;
}

/** Opens a store with `keys` instead of its own keys. */
async function openStore(keys: FakeKeys): Promise<Storage> {
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  return { ...storage, authKeys: keys };
}

/** Builds the stage before each test of the file and closes it afterwards. */
export function useStage(): Stage {
  const printed: unknown[][] = [];
  const originalConsole = { info: console.info, warn: console.warn, error: console.error };
  const lines: SessionProbe[] = [];
  const stage = {} as Stage; // filled before each test
  const stanzaWatchers = new Set<(stanza: ClientStanza) => void>();
  const onStanza = (stanza: ClientStanza) => {
    stage.stanzas.push(stanza);
    for (const watcher of stanzaWatchers) watcher(stanza);
  };
  stage.stanza = (matches) =>
    new Promise((resolve) => {
      const watcher = (stanza: ClientStanza) => {
        if (!matches(stanza)) return;
        stanzaWatchers.delete(watcher);
        resolve(stanza);
      };
      stanzaWatchers.add(watcher);
      stage.stanzas.forEach(watcher);
    });
  beforeAll(() => {
    for (const name of ['info', 'warn', 'error'] as const) console[name] = (...line) => void printed.push(line);
  });
  afterAll(() => {
    Object.assign(console, originalConsole);
    expect(printed).toEqual([]);
  });
  beforeEach(async () => {
    lines.length = 0;
    stage.stanzas = [];
    stage.addressed = { lid: 0, pn: 0 };
    stage.retries = [];
    stage.sandbox = await createSandbox({ tlsPort: false, onStanza });
    stage.keys = new FakeKeys();
    stage.storage = await openStore(stage.keys);
    stage.ingestFailure = undefined;
  });
  afterEach(async () => {
    await Promise.all(lines.map(({ session }) => session.close()));
    await stage.storage.close();
    await stage.sandbox.close();
    expect(stage.sandbox.unanswered).toEqual([]);
  });
  stage.phone = (number) => stage.sandbox.phones.phone(number);
  stage.open = async (options = {}) => {
    const line = await openLine(stage, options);
    lines.push(line);
    return line;
  };
  stage.openLinked = async (options) => {
    stage.keys.credsRow ??= encodeCreds(stage.sandbox.provision(ownNumber));
    const line = await stage.open(options);
    await line.signal('open');
    return line;
  };
  return stage;
}

async function openLine(stage: Stage, options: SessionProbeOptions): Promise<SessionProbe> {
  const { sandbox, storage } = stage;
  const { url = sandbox.platformUrl, ...overrides } = options;
  const inbound = { signals: [] as SessionSignal[], events: [] as DomainEvent[], condition: new Condition() };
  const recorder = createEventRecorder({
    store: storage.messages,
    publish: () => [],
    clock: systemClock,
    log: silent,
  });
  const open = createOpenSession({
    endpoint: { network: 'sandbox', url, rootKey: sandbox.rootKey, ca: sandbox.caPem },
    storage,
    preview: async () => undefined,
    clock: systemClock,
    log: silent,
    observer: {
      onSendStart: () => undefined,
      onSendEnd: () => undefined,
      onAddressed: (form) => void stage.addressed[form]++,
      onAddressRetry: (outcome) => void stage.retries.push(outcome),
    },
    tunnel: () => () => Promise.reject(new Error('no proxies here')),
    options: {
      queryTimeout: 10_000,
      sendTimeout: 10_000,
      storesMessages: true,
      storesLabels: true,
      numberLookupTtl: 7 * 86_400_000,
      maxDelay: 1_000,
      restrictionGuard: true,
      addressForm: 'lid',
      passkeyLinking: false,
      browser: ['Gateway', 'Chrome', '1'],
      version: () => undefined,
      logBaileys: 'error',
      verifyMode: 'strict',
      ...overrides,
    },
  });
  const session = await open({
    instanceId,
    instanceName: 'shop',
    settings,
    storedInboundRowIds: new Set(),
    onSignal: (signal) => {
      inbound.signals.push(signal);
      inbound.condition.notify();
    },
    ingest: async (events) => {
      if (stage.ingestFailure) throw stage.ingestFailure;
      await recorder.record(instanceId, events);
      inbound.events.push(...events);
      inbound.condition.notify();
    },
  });
  return new SessionProbe(session, inbound);
}
