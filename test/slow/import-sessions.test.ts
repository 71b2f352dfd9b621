// Sessions of real clients move into the gateway and out of it, with the real programs. A client of Baileys 6.7 or 7.0
// is linked and exchanges messages with its contacts. Its state is written in the layout of another program. The import
// program sends it to a gateway, and the instance continues without a new QR code.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { createLimiter } from '../../src/lib/limiter.ts';
import { at } from '../support/api.ts';
import { silenceConsole } from '../support/console.ts';
import { KEY } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/linked-processes.ts';
import { MovedInstance } from '../support/moved-session.ts';
import { compareTable, type Move, readCounts } from '../support/moves-table.ts';
import { withTimeout } from '../support/observations.ts';
import { type Make, OldClient } from '../support/old-clients.ts';
import { baileysFolder, LAYOUTS, type Layout, SEVEN, SIX, type Written } from '../support/old-layouts.ts';
import { run } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { describeWithServices } from '../support/services.ts';
import { type Contacts, SimulatedPlatform } from '../support/session-move-contacts.ts';

/** ms since the epoch. */
const MUTED_UNTIL = 1_900_000_000_000;
const BUNDLE_PASSPHRASE = 'a passphrase for the test';

/**
 * Number of clients that are prepared at the same time. All of them write to one unpatched Baileys client. That client
 * handles messages one after the other and waits for seconds after each one that it cannot decrypt.
 */
const CLIENTS_AT_ONCE = 3;
/** ms. On an idle machine, the preparation takes a tenth of this time. */
const PREPARATION_TIMEOUT = 600_000;

/** Layouts of the sessions that move into the gateway and out of it. */
const EXPORTED = [baileysFolder(SEVEN), baileysFolder(SEVEN)] as const;

interface Session extends Written {
  layout: Layout;
  client: OldClient;
  circle: Contacts;
}

let town: SimulatedPlatform;
let receiver: Receiver;
let gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
const sessions = new Map<Layout, Session>();
const results = new Map<Layout, Move>();
const cleanups: (() => Promise<void>)[] = [];
const atEnd = (cleanup: () => Promise<void>): void => void cleanups.push(cleanup);

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'import-sessions-'));
  atEnd(() => rm(path, { recursive: true, force: true }));
  return path;
}

/**
 * Links a client and exchanges messages with it, so that its state has every kind of key. Stops it and writes its
 * state.
 */
async function prepare(layout: Layout): Promise<void> {
  const client = new OldClient(town.sandbox, { make: layout.make, number: town.number(), folder: temporaryFolder() });
  const circle = town.circle(client.number);
  await withTimeout(client.link(), `${layout.make}: the link`, () => []);
  await circle.exchange(client, 'before');
  await circle.write(client, town.cleo, 'before');
  await circle.talk(client, town.dan, 'before');
  const account = town.sandbox.world.account(client.number);
  await town.sandbox.phones.phoneAppState.change(account, { mute: MUTED_UNTIL }, pnJid(town.ada.account));
  const readProgress = () => [client.progress(), circle.companion().queue, town.seen(client.number)];
  await withTimeout(client.muted(town.ada.account.number), `${layout.make}: the muted chat`, readProgress);
  await client.stop();
  await withTimeout(
    circle.delay(() => client.connect()),
    `${layout.make}: the message after the late one`,
    readProgress,
  );
  await client.stop();
  const context = { folder: temporaryFolder(), webhookUrl: receiver.url, atEnd, runImport: runToEnd };
  const written = await layout.write(client, context);
  sessions.set(layout, { ...written, layout, client, circle });
  town.forget(client.number);
}

// libsignal prints the sessions that it closes.
silenceConsole();
beforeAll(async () => {
  town = await SimulatedPlatform.open(temporaryFolder());
  receiver = await startReceiver();
  gateway = await startGatewayProcess({ sandbox: town.sandbox, dataDir: temporaryFolder() }, {}, [], atEnd);
  const limiter = createLimiter(CLIENTS_AT_ONCE);
  await Promise.all([...LAYOUTS, ...EXPORTED].map((layout) => limiter.run(() => prepare(layout))));
}, PREPARATION_TIMEOUT);

afterAll(async () => {
  await town?.close();
  for (const cleanup of cleanups.reverse()) await cleanup();
  await receiver?.stop();
});

/** Runs the import program. Resolves when it has ended, and rejects with its output when it reports an error. */
async function runToEnd(args: readonly string[]): Promise<void> {
  await runImport(args);
}

async function runImport(args: readonly string[]): Promise<string> {
  const program = run(['packages/import/src/cli.ts', ...args], { GATEWAY_KEY: KEY, BUNDLE_PASSPHRASE }, { atEnd });
  const code = await program.ended;
  const lines = program.lines.join('\n');
  expect(code, lines).toBe(0);
  return lines;
}

async function moveSession(layout: Layout): Promise<void> {
  const session = sessions.get(layout);
  if (!session) throw new Error(`${layout.source} was not prepared`);
  const { client, circle, name, args, hasWebhook } = session;
  const { ada, cleo, bob, sandbox } = town;
  const account = sandbox.world.account(client.number);

  const lines = await runImport([...args, '--to', gateway.api.url]);
  const counts = readCounts(lines, name);

  const instance = new MovedInstance(name, { api: gateway.api, receiver });
  if (!hasWebhook) await instance.subscribe();
  // These messages arrive while no program is connected.
  const missedIds = [
    await ada.send(client.number, { text: 'missed' }),
    await bob.send(circle.group, { text: 'missed' }),
  ];
  await instance.connect();
  for (const id of missedIds) expect(await instance.receivedText(id)).toBe('missed');

  await circle.exchange(instance, 'after');
  await circle.talk(instance, cleo, 'after');
  await circle.exchange(instance, 'later');
  await circle.talk(instance, sandbox.phones.phone(town.number()), 'a new contact writes');
  await circle.write(instance, sandbox.phones.phone(town.number()), 'to a new contact');
  // No message needed a retry receipt.
  expect(town.seen(client.number)).toMatchObject({ requested: [], refused: [] });
  const { late } = circle;
  late?.deliver();
  expect(await instance.receivedText(late?.id ?? '')).toBe('late');
  const { requested, refused } = town.seen(client.number);
  expect({ requested: requested.length, refused }).toEqual({
    requested: layout.losesLateMessages ? 1 : 0,
    refused: [],
  });
  if (!layout.losesLateMessages) expect(instance.undecryptable()).toEqual([]);

  const { number } = ada.account;
  await instance.chatChange(number, (chat) => at(chat, 'muteEndTime') === MUTED_UNTIL);
  expect(await instance.chat(number)).toMatchObject({ muteEndTime: MUTED_UNTIL });
  await sandbox.phones.phoneAppState.change(account, { pin: true }, pnJid(bob.account));
  await instance.chatChange(bob.account.number, (chat) => at(chat, 'pinned') === true);
  const pinned = sandbox.phones.phoneAppState.waitFor(
    account,
    (entry) => entry.index.join() === `pin_v1,${pnJid(ada.account)}`,
  );
  await instance.pin(number);
  expect(await withTimeout(pinned, 'the pin', () => [])).toMatchObject({ value: { pinAction: { pinned: true } } });

  expect(instance.qrCodes()).toEqual([]);
  results.set(layout, { source: layout.source, make: layout.make, ...counts, requestedAgain: requested.length });
}

const title = 'a session continues in the gateway without a QR code and keeps messages and app state ($source, $make)';
/** Moves a session into the gateway and out of it again. Resolves with the path of the bundle. */
async function moveThrough(layout: Layout): Promise<Session & { file: string }> {
  const session = sessions.get(layout);
  if (!session) throw new Error(`${layout.source} was not prepared`);
  const { client, circle, name, args } = session;
  await runImport([...args, '--to', gateway.api.url]);
  const instance = new MovedInstance(name, { api: gateway.api, receiver });
  await instance.subscribe();
  await instance.connect();
  await circle.exchange(instance, 'in the gateway');
  const file = join(temporaryFolder(), 'bundle.json');
  writeFileSync(file, JSON.stringify(await instance.export(BUNDLE_PASSPHRASE)));
  town.forget(client.number);
  return { ...session, file };
}

/** Connects a client of `make` with the session in the folder, and exchanges messages with all contacts. */
async function expectContinuation(circle: Contacts, path: string, make: Make): Promise<void> {
  const client = new OldClient(town.sandbox, { make, number: circle.number, folder: path });
  const missedId = await town.ada.send(client.number, { text: 'missed' });
  await client.connect();
  expect(await client.receivedText(missedId)).toBe('missed');
  await circle.exchange(client, `with ${make}`);
  await circle.talk(client, town.sandbox.phones.phone(town.number()), 'a new contact writes');
  await client.stop();
}

/**
 * Connects a client of Baileys 6 with the session in the folder. Baileys 6 looks for Signal sessions and sender keys
 * under other addresses, so it requests first messages again, which takes 5 s each.
 */
async function expectContinuationInSix({ number, town: { ada } }: Contacts, path: string): Promise<void> {
  const client = new OldClient(town.sandbox, { make: SIX, number, folder: path });
  await client.connect();
  expect(await client.receivedText(await ada.send(number, { text: 'to Baileys 6' }))).toBe('to Baileys 6');
  const id = await client.send(ada.account.number, 'from Baileys 6');
  await ada.waitFor(() => ada.messages().some((message) => message.id === id && message.text === 'from Baileys 6'));
  await client.stop();
}

describe('sessions that leave the gateway', () => {
  it('a session that leaves the gateway continues in Baileys 7 without retry receipts, and then in Baileys 6', async () => {
    const { circle, file } = await moveThrough(EXPORTED[0]);
    const [path, sixPath] = [join(temporaryFolder(), 'baileys'), join(temporaryFolder(), 'baileys')];
    await runImport(['--from', 'bundle', '--path', file, '--to-baileys', path]);
    await expectContinuation(circle, path, SEVEN);
    expect(town.seen(circle.number)).toMatchObject({ requested: [], refused: [] });
    // The session has no list of the members that have the sender key, because Baileys 6 uses another sender key.
    await runImport(['--from', 'baileys', '--path', path, '--to-baileys', sixPath]);
    await expectContinuationInSix(circle, sixPath);
  });

  it('a session that leaves the gateway through a whatsmeow database continues in Baileys 7 without retry receipts', async () => {
    const { circle, file, name } = await moveThrough(EXPORTED[1]);
    const [database, path] = [join(temporaryFolder(), 'whatsmeow.db'), join(temporaryFolder(), 'baileys')];
    await runImport(['--from', 'bundle', '--path', file, '--to-whatsmeow', database]);
    await runImport(['--from', 'whatsmeow', '--database', database, '--name', name, '--to-baileys', path]);
    await expectContinuation(circle, path, SEVEN);
    expect(town.seen(circle.number)).toMatchObject({ requested: [], refused: [] });
  });
});

describe('sessions that move into the gateway', () => {
  it.each(LAYOUTS.filter(({ needs }) => needs.length === 0))(title, moveSession);
});
await describeWithServices(['MariaDB', 'Redis'], 'sessions that move from a database into the gateway', () => {
  it.each(LAYOUTS.filter(({ needs }) => needs.length > 0))(title, moveSession);
});

describe('the table of moves in the guide', () => {
  it('the table of moves in the guide contains the results of this run', () => {
    const { measured, documented } = compareTable(LAYOUTS.flatMap((layout) => results.get(layout) ?? []));
    // Without MariaDB or Redis, some moves are missing.
    expect(documented).toEqual(results.size === LAYOUTS.length ? measured : expect.arrayContaining(measured));
  });
});
