// Statuses in the stanza `status`: those of contacts, which WhatsApp earlier sent as messages, and those of channels.
import { describe, expect, it } from 'vitest';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { pair } from '../support/client.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const mine = '15550006501';
const ada = '15550006502';
const STATUS = 'status@broadcast';

async function startLinked(settings: object): Promise<World> {
  const world = await startWorld();
  await world.link('shop', mine);
  const changed = await world.api('POST', '/settings/set/shop', settings);
  expect(changed.status, JSON.stringify(changed.body)).toBe(201);
  world.sandbox.world.account(mine).getsStatusStanzas = true;
  return world;
}

const waitForEvent = ({ receiver }: World, event: string, id: string) =>
  receiver.next(({ body }) => isEvent(body, event) && at(body, 'data.key.id') === id);

/** Resolves when the gateway has acknowledged all stanzas. */
async function waitForAcks({ sandbox }: World): Promise<void> {
  const [companion] = sandbox.world.account(mine).companions.values();
  await waitFor(() => expect(companion?.queue).toEqual([]));
}

describe('statuses in the stanza `status`', { timeout: 60_000 }, () => {
  it('a status stanza of a contact arrives once and is acknowledged, also while readStatus is off', async () => {
    const world = await startLinked({ readStatus: true });
    const { sandbox, receiver } = world;
    const author = await pair(sandbox, ada);
    const audience = { statusJidList: [pnJid(sandbox.world.account(mine))] };
    const phone = sandbox.phones.phone(mine);
    const post = async (text: string) => {
      const id = (await author.socket.sendMessage(STATUS, { text }, audience))?.key.id ?? '';
      // The platform queues a status for the gateway before it shows the status on the phone.
      await phone.waitFor(() => phone.messages().some((message) => message.id === id));
      return id;
    };
    const id = await post('my day');
    const { body } = await waitForEvent(world, 'messages.upsert', id);
    const account = sandbox.world.account(ada);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: STATUS, participant: pnJid(account), participantAlt: lidJid(account), fromMe: false, id },
      message: { extendedTextMessage: { text: 'my day' } },
    });
    await waitForAcks(world);
    await world.api('POST', '/settings/set/shop', { readStatus: false });
    const ignoredId = await post('my night');
    await waitForAcks(world);
    // The platform does not send an acknowledged stanza again. The gateway would post it, because readStatus is on.
    await world.api('POST', '/settings/set/shop', { readStatus: true });
    await world.restart();
    await waitForEvent(world, 'messages.upsert', await post('my morning'));
    const upserts = receiver.posts.filter(({ body: postBody }) => isEvent(postBody, 'messages.upsert'));
    expect(upserts.filter(({ raw }) => raw.includes(id))).toHaveLength(1);
    expect(upserts.filter(({ raw }) => raw.includes(ignoredId))).toEqual([]);
  });

  it('a status stanza of a channel arrives with readStatus and readChannels, can be deleted, and is acknowledged', async () => {
    const world = await startLinked({ readStatus: true, readChannels: true });
    const { sandbox, receiver } = world;
    const { channels, channelMessages } = sandbox.phones;
    const owner = sandbox.world.account(ada);
    const channel = channels.create(owner, 'News');
    channels.follow(channel, sandbox.world.account(mine));
    const id = channelMessages.postStatus(owner, channel, { text: 'on air' });
    const { body } = await waitForEvent(world, 'messages.upsert', id);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: STATUS, participant: channel.id, fromMe: false, id },
      message: { conversation: 'on air' },
    });
    channelMessages.reactToStatus(owner, channel, id, '👍');
    channelMessages.deleteStatus(owner, channel, id);
    const deleted = await receiver.next(
      ({ body: postBody }) => isEvent(postBody, 'messages.delete') && at(postBody, 'data.id') === id,
    );
    expect(at(deleted.body, 'data')).toMatchObject({ remoteJid: STATUS, participant: channel.id });
    await waitForAcks(world);

    await world.api('POST', '/settings/set/shop', { readChannels: false });
    const ignoredId = channelMessages.postStatus(owner, channel, { text: 'nobody reads this' });
    await waitForAcks(world);
    // The gateway posts the events of a chat in order.
    await world.api('POST', '/settings/set/shop', { readChannels: true });
    const lastId = channelMessages.postStatus(owner, channel, { text: 'on air again' });
    await waitForEvent(world, 'messages.upsert', lastId);
    expect(receiver.posts.filter(({ raw }) => raw.includes(ignoredId))).toEqual([]);
    expect(receiver.posts.filter(({ raw }) => raw.includes('👍'))).toEqual([]);
  });

  it('a status stanza that arrives while the gateway is stopped is posted once', async () => {
    const world = await startLinked({ readStatus: true, readChannels: true });
    const { sandbox, receiver } = world;
    const { channels, channelMessages } = sandbox.phones;
    const owner = sandbox.world.account(ada);
    const channel = channels.create(owner, 'News');
    channels.follow(channel, sandbox.world.account(mine));
    await world.gateway.stop();
    const id = channelMessages.postStatus(owner, channel, { text: 'while away' });
    await world.restart();
    await waitForEvent(world, 'messages.upsert', id);
    // The gateway posts the events of a chat in order.
    const lastId = channelMessages.postStatus(owner, channel, { text: 'back' });
    await waitForEvent(world, 'messages.upsert', lastId);
    await waitForAcks(world);
    expect(receiver.posts.filter(({ body, raw }) => isEvent(body, 'messages.upsert') && raw.includes(id))).toHaveLength(
      1,
    );
  });
});
