import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';
import type { Post } from '../support/receiver.ts';

const mine = '15550006001';
const ada = '15550006002';
const bob = '15550006003';
const jid = (number: string) => `${number}@s.whatsapp.net`;

/** The `data` of all posts of an event so far, with lists joined. */
function eventData(world: World, event: string): unknown[] {
  return world.receiver.posts.filter(({ body }) => isEvent(body, event)).flatMap(({ body }) => at(body, 'data'));
}

const idsOf = (messages: unknown[]) => messages.map((message) => textAt(message, 'key.id'));

/** Resolves when messages.set has contained all of these messages. */
const waitForHistory = (world: World, ids: string[]) =>
  world.receiver.next(() => {
    const arrivedIds = new Set(idsOf(messagesSet(world)));
    return ids.every((id) => arrivedIds.has(id));
  });

const messagesSet = (world: World) => eventData(world, 'messages.set');

/** Gives the phone a history: 230 texts from Ada, an image from Bob, and an answer that Bob has read. */
async function createHistory({ sandbox }: World) {
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

async function findMessages(world: World, where: object): Promise<unknown[]> {
  const { status, body } = await world.api('POST', '/chat/findMessages/shop', { where });
  expect(status, JSON.stringify(body)).toBe(200);
  return [body].flat();
}

describe('history of a newly linked phone', () => {
  it('a newly linked instance posts the history once, as messages.set in portions, and stores it', async () => {
    const world = await startWorld();
    const { texts, picture, answer } = await createHistory(world);
    await world.link('shop', mine);
    const all = [...texts, picture, answer];
    await waitForHistory(world, all);

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
    const isProgress = ({ body }: Post) => isEvent(body, 'history.progress');
    await world.receiver.next((post) => isProgress(post) && at(post.body, 'data.done') === true);
    const progressData = world.receiver.posts.filter(isProgress).map(({ body }) => at(body, 'data'));
    expect(progressData.at(0)).toMatchObject({ instance: 'shop', syncType: 'INITIAL_BOOTSTRAP', done: false });
    expect(progressData.at(-1)).toMatchObject({ syncType: 'RECENT', progress: 100, messages: 232, done: true });
    const percentages = progressData.flatMap((data) =>
      at(data, 'syncType') === 'RECENT' ? [Number(at(data, 'progress'))] : [],
    );
    expect(percentages.length).toBeGreaterThan(2);
    expect(percentages).toEqual(percentages.toSorted((one, other) => one - other));
    // A chat whose messages span two portions of the platform is posted with each portion, with the same data.
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

    expect(await findMessages(world, { key: { remoteJid: jid(ada) } })).toHaveLength(230);
    const [own] = await findMessages(world, { key: { id: answer } });
    expect(own).toMatchObject({
      status: 'READ',
      key: { remoteJid: jid(bob), fromMe: true },
      message: { conversation: 'nice' },
    });
    expect(at((await world.api('GET', '/instance/fetchInstances')).body, '0._count.Message')).toBe(232);
  });

  it('history is not posted again after a restart or a second link, and live messages arrive as messages.upsert', async () => {
    const world = await startWorld();
    const { texts } = await createHistory(world);
    await world.link('shop', mine);
    await waitForHistory(world, texts);
    const live = await world.sandbox.phones.phone(ada).send(mine, { text: 'live' });
    const isLive = ({ body }: Post) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === live;
    await world.receiver.next(isLive);
    expect(idsOf(messagesSet(world))).not.toContain(live);

    const postsBeforeRestart = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after: postsBeforeRestart });
    const postsBeforeLogout = world.receiver.posts.length;
    expect((await world.api('DELETE', '/instance/logout/shop')).status).toBe(200);
    const linking = await world.api('GET', '/instance/connect/shop');
    await world.sandbox.pairing.scanQr(mine, textAt(linking.body, 'code'));
    // The end of the history is posted after all of its messages would have been.
    await world.receiver.next(({ body }) => isEvent(body, 'history.progress') && at(body, 'data.done') === true, {
      after: postsBeforeLogout,
    });
    const afterRelink = await world.sandbox.phones.phone(ada).send(mine, { text: 'after all of it' });
    await world.receiver.next(
      ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === afterRelink,
    );
    expect(idsOf(messagesSet(world)).filter((id) => id === texts[3])).toHaveLength(1);
    expect(world.receiver.posts.slice(postsBeforeLogout).filter(({ body }) => isEvent(body, 'messages.set'))).toEqual(
      [],
    );
  });

  it('an instance continues the history after a restart in the middle of it', async () => {
    const world = await startWorld();
    const { texts, picture, answer } = await createHistory(world);
    let restarted: Promise<void> | undefined;
    world.receiver.answer(({ body }) => {
      if (isEvent(body, 'messages.set')) restarted ??= world.restart();
      return 200;
    });
    await world.link('shop', mine);
    await waitForHistory(world, [...texts, picture, answer]);
    await restarted;
    const ids = idsOf(messagesSet(world));
    expect(ids).toHaveLength(new Set(ids).size);
    expect(await findMessages(world, { key: { remoteJid: jid(ada) } })).toHaveLength(230);
  });

  it('groupsIgnore leaves groups out of the history and out of live messages', async () => {
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
    await waitForHistory(world, [direct]);
    await sandbox.phones.phone(bob).send(group.id, { text: 'in the group, live' });
    const last = await sandbox.phones.phone(bob).send(mine, { text: 'to me, live' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === last);
    expect(world.receiver.posts.filter(({ raw }) => raw.includes('@g.us'))).toEqual([]);
    expect(idsOf(messagesSet(world))).toEqual([direct]);
    expect(await findMessages(world, { key: { remoteJid: group.id } })).toEqual([]);
  });
});
