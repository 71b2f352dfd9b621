import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';
import type { Post } from '../support/receiver.ts';

const mine = '15550006001';
const ada = '15550006002';
const bob = '15550006003';
const jid = (number: string) => `${number}@s.whatsapp.net`;

/** `data` of every post of an event so far, lists joined. */
function eventData(world: World, event: string): unknown[] {
  return world.receiver.posts.filter(({ body }) => isEvent(body, event)).flatMap(({ body }) => at(body, 'data'));
}

const idsOf = (messages: unknown[]) => messages.map((message) => textAt(message, 'key.id'));

/** Resolves when the history has brought all of these messages. */
const brought = (world: World, ids: string[]) =>
  world.receiver.next(() => {
    const eventData = new Set(idsOf(messagesSet(world)));
    return ids.every((id) => eventData.has(id));
  });

const messagesSet = (world: World) => eventData(world, 'messages.set');

/** A past of the phone: 230 texts with Ada, a picture of Bob's, an answer that Bob has read. */
async function past({ sandbox }: World) {
  const phone = (number: string) => sandbox.phones.phone(number);
  sandbox.world.account(ada).name = 'Ada';
  const texts: string[] = [];
  for (let n = 0; n < 230; n++) texts.push(await phone(ada).send(mine, { text: `ada ${n}` }));
  const picture = await phone(bob).send(mine, { media: { kind: 'image', bytes: Buffer.from('picture') } });
  const answer = await phone(mine).send(bob, { text: 'nice' });
  phone(mine).read(bob);
  phone(bob).read(mine);
  return { texts, picture, answer };
}

async function find(world: World, where: object): Promise<unknown[]> {
  const { status, body } = await world.api('POST', '/chat/findMessages/shop', { where });
  expect(status, JSON.stringify(body)).toBe(200);
  return [body].flat();
}

describe('an instance that is linked to a phone with a past', () => {
  it('posts and stores the past in portions, once, and never as something new', async () => {
    const world = await startWorld();
    const { texts, picture, answer } = await past(world);
    await world.link('shop', mine);
    const all = [...texts, picture, answer];
    await brought(world, all);

    expect(idsOf(messagesSet(world)).sort()).toEqual([...all].sort());
    for (const { body } of world.receiver.posts.filter((post) => isEvent(post.body, 'messages.set'))) {
      expect([at(body, 'data')].flat().length).toBeLessThanOrEqual(100);
    }
    expect(eventData(world, 'messages.upsert')).toEqual([]);
    const lid = lidJid(world.sandbox.world.account(ada));
    expect(messagesSet(world)).toContainEqual(
      expect.objectContaining({
        key: { remoteJid: jid(ada), remoteJidAlt: lid, fromMe: false, id: texts[0] },
        pushName: 'Ada',
        message: expect.objectContaining({ conversation: 'ada 0' }),
      }),
    );
    const progress = ({ body }: Post) => isEvent(body, 'history.progress');
    await world.receiver.next((post) => progress(post) && at(post.body, 'data.done') === true);
    const bar = world.receiver.posts.filter(progress).map(({ body }) => at(body, 'data'));
    expect(bar.at(0)).toMatchObject({ instance: 'shop', syncType: 'INITIAL_BOOTSTRAP', done: false });
    expect(bar.at(-1)).toMatchObject({ syncType: 'RECENT', progress: 100, messages: 232, done: true });
    const shares = bar.flatMap((data) => (at(data, 'syncType') === 'RECENT' ? [Number(at(data, 'progress'))] : []));
    expect(shares.length).toBeGreaterThan(2);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    // A chat whose messages span two portions of the platform comes with each of them, the same both times.
    const chats = eventData(world, 'chats.set');
    expect(new Set(chats.map((chat) => textAt(chat, 'remoteJid')))).toEqual(new Set([jid(ada), jid(bob)]));
    for (const chat of chats) {
      expect(chat).toMatchObject(
        textAt(chat, 'remoteJid') === jid(ada)
          ? { id: jid(ada), lid, name: 'Ada', unreadMessages: 230, archived: false }
          : { unreadMessages: 0, lastMsgTimestamp: expect.any(Number) },
      );
    }
    expect(eventData(world, 'contacts.upsert')).toContainEqual(
      expect.objectContaining({ remoteJid: jid(ada), lid, pushName: 'Ada' }),
    );

    expect(await find(world, { key: { remoteJid: jid(ada) } })).toHaveLength(230);
    const [own] = await find(world, { key: { id: answer } });
    expect(own).toMatchObject({
      status: 'READ',
      key: { remoteJid: jid(bob), fromMe: true },
      message: { conversation: 'nice' },
    });
    expect(at((await world.api('GET', '/instance/fetchInstances')).body, '0._count.Message')).toBe(232);
  });

  it('goes on with live messages, and does not repeat the past after a restart or another link', async () => {
    const world = await startWorld();
    const { texts } = await past(world);
    await world.link('shop', mine);
    await brought(world, texts);
    const live = await world.sandbox.phones.phone(ada).send(mine, { text: 'live' });
    const isLive = ({ body }: Post) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === live;
    await world.receiver.next(isLive);
    expect(idsOf(messagesSet(world))).not.toContain(live);

    const stopped = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: stopped });
    const before = world.receiver.posts.length;
    expect((await world.api('DELETE', '/instance/logout/shop')).status).toBe(200);
    const linking = await world.api('GET', '/instance/connect/shop');
    await world.sandbox.pairing.scanQr(mine, textAt(linking.body, 'code'));
    await world.receiver.next(({ body }) => isEvent(body, 'chats.set'), { after: before });
    const again = await world.sandbox.phones.phone(ada).send(mine, { text: 'after all of it' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === again);
    expect(idsOf(messagesSet(world)).filter((id) => id === texts[3])).toHaveLength(1);
    expect(world.receiver.posts.slice(before).filter(({ body }) => isEvent(body, 'messages.set'))).toEqual([]);
  });

  it('goes on with the past after a stop in the middle of it', async () => {
    const world = await startWorld();
    const { texts, picture, answer } = await past(world);
    let restarted: Promise<void> | undefined;
    world.receiver.answer(({ body }) => {
      if (isEvent(body, 'messages.set')) restarted ??= world.restart();
      return 200;
    });
    await world.link('shop', mine);
    await brought(world, [...texts, picture, answer]);
    await restarted;
    const ids = idsOf(messagesSet(world));
    expect(ids).toHaveLength(new Set(ids).size);
    expect(await find(world, { key: { remoteJid: jid(ada) } })).toHaveLength(230);
  });

  it('leaves out what its settings do not want', async () => {
    const world = await startWorld();
    const { sandbox } = world;
    const group = sandbox.phones.phone(ada).createGroup('Family', [mine, bob]);
    await sandbox.phones.phone(bob).send(group.id, { text: 'in the group' });
    const direct = await sandbox.phones.phone(bob).send(mine, { text: 'to me' });
    const created = await world.api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      groupsIgnore: true,
      webhook: world.receiver.url,
    });
    await sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
    await brought(world, [direct]);
    await sandbox.phones.phone(bob).send(group.id, { text: 'in the group, live' });
    const last = await sandbox.phones.phone(bob).send(mine, { text: 'to me, live' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === last);
    expect(world.receiver.posts.filter(({ raw }) => raw.includes('@g.us'))).toEqual([]);
    expect(idsOf(messagesSet(world))).toEqual([direct]);
    expect(await find(world, { key: { remoteJid: group.id } })).toEqual([]);
  });
});
