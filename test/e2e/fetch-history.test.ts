// Older messages that the phone sends on request, after it linked the device with the newest messages only.
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/sandbox/src/lib/clock.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const mine = '15550006101';
const ada = '15550006102';
const bob = '15550006103';
const eve = '15550006104';
const jid = (number: string) => `${number}@s.whatsapp.net`;

/** Links a phone that has `count` texts from Ada, of which it sends the newest 5 when it links the device. */
async function linkWithPast(count: number, env: Record<string, string> = {}) {
  let now = Date.now() - count * 1000;
  const world = await startWorld({ env, sandbox: { tlsPort: false, clock: { ...systemClock, now: () => now } } });
  const { phones } = world.sandbox;
  const phone = phones.phone(mine);
  phone.syncedPerChat = 5;
  const texts: string[] = [];
  for (let n = 0; n < count; n++) {
    texts.push(await phones.phone(ada).send(mine, { text: `ada ${n}` }));
    now += 1000;
  }
  await world.link('shop', mine);
  await waitForHistory(world, texts.slice(-5));
  return { world, phone, texts };
}

const idsOf = (world: World, event: string): string[] =>
  world.receiver.posts
    .filter(({ body }) => isEvent(body, event))
    .flatMap(({ body }) => [at(body, 'data')].flat().map((message) => textAt(message, 'key.id')));

/** Resolves when messages.set has contained all of these messages. */
const waitForHistory = (world: World, ids: string[]) =>
  world.receiver.next(() => {
    const arrived = new Set(idsOf(world, 'messages.set'));
    return ids.every((id) => arrived.has(id));
  });

const fetchHistory = (world: World, body: object) => world.api('POST', '/chat/fetchHistory/shop', body);

describe('POST /chat/fetchHistory', { timeout: 60_000 }, () => {
  it('fetchHistory requests older messages page by page, and they arrive as messages.set', async () => {
    const { world, texts } = await linkWithPast(70);
    expect(idsOf(world, 'messages.set').sort()).toEqual(texts.slice(-5).sort());

    const first = await fetchHistory(world, { number: ada, count: 20 });
    expect(first).toMatchObject({
      status: 200,
      body: {
        chatId: jid(ada),
        count: 20,
        before: { key: { id: texts[65], remoteJid: jid(ada), fromMe: false } },
        requestId: expect.any(String),
        messages: 20,
        hasMore: true,
      },
    });
    await waitForHistory(world, texts.slice(45, 65));
    const second = await fetchHistory(world, { number: jid(ada) });
    expect(second.body).toMatchObject({
      count: 50,
      before: { key: { id: texts[45] } },
      messages: 45,
      hasMore: false,
    });
    await waitForHistory(world, texts);

    const arrived = idsOf(world, 'messages.set');
    expect(arrived).toHaveLength(new Set(arrived).size);
    expect(idsOf(world, 'messages.upsert')).toEqual([]);
    const stored = await world.api('POST', '/chat/findMessages/shop', { where: { key: { remoteJid: jid(ada) } } });
    expect([stored.body].flat()).toHaveLength(70);
    expect((await fetchHistory(world, { number: ada })).body).toMatchObject({ messages: 0, hasMore: false });
  });

  it('fetchHistory starts at the message in `before` and does not repeat stored messages', async () => {
    const { world, texts } = await linkWithPast(9);
    const answer = await fetchHistory(world, { number: ada, count: 3, before: texts[6] });
    expect(answer.body).toMatchObject({ before: { key: { id: texts[6] } }, messages: 3, hasMore: true });
    await waitForHistory(world, texts.slice(3));
    const overlapping = await fetchHistory(world, { number: ada, before: texts[8] });
    expect(overlapping.body).toMatchObject({ messages: 8, hasMore: false });
    await waitForHistory(world, texts);
    expect(idsOf(world, 'messages.set').sort()).toEqual(texts.toSorted());
  });

  it('fetchHistory requests older messages of a group', async () => {
    const world = await startWorld();
    const { phones } = world.sandbox;
    phones.phone(mine).syncedPerChat = 2;
    const group = phones.phone(ada).createGroup('Family', [mine, bob]);
    const texts: string[] = [];
    for (let n = 0; n < 6; n++) texts.push(await phones.phone(n % 2 ? ada : bob).send(group.id, { text: `${n}` }));
    await world.link('shop', mine);
    await waitForHistory(world, texts.slice(-2));
    const answer = await fetchHistory(world, { number: group.id });
    expect(answer.body).toMatchObject({ chatId: group.id, messages: 4, hasMore: false });
    await waitForHistory(world, texts);
  });

  it('fetchHistory rejects unknown chats and messages, channels, statuses, and invalid counts', async () => {
    const { world, texts } = await linkWithPast(5);
    const other = await world.sandbox.phones.phone(bob).send(mine, { text: 'another chat' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === other);
    const refusals = [
      [{ number: eve }, 404, 'MESSAGE_NOT_FOUND'],
      [{ number: ada, before: 'UNKNOWN' }, 404, 'MESSAGE_NOT_FOUND'],
      [{ number: ada, before: other }, 404, 'MESSAGE_NOT_FOUND'],
      [{ number: '120363000000000001@newsletter' }, 400, 'INVALID_REQUEST'],
      [{ number: 'status@broadcast' }, 400, 'INVALID_REQUEST'],
      [{ number: ada, count: 51 }, 400, 'INVALID_REQUEST'],
      [{ number: ada, count: 0 }, 400, 'INVALID_REQUEST'],
      [{ before: texts[0] }, 400, 'INVALID_REQUEST'],
    ] as const;
    for (const [body, status, code] of refusals)
      expect(await fetchHistory(world, body), JSON.stringify(body)).toMatchObject({ status, body: { code } });
  });

  it('fetchHistory answers 504 when the phone does not answer, and the gateway delivers a late answer', async () => {
    const { world, phone, texts } = await linkWithPast(8, { SEND_TIMEOUT: '1000' });
    world.expectErrors(/^request\.failed$/);
    phone.setReachable(false);
    const answer = await fetchHistory(world, { number: ada });
    expect(answer).toMatchObject({ status: 504, body: { code: 'PLATFORM_TIMEOUT' } });
    phone.setReachable(true);
    await waitForHistory(world, texts);
  });
});
