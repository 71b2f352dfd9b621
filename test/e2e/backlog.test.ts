// Messages that the platform queues while the gateway is stopped: a thousand, some delivered twice, some undecryptable
// at first.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import {
  createLinkedStore,
  nameOf,
  numberOf,
  startGatewayProcess,
  waitUntilOpen,
} from '../support/linked-processes.ts';
import { startReceiver } from '../support/receiver.ts';

const CHATS = 5;
const MESSAGES = 1_000;
/**
 * Messages of another chat, whose Signal session the gateway loses. The number is small: Baileys needs two seconds for
 * each.
 */
const UNREADABLE = 2;
const phoneOf = (n: number) => String(15550018700 + n);
const unreadableContact = phoneOf(99);

it('a gateway delivers messages of its downtime once each and in order per chat, and recovers unreadable ones', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const place = await createLinkedStore(1, { hook: receiver.url });
  const { phones, faults, world } = place.sandbox;
  const texts = () =>
    receiver.posts
      .filter(({ body }) => isEvent(body, 'messages.upsert'))
      .map(({ body }) => String(at(body, 'data.message.conversation')));
  const first = await startGatewayProcess(place);
  await waitUntilOpen(first.program);
  for (const number of [...Array.from({ length: CHATS }, (_, n) => phoneOf(n)), unreadableContact]) {
    // Both sides write, so that later messages no longer carry the prekey data that creates a session.
    await phones.phone(number).send(numberOf(1), { text: 'hello' });
    await first.api('POST', `/message/sendText/${nameOf(1)}`, { number, textMessage: { text: 'hello' } });
  }
  await receiver.next(() => texts().length === CHATS + 1);
  await first.program.stop();
  const account = world.account(unreadableContact);
  const database = new DatabaseSync(join(place.dataDir, 'gateway.db'));
  const deletion = database.prepare(`DELETE FROM auth_key WHERE type = 'session' AND (id LIKE ? OR id LIKE ?)`);
  expect(deletion.run(`%${account.number}%`, `%${account.lid}%`).changes).toBeGreaterThan(0);
  database.close();

  for (let n = 0; n < MESSAGES; n++) await phones.phone(phoneOf(n % CHATS)).send(numberOf(1), { text: `${n}` });
  for (let n = 0; n < UNREADABLE; n++) await phones.phone(unreadableContact).send(numberOf(1), { text: `lost ${n}` });
  faults.add({ kind: 'duplicate', number: numberOf(1), times: 100 });
  const postsBefore = receiver.posts.length;
  const second = await startGatewayProcess(place);
  const delivered = new Set<unknown>();
  await receiver.next(
    ({ body }) => {
      if (isEvent(body, 'messages.upsert')) delivered.add(at(body, 'data.message.conversation'));
      return delivered.size === MESSAGES + UNREADABLE;
    },
    { after: postsBefore },
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
  const recovered = texts().filter((text) => text.startsWith('lost'));
  expect(recovered.toSorted()).toEqual(Array.from({ length: UNREADABLE }, (_, n) => `lost ${n}`));
  // Only these messages are reported as undecryptable, and they arrive later.
  const undecryptable = receiver.posts.filter(({ body }) => isEvent(body, 'messages.undecryptable'));
  expect(new Set(undecryptable.map(({ body }) => at(body, 'data.key.id'))).size).toBeLessThanOrEqual(UNREADABLE);
  expect(place.sandbox.unanswered).toEqual([]);
});
