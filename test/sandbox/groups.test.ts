import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Account, Companion } from '../../src/sandbox/model.ts';
import type { Phone } from '../../src/sandbox/phone.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { lidJid, pnJid } from '../../src/sandbox/world.ts';
import { RealClient } from './real-client.ts';

let sandbox: Sandbox;
let nextNumber = 15_550_003_001;
let mine: Account;
let ada: Phone;
let bob: Phone;
let client: RealClient;

const phone = () => sandbox.handsets.phone(String(nextNumber++));

async function connect(): Promise<{ account: Account; client: RealClient; companion: Companion | undefined }> {
  const account = sandbox.world.account(String(nextNumber++));
  const creds = sandbox.provision(account.number);
  const connected = new RealClient(sandbox.platformUrl, { creds, keys: new Map() });
  await connected.open();
  return { account, client: connected, companion: [...account.companions.values()][0] };
}

const seenBy = (reader: Phone, id: string) => reader.until(() => reader.messages().find((each) => each.id === id));

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});

afterAll(() => sandbox.close());

beforeEach(async () => {
  ({ account: mine, client } = await connect());
  ada = phone();
  bob = phone();
});

afterEach(async () => {
  await client.sock.end(undefined);
  expect(sandbox.unanswered).toEqual([]);
});

describe.each(['lid', 'pn'] as const)('a group addressed by %s', (mode) => {
  const jidOf = (account: Account) => (mode === 'lid' ? lidJid(account) : pnJid(account));
  beforeEach(() => {
    sandbox.groups.newMode = mode;
  });

  it('is created by a client, which can read it back', async () => {
    const created = await client.sock.groupCreate('Friends', [pnJid(ada.account), pnJid(bob.account)]);
    const read = await client.sock.groupMetadata(created.id);
    expect(read).toEqual(created);
    expect(read).toMatchObject({ subject: 'Friends', addressingMode: mode, owner: jidOf(mine), size: 3 });
    expect(read.participants.map(({ id, admin }) => [id, admin])).toEqual([
      [jidOf(mine), 'superadmin'],
      [jidOf(ada.account), null],
      [jidOf(bob.account), null],
    ]);
    const all = await client.sock.groupFetchAllParticipating();
    expect(all[created.id]).toEqual(created);
  });

  it('carries texts both ways', async () => {
    const { id } = await client.sock.groupCreate('Friends', [pnJid(ada.account), pnJid(bob.account)]);
    const first = await client.sock.sendMessage(id, { text: 'first' });
    const second = await client.sock.sendMessage(id, { text: 'second' });
    for (const reader of [ada, bob, sandbox.handsets.phone(mine.number)]) {
      await seenBy(reader, second?.key.id ?? '');
      expect(reader.messages()).toMatchObject([
        { id: first?.key.id, chat: id, from: mine.number, text: 'first' },
        { id: second?.key.id, chat: id, from: mine.number, text: 'second' },
      ]);
    }
    for (const text of ['one', 'two']) {
      const answer = await ada.send(id, { text });
      const { message } = await client.message(answer);
      expect(message).toMatchObject({ key: { remoteJid: id, participant: jidOf(ada.account) } });
      expect(message.message?.conversation).toBe(text);
      expect(await seenBy(bob, answer)).toMatchObject({ text, from: ada.account.number, chat: id });
    }
  });
});
