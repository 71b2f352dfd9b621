// What the platform kept while the gateway was away: a thousand messages, some of them twice, some no longer readable at once.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import { nameOf, numberOf, opened, provision, start } from '../support/linked.ts';
import { startReceiver } from '../support/receiver.ts';

const CHATS = 5;
const MESSAGES = 1_000;
/** Of another chat, whose session the gateway loses meanwhile. Few: the library spends two seconds on each. */
const UNREADABLE = 2;
const phoneOf = (n: number) => String(15550018700 + n);
const lost = phoneOf(99);

it('comes in order per chat, once each, and what cannot be read is asked for again', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const place = await provision(1, { hook: receiver.url });
  const { phones, faults, world } = place.sandbox;
  const texts = () =>
    receiver.posts
      .filter(({ body }) => isEvent(body, 'messages.upsert'))
      .map(({ body }) => String(at(body, 'data.message.conversation')));
  const first = await start(place);
  await opened(first.program);
  for (const number of [...Array.from({ length: CHATS }, (_, n) => phoneOf(n)), lost]) {
    // Both ways, so that sessions are in use and messages no longer bring what makes one.
    await phones.phone(number).send(numberOf(1), { text: 'hello' });
    await first.api('POST', `/message/sendText/${nameOf(1)}`, { number, textMessage: { text: 'hello' } });
  }
  await receiver.next(() => texts().length === CHATS + 1);
  await first.program.stop();
  const account = world.account(lost);
  const database = new DatabaseSync(join(place.dataDir, 'gateway.db'));
  const removed = database.prepare(`DELETE FROM auth_key WHERE type = 'session' AND (id LIKE ? OR id LIKE ?)`);
  expect(removed.run(`%${account.number}%`, `%${account.lid}%`).changes).toBeGreaterThan(0);
  database.close();

  for (let n = 0; n < MESSAGES; n++) await phones.phone(phoneOf(n % CHATS)).send(numberOf(1), { text: `${n}` });
  for (let n = 0; n < UNREADABLE; n++) await phones.phone(lost).send(numberOf(1), { text: `lost ${n}` });
  faults.add({ kind: 'duplicate', number: numberOf(1), times: 100 });
  const seen = receiver.posts.length;
  const second = await start(place);
  const came = new Set<unknown>();
  await receiver.next(
    ({ body }) => {
      if (isEvent(body, 'messages.upsert')) came.add(at(body, 'data.message.conversation'));
      return came.size === MESSAGES + UNREADABLE;
    },
    { after: seen },
  );

  const numbered = texts().filter((text) => /^\d+$/.test(text));
  for (let chat = 0; chat < CHATS; chat++) {
    const ofChat = numbered.filter((text) => Number(text) % CHATS === chat);
    expect(ofChat).toEqual(Array.from({ length: MESSAGES / CHATS }, (_, n) => `${n * CHATS + chat}`));
    const found = await second.api('POST', `/chat/findMessages/${nameOf(1)}`, {
      where: { key: { remoteJid: `${phoneOf(chat)}@s.whatsapp.net`, fromMe: false } },
      limit: MESSAGES,
    });
    const stored = (found.body as unknown[]).map((record) => String(at(record, 'message.conversation')));
    expect(stored.toReversed()).toEqual(['hello', ...ofChat]);
  }
  const late = texts().filter((text) => text.startsWith('lost'));
  expect(late.toSorted()).toEqual(Array.from({ length: UNREADABLE }, (_, n) => `lost ${n}`));
  // Only those are reported as not readable, and they came all the same.
  const unread = receiver.posts.filter(({ body }) => isEvent(body, 'messages.undecryptable'));
  expect(new Set(unread.map(({ body }) => at(body, 'data.key.id'))).size).toBeLessThanOrEqual(UNREADABLE);
  expect(place.sandbox.unanswered).toEqual([]);
});
