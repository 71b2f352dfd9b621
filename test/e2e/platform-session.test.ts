// Sessions as the lifecycle opens them, with real sockets against the sandbox and the real store; keys in memory where a test
// has to damage them.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DomainEvent } from '../../src/events.ts';
import { createIngest } from '../../src/instances/ingest.ts';
import { encodeCreds } from '../../src/platform/auth-codec.ts';
import { toSentMessage } from '../../src/platform/message/result.ts';
import { sendText } from '../../src/platform/message/text.ts';
import type { Session, SessionSignal } from '../../src/platform/session.ts';
import { createOpenSession } from '../../src/platform/socket.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { FakeKeys, settings, silent } from '../platform/fakes.ts';

const mine = '15550009001';
const theirs = '15550009002';
const printed: unknown[][] = [];
const consoleBefore = { info: console.info, warn: console.warn, error: console.error };

/** One socket generation and everything it said. */
class Line {
  readonly signals: SessionSignal[] = [];
  readonly events: DomainEvent[] = [];
  session!: Session;
  #watchers = new Set<() => void>();

  changed = () => {
    for (const watcher of this.#watchers) watcher();
  };

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

  signal<T extends SessionSignal['type']>(type: T): Promise<Extract<SessionSignal, { type: T }>> {
    return this.until(() =>
      this.signals.find((signal): signal is Extract<SessionSignal, { type: T }> => signal.type === type),
    );
  }

  statuses = (id: string) =>
    this.events.flatMap((event) => (event.type === 'messages.update' && event.key.id === id ? [event.status] : []));
  received = () => this.events.flatMap((event) => (event.type === 'messages.upsert' ? [event.message] : []));
}

let sandbox: Sandbox;
let storage: Storage;
let keys: FakeKeys;
let lines: Line[];
/** Makes ingest fail. */
let ingestFailure: Error | undefined;

beforeAll(async () => {
  for (const name of ['info', 'warn', 'error'] as const)
    console[name] = (...line: unknown[]) => void printed.push(line);
});
afterAll(() => {
  Object.assign(console, consoleBefore);
  expect(printed).toEqual([]);
});
beforeEach(async () => {
  sandbox = await createSandbox({ tlsPort: false });
  const opened = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  keys = new FakeKeys();
  const { dialect, instances, messages, contacts, webhooks, outbox, facts } = opened;
  storage = {
    dialect,
    instances,
    messages,
    contacts,
    webhooks,
    outbox,
    facts,
    authKeys: keys,
    ping: () => opened.ping(),
    close: () => opened.close(),
  };
  lines = [];
  ingestFailure = undefined;
});
afterEach(async () => {
  await Promise.all(lines.map(({ session }) => session?.close()));
  await storage.close();
  await sandbox.close();
  expect(sandbox.unanswered).toEqual([]);
});

async function openLine(options: { sendTimeout?: number; queryTimeout?: number } = {}): Promise<Line> {
  const line = new Line();
  lines.push(line);
  const store = createIngest({ messages: storage.messages, publish: () => [], wake: () => undefined });
  const open = createOpenSession({
    endpoint: { network: 'sandbox', url: sandbox.platformUrl, rootKey: sandbox.rootKey },
    storage,
    log: silent,
    options: {
      queryTimeout: 10_000,
      sendTimeout: 10_000,
      maxDelay: 1_000,
      browser: ['Gateway', 'Chrome', '1'],
      version: () => undefined,
      logBaileys: 'error',
      verify: 'strict',
      ...options,
    },
  });
  line.session = await open({
    instanceId: instanceId,
    instanceName: 'shop',
    settings,
    onSignal: (signal) => {
      line.signals.push(signal);
      line.changed();
    },
    ingest: async (events) => {
      if (ingestFailure) throw ingestFailure;
      await store(instanceId, events);
      line.events.push(...events);
      line.changed();
    },
  });
  return line;
}

const instanceId = randomUUID();
/** A linked session that is open. */
async function openLinked(options?: Parameters<typeof openLine>[0]): Promise<Line> {
  keys.credsRow ??= encodeCreds(sandbox.provision(mine));
  const line = await openLine(options);
  await line.signal('open');
  return line;
}
const text = (body: string, number = theirs) => ({ number, textMessage: { text: body } });
const phone = (number: string) => sandbox.handsets.phone(number);

describe('linking', () => {
  it('shows a QR, closes with 515 once the credentials are stored, and opens with them', async () => {
    const pairing = await openLine();
    const { code } = await pairing.signal('qr');
    expect(pairing.session.isPaired()).toBe(false);
    expect(pairing.session.me()).toBeUndefined();
    await sandbox.pairing.scanQr(mine, code);
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
    expect(pairing.session.isPaired()).toBe(true);
    const opened = await openLine();
    const { me } = await opened.signal('open');
    expect(me).toEqual({
      jid: `${mine}@s.whatsapp.net`,
      lid: expect.stringMatching(/^\d+@lid$/),
      name: expect.any(String),
    });
    expect(opened.signals.map(({ type }) => type)).toEqual(['open']);
  });

  it('works with a pairing code too', async () => {
    const pairing = await openLine();
    await pairing.signal('qr');
    const code = await pairing.session.requestPairingCode(mine);
    expect(pairing.session.isPaired()).toBe(false);
    await sandbox.pairing.linkWithCode(mine, code);
    expect(await pairing.signal('closed')).toMatchObject({ code: 515 });
    expect((await (await openLine()).signal('open')).me.jid).toBe(`${mine}@s.whatsapp.net`);
  });

  it('starts afresh after a pairing code that nobody typed', async () => {
    const first = await openLine();
    await first.signal('qr');
    await first.session.requestPairingCode(mine);
    await first.session.close();
    const second = await openLine();
    await sandbox.pairing.scanQr(mine, (await second.signal('qr')).code);
    expect(await second.signal('closed')).toMatchObject({ code: 515 });
  });

  it('refuses a forged account signature', async () => {
    sandbox.hostility.accountSignature = true;
    const line = await openLine();
    sandbox.pairing.scanQr(mine, (await line.signal('qr')).code).catch(() => undefined);
    expect(await line.signal('closed')).toMatchObject({ reason: 'Failed to verify account signature' });
    expect(line.session.isPaired()).toBe(false);
  });

  it('refuses a server whose certificate has a foreign root', async () => {
    sandbox.hostility.certificate = true;
    const line = await openLine();
    expect(await line.signal('closed')).toMatchObject({
      reason: expect.stringContaining('certificate signature invalid'),
    });
    expect(line.signals).toHaveLength(1);
  });
});

describe('sending', () => {
  it('reaches the phone, is stored, and is followed by ack, delivery and reading in that order', async () => {
    const line = await openLinked();
    const message = await sendText(line.session, text('hello'));
    const { id } = message.key;
    expect(toSentMessage(message)).toEqual({
      key: { remoteJid: `${theirs}@s.whatsapp.net`, fromMe: true, id },
      message: { extendedTextMessage: { text: 'hello' } },
      messageTimestamp: expect.any(String),
      status: 'PENDING',
    });
    await line.until(() => line.statuses(id).includes('DELIVERY_ACK'));
    phone(theirs).read(mine);
    await line.until(() => line.statuses(id).includes('READ'));
    expect(line.statuses(id)).toEqual(['SERVER_ACK', 'DELIVERY_ACK', 'READ']);
    expect(line.events[0]?.type).toBe('send.message');
    expect(phone(theirs).messages()).toMatchObject([{ id, text: 'hello', from: mine }]);
    expect((await storage.messages.statuses(instanceId, id)).map(({ status }) => status)).toEqual(line.statuses(id));
  });

  it('keeps the order of a burst to one chat', async () => {
    const line = await openLinked();
    const bodies = Array.from({ length: 30 }, (_, i) => `message ${i}`);
    await Promise.all(bodies.map((body) => sendText(line.session, text(body))));
    await phone(theirs).until(() => phone(theirs).received === bodies.length);
    expect(
      phone(theirs)
        .messages()
        .map((message) => message.text),
    ).toEqual(bodies);
  });

  it('ends in ERROR with the reason when the platform refuses the message', async () => {
    const line = await openLinked();
    sandbox.faults.add({ kind: 'nack', code: 479 });
    const { key } = await sendText(line.session, text('hello'));
    await line.until(() => line.statuses(key.id).length > 0);
    expect(line.events.find(({ type }) => type === 'messages.update')).toMatchObject({
      key: { id: key.id },
      status: 'ERROR',
      code: '479',
      reason: 'stanza_invalid_or_device_stale',
    });
  });

  it('says before sending that a number is not on the platform', async () => {
    const line = await openLinked();
    await expect(sendText(line.session, text('hello', '15550000000'))).rejects.toMatchObject({
      code: 'NUMBER_NOT_ON_PLATFORM',
      certain: true,
    });
  });

  it('quotes a stored message by its id', async () => {
    const line = await openLinked();
    const id = await phone(theirs).send(mine, { text: 'the question' });
    await line.until(() => line.received().length > 0);
    await sendText(line.session, { ...text('the answer'), options: { quoted: { key: { id } } } });
    await phone(theirs).until(() => phone(theirs).received > 0);
    expect(phone(theirs).messages().at(-1)).toMatchObject({ text: 'the answer', quoted: id });
  });

  it('is answered from the store when the phone cannot decrypt and asks again', async () => {
    const line = await openLinked();
    await sendText(line.session, text('one'));
    await phone(theirs).until(() => phone(theirs).received === 1);
    const before = new Map([...keys.rows].filter(([id]) => id.startsWith('session|')));
    await sendText(line.session, text('two'));
    await phone(theirs).until(() => phone(theirs).received === 2);
    // The ratchet falls back, as after a crash between send and commit: the next message repeats a key already used.
    for (const [id, row] of before) keys.rows.set(id, row);
    await sendText(line.session, text('three'));
    await phone(theirs).until(() => phone(theirs).received === 3);
    expect(
      phone(theirs)
        .messages()
        .map((message) => message.text),
    ).toEqual(['one', 'two', 'three']);
  });

  it('encrypts nothing for a contact whose signed pre-key is forged, certain that it did not', async () => {
    const line = await openLinked();
    sandbox.hostility.preKeySignature = true;
    await expect(sendText(line.session, text('secret'))).rejects.toMatchObject({ code: 'SEND_REFUSED', certain: true });
    expect(phone(theirs).messages()).toEqual([]);
    sandbox.hostility.preKeySignature = false;
    await sendText(line.session, text('for you', '15550009003'));
    await phone('15550009003').until(() => phone('15550009003').received === 1);
  });

  it('still reaches the phone of a contact when its new device has a forged pre-key', async () => {
    const first = await openLinked();
    await sendText(first.session, text('while honest'));
    await first.session.close();
    sandbox.provision(theirs);
    sandbox.hostility.preKeySignature = true;
    const line = await openLinked();
    const { key } = await sendText(line.session, text('to the phone'));
    await phone(theirs).until(() => phone(theirs).received === 2);
    await line.until(() => line.statuses(key.id).includes('DELIVERY_ACK'));
    const [device] = sandbox.world.account(theirs).companions.values();
    expect(device?.queue).toEqual([]);
  });

  it('reaches the new device of a contact when its pre-key is good', async () => {
    const first = await openLinked();
    await sendText(first.session, text('to the phone'));
    await first.session.close();
    sandbox.provision(theirs);
    const line = await openLinked();
    await sendText(line.session, text('to both'));
    await phone(theirs).until(() => phone(theirs).received === 2);
    const [device] = sandbox.world.account(theirs).companions.values();
    await vi.waitFor(() => expect(device?.queue).toHaveLength(1));
  });
});

describe('a platform that does not answer', () => {
  it('makes a send uncertain in time, and closing does not wait for it', async () => {
    const line = await openLinked({ sendTimeout: 200 });
    await sendText(line.session, text('known'));
    sandbox.faults.add({ kind: 'stall', number: mine });
    const answered = sendText(line.session, text('to somebody new', '15550009004'));
    const rejected = expect(answered).rejects.toMatchObject({ certain: true });
    await line.session.close();
    await rejected;
    expect(line.signals.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('makes a question about a number a timeout and not a "no"', async () => {
    const line = await openLinked({ queryTimeout: 150 });
    sandbox.faults.add({ kind: 'stall', number: mine });
    await expect(sendText(line.session, text('hello'))).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: true,
    });
  });

  it('is noticed at once when it refuses the connection by HTTP, and never taken for its own 401', async () => {
    for (const code of [401, 403, 502]) {
      sandbox.faults.add({ kind: 'http', code });
      const line = await openLine();
      expect(await line.signal('closed')).toEqual({
        type: 'closed',
        code: 503,
        reason: `the platform refused the connection with HTTP ${code}`,
      });
    }
  });

  it('is a plain close when nobody listens', async () => {
    const gone = await createSandbox({ tlsPort: false });
    await gone.close();
    const { sandbox: kept } = { sandbox };
    sandbox = gone;
    const line = await openLine().finally(() => {
      sandbox = kept;
    });
    expect(await line.signal('closed')).toMatchObject({
      code: 428,
      reason: expect.stringContaining('WebSocket Error'),
    });
  });
});

describe('receiving', () => {
  it('reports messages with number, LID and name', async () => {
    const line = await openLinked();
    const id = await phone(theirs).send(mine, { text: 'hi' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message).toMatchObject({
      key: { remoteJid: `${theirs}@s.whatsapp.net`, fromMe: false, id, remoteJidAlt: expect.stringMatching(/@lid$/) },
      pushName: expect.any(String),
      message: { conversation: 'hi' },
      messageType: 'conversation',
    });
    expect(await storage.messages.get(instanceId, id)).toMatchObject({ message: { conversation: 'hi' } });
  });

  it('puts the number first when the platform addresses by LID', async () => {
    const line = await openLinked();
    await phone(theirs).send(mine, { text: 'hi' }, { form: 'lid' });
    const [message] = await line.until(() => line.received().length > 0 && line.received());
    expect(message?.key).toMatchObject({
      remoteJid: `${theirs}@s.whatsapp.net`,
      remoteJidAlt: expect.stringMatching(/@lid$/),
    });
  });

  it('reports what the own phone sent, as ours, in the right chat', async () => {
    const line = await openLinked();
    for (const form of ['pn', 'lid'] as const) await phone(mine).send(theirs, { text: form }, { form });
    const messages = await line.until(() => line.received().length === 2 && line.received());
    for (const { key } of messages) expect(key).toMatchObject({ remoteJid: `${theirs}@s.whatsapp.net`, fromMe: true });
  });

  it('reports everything that arrived while it was away, in order', async () => {
    const line = await openLinked();
    await line.session.close();
    for (let i = 0; i < 20; i++) await phone(theirs).send(mine, { text: `message ${i}` });
    const back = await openLinked();
    const messages = await back.until(() => back.received().length === 20 && back.received());
    expect(messages.map(({ message }) => message.conversation)).toEqual(
      Array.from({ length: 20 }, (_, i) => `message ${i}`),
    );
  });

  it('reports typing', async () => {
    const line = await openLinked();
    phone(theirs).typing(mine, 'composing');
    const event = await line.until(() => line.events.find(({ type }) => type === 'presence.update'));
    expect(event).toMatchObject({
      id: `${theirs}@s.whatsapp.net`,
      presences: { [`${theirs}@s.whatsapp.net`]: { lastKnownPresence: 'composing' } },
    });
  });

  it('leaves edits and deletions out instead of calling them messages', async () => {
    const line = await openLinked();
    const id = await phone(theirs).send(mine, { text: 'hi' });
    await phone(theirs).send(mine, { edit: { id, text: 'hello' } });
    await phone(theirs).send(mine, { delete: { id } });
    await phone(theirs).send(mine, { text: 'last' });
    await line.until(() => line.received().some(({ message }) => message.conversation === 'last'));
    expect(line.received().map(({ message }) => message.conversation)).toEqual(['hi', 'last']);
  });
});

describe('a store that fails', () => {
  it('ends the session before a message is acknowledged, and the message comes again', async () => {
    const line = await openLinked();
    keys.broken = new Error('disk full');
    await phone(theirs).send(mine, { text: 'not lost' });
    expect(await line.signal('closed')).toMatchObject({ code: 503, reason: 'storage failed' });
    expect(line.received()).toEqual([]);
    keys.broken = undefined;
    const back = await openLinked();
    expect((await back.until(() => back.received()[0])).message).toEqual(
      expect.objectContaining({ conversation: 'not lost' }),
    );
  });

  it('ends the session when an event cannot be stored', async () => {
    const line = await openLinked();
    ingestFailure = new Error('disk full');
    await phone(theirs).send(mine, { text: 'hi' });
    expect(await line.signal('closed')).toMatchObject({ code: 503, reason: 'storage failed' });
  });
});

describe('closing', () => {
  it.each([
    401, 402, 403, 405, 411, 428, 440, 500, 503, 515,
  ])('by the platform with %i is reported once with that code', async (code) => {
    const line = await openLinked();
    sandbox.faults.add({ kind: 'close', code, number: mine });
    expect(await line.signal('closed')).toMatchObject({ code });
    await line.session.close();
    expect(line.session.ended.aborted).toBe(true);
    expect(line.signals.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('by us leaves no connection, is not a logout, and can be repeated', async () => {
    const line = await openLinked();
    await Promise.all([line.session.close(), line.session.close()]);
    expect(line.signals.at(-1)).toEqual({ type: 'closed', code: 428, reason: 'closed by the gateway' });
    expect((await openLinked()).session.me()?.jid).toBe(`${mine}@s.whatsapp.net`);
  });

  it('ends the sends under way', async () => {
    const line = await openLinked();
    const sent = sendText(line.session, { ...text('hello'), options: { delay: 1_000 } });
    const rejected = expect(sent).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
    await line.session.close();
    await rejected;
  });

  it('by the phone that unlinks it is 401', async () => {
    const line = await openLinked();
    const [companion] = sandbox.world.account(mine).companions.values();
    if (companion) sandbox.pairing.unlink(companion);
    expect(await line.signal('closed')).toMatchObject({ code: 401 });
  });

  it('by logout removes the device from the account, and nothing is written afterwards', async () => {
    const line = await openLinked();
    await line.session.logout();
    expect(sandbox.world.account(mine).companions.size).toBe(0);
    expect(await line.signal('closed')).toMatchObject({ code: 401 });
    await keys.wipe();
    await expect(line.session.socket.authState.keys.set({ 'lid-mapping': { a: 'b' } })).rejects.toThrow('sealed');
    expect(keys.rows.size).toBe(0);
  });

  it('by logout says so when the platform does not confirm', async () => {
    const line = await openLinked({ queryTimeout: 200 });
    sandbox.faults.add({ kind: 'stall', number: mine });
    await expect(line.session.logout()).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    await line.signal('closed');
  });
});
