import { type BaileysEventMap, proto } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTrust } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { connect, createAuth, pair } from '../../../test/support/client.ts';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { pnJid } from '../src/world/world.ts';

type History = BaileysEventMap['messaging-history.set'];

const ownNumber = '15550008001';
const ada = '15550008002';
const bob = '15550008003';

let sandbox: Sandbox;

silenceConsole();
beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterEach(() => expect(sandbox.unanswered).toEqual([]));
afterAll(() => sandbox.close());

/** Links a new client and resolves with its history chunks by type. */
async function linkClient(number = ownNumber): Promise<Map<number, History>> {
  const config = createTrust({ network: 'sandbox', url: sandbox.platformUrl, ca: sandbox.caPem });
  const fresh = connect(sandbox, createAuth(), config);
  const { qr } = await fresh.update((update) => Boolean(update.qr));
  await Promise.all([sandbox.pairing.scanQr(number, qr ?? ''), fresh.closed()]);
  const client = connect(sandbox, fresh.auth, config);
  const chunks = new Map<number, History>();
  const { RECENT } = proto.HistorySync.HistorySyncType;
  await new Promise<void>((resolve) => {
    client.socket.ev.on('messaging-history.set', (chunk) => {
      chunks.set(Number(chunk.syncType), chunk);
      if (chunk.syncType === RECENT) resolve();
    });
  });
  return chunks;
}

describe('history of a phone', () => {
  it('a phone sends its chats to the client that it links', async () => {
    const phone = sandbox.phones.phone(ownNumber);
    sandbox.world.account(ada).name = 'Ada';
    const sent: string[] = [];
    for (let i = 0; i < 25; i++) sent.push(await sandbox.phones.phone(ada).send(ownNumber, { text: `ada ${i}` }));
    const answer = await phone.send(ada, { text: 'my answer' });
    await sandbox.phones.phone(bob).send(ownNumber, { media: { kind: 'image', bytes: Buffer.from('picture') } });
    phone.read(bob);

    const chunks = await linkClient();
    const { INITIAL_BOOTSTRAP, RECENT, PUSH_NAME } = proto.HistorySync.HistorySyncType;
    const first = chunks.get(INITIAL_BOOTSTRAP);
    const rest = chunks.get(RECENT);
    expect(first?.chats).toMatchObject([
      { id: pnJid(sandbox.world.account(ada)), unreadCount: 25, displayName: 'Ada' },
      { id: pnJid(sandbox.world.account(bob)), unreadCount: 0 },
    ]);
    expect(first?.messages).toHaveLength(21);
    expect(first?.messages[0]).toMatchObject({
      key: { id: answer, fromMe: true },
      message: { conversation: 'my answer' },
    });
    const texts = [...(first?.messages ?? []), ...(rest?.messages ?? [])].map(({ message }) => message?.conversation);
    for (let i = 0; i < 25; i++) expect(texts).toContain(`ada ${i}`);
    expect(chunks.get(PUSH_NAME)?.contacts).toContainEqual(
      expect.objectContaining({ id: pnJid(sandbox.world.account(ada)), notify: 'Ada' }),
    );
  });

  it.each([
    ['a status', 'status@broadcast', bob],
    ['a channel post', '120363000000000001@newsletter', '120363000000000001@newsletter'],
    ['a message to a number that is not on the platform', '15550010000', ownNumber],
  ])('a phone sends its chats without %s, which is no chat, to a new client', async (_what, chat, from) => {
    const phone = sandbox.phones.phone(ownNumber);
    await sandbox.phones.phone(ada).send(ownNumber, { text: 'before' });
    phone.store({ id: `OTHER-${chat}`, chat, from, addressing: 'pn', content: { conversation: 'other' } });
    const chunks = await linkClient();
    const shared = [...chunks.values()];
    expect(shared.flatMap(({ chats }) => chats).map(({ id }) => id)).toContain(pnJid(sandbox.world.account(ada)));
    expect(shared.flatMap(({ messages }) => messages).map(({ message }) => message?.conversation)).not.toContain(
      'other',
    );
  });

  it('a phone sends its chats to a new client after its client posted a status and a channel had a post', async () => {
    const number = '15550008004';
    const author = await pair(sandbox, number);
    await author.socket.sendMessage(
      'status@broadcast',
      { text: 'my day' },
      { statusJidList: [ada, number].map((reader) => pnJid(sandbox.world.account(reader))) },
    );
    const channel = sandbox.channels.create(sandbox.world.account(bob), 'News', '');
    sandbox.channels.follow(channel, sandbox.world.account(number));
    sandbox.phones.channelMessages.post(sandbox.world.account(bob), channel, { text: 'news' });
    await sandbox.phones.phone(ada).send(number, { text: 'hello' });
    const phone = sandbox.phones.phone(number);
    // The post and the text are stored already. The client sends the status on its own connection.
    await phone.waitFor(() => phone.mailbox.all().some(({ chat }) => chat === 'status@broadcast'));
    const chunks = await linkClient(number);
    const { RECENT } = proto.HistorySync.HistorySyncType;
    expect([...chunks.values()].flatMap(({ chats }) => chats)).toMatchObject([
      { id: pnJid(sandbox.world.account(ada)) },
    ]);
    expect(chunks.has(RECENT)).toBe(true);
  });
});
