// Messages that this device cannot decrypt and gets from the account's own phone.
import { encodeBinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import type { Phone } from '../../packages/sandbox/src/phone/phone.ts';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const mine = '15550006201';
const ada = '15550006202';
const bob = '15550006203';

async function linked(env: Record<string, string> = {}): Promise<World> {
  const world = await startWorld({ env });
  await world.link('shop', mine);
  return world;
}

const EVENTS = ['messages.upsert', 'messages.undecryptable', 'messages.set'];

/** What the receiver got about a message, in order. */
const eventsOf = ({ receiver }: World, id: string) =>
  receiver.posts
    .filter(({ body }) => EVENTS.some((event) => isEvent(body, event)) && at(body, 'data.key.id') === id)
    .map(({ body }) => at(body, 'event'));

const arrives = ({ receiver }: World, id: string, event = 'messages.upsert') =>
  receiver.next(({ body }) => isEvent(body, event) && at(body, 'data.key.id') === id);

/** Resolves when a message that was sent after everything else has arrived. */
async function settled(world: World): Promise<void> {
  await arrives(world, await world.sandbox.phones.phone(bob).send(mine, { text: 'later' }));
}

/** Makes the next message of Ada's phone unreadable, and the phone unable to send it again. */
function garbleNext({ sandbox }: World, isResent = false) {
  const phone = sandbox.phones.phone(ada);
  const garbled = { type: 'msg', ciphertext: Buffer.alloc(60, 0x33) } as const;
  vi.spyOn(phone.signal, 'encrypt').mockResolvedValueOnce(garbled);
  return async (options: { addressing?: 'pn' | 'lid' } = {}) => {
    const id = await phone.send(mine, { text: 'lost' }, options);
    if (!isResent) phone.mailbox.clear();
    return id;
  };
}

describe('a message that stays undecryptable', { timeout: 60_000 }, () => {
  it.each(['pn', 'lid'] as const)('comes from the own phone, once, as the message that it is (%s)', async (form) => {
    const world = await linked();
    const id = await garbleNext(world)({ addressing: form });
    const { body } = await arrives(world, id);
    const account = world.sandbox.world.account(ada);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: pnJid(account), remoteJidAlt: lidJid(account), fromMe: false, id },
      pushName: account.name,
      message: { conversation: 'lost' },
      messageType: 'conversation',
    });
    await settled(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
    const found = await world.api('POST', '/chat/findMessages/shop', { where: { key: { id } } });
    expect([found.body].flat()).toMatchObject([{ message: { conversation: 'lost' } }]);
  });

  it('comes from the own phone also when the gateway stores no messages', async () => {
    const world = await linked({ DATABASE_SAVE_DATA_NEW_MESSAGE: 'false' });
    const id = await garbleNext(world)();
    const { body } = await arrives(world, id);
    expect(at(body, 'data')).toMatchObject({
      pushName: world.sandbox.world.account(ada).name,
      message: { conversation: 'lost' },
    });
    await settled(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });

  it('comes when the phone is reachable again, also after a restart', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(mine);
    phone.setReachable(false);
    const id = await garbleNext(world)();
    await arrives(world, id, 'messages.undecryptable');
    await phone.waitFor(() => phone.openRequests.length > 0);
    await world.restart();
    phone.setReachable(true);
    await arrives(world, id);
    await settled(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });

  it('comes in a group with its author', async () => {
    const world = await linked();
    const { phones } = world.sandbox;
    const group = phones.phone(ada).createGroup('Family', [mine, bob]);
    const garbled = { type: 'msg', ciphertext: Buffer.alloc(60, 0x33) } as const;
    // Without the sender key, the message cannot be decrypted.
    vi.spyOn(phones.phone(ada).signal, 'encrypt').mockResolvedValueOnce(garbled);
    const id = await phones.phone(ada).send(group.id, { text: 'lost' });
    phones.phone(ada).mailbox.clear();
    const { body } = await arrives(world, id);
    const account = world.sandbox.world.account(ada);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: group.id, fromMe: false, id },
      message: { conversation: 'lost' },
    });
    const participants = [at(body, 'data.key.participant'), at(body, 'data.key.participantAlt')];
    expect(participants.sort()).toEqual([lidJid(account), pnJid(account)].sort());
    await settled(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });

  it('is not asked for when the sender has sent it again', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(mine);
    phone.setReachable(false);
    const id = await garbleNext(world, true)();
    await arrives(world, id);
    // Requests are sent one after the other.
    const other = await garbleNext(world)();
    await phone.waitFor(() => requestedIds(phone).includes(other));
    expect(requestedIds(phone)).toEqual([other]);
    phone.setReachable(true);
    await arrives(world, other);
    expect(eventsOf(world, id).filter((event) => event === 'messages.upsert')).toHaveLength(1);
  });
});

describe('a message that WhatsApp holds back from linked devices', { timeout: 60_000 }, () => {
  it('comes from the own phone, once', async () => {
    const world = await linked();
    const { phones, inject } = world.sandbox;
    const account = world.sandbox.world.account(ada);
    const id = 'UNAVAILABLE1';
    const content = { conversation: 'from an advertisement' };
    phones.phone(mine).store({ id, chat: ada, from: ada, addressing: 'pn', content });
    const attrs = { id, from: pnJid(account), sender_lid: lidJid(account), type: 'text', notify: 'Ada', t: now() };
    const stanza = { tag: 'message', attrs, content: [{ tag: 'unavailable', attrs: {} }] };
    inject(mine, 'stanza', Buffer.from(encodeBinaryNode(stanza)));
    const { body } = await arrives(world, id);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: pnJid(account), remoteJidAlt: lidJid(account), id },
      pushName: 'Ada',
      message: content,
    });
    await settled(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });
});

const requestedIds = ({ openRequests }: Phone) =>
  openRequests
    .flatMap(({ protocolMessage }) => protocolMessage?.peerDataOperationRequestMessage ?? [])
    .flatMap(({ placeholderMessageResendRequest }) => placeholderMessageResendRequest ?? [])
    .map(({ messageKey }) => messageKey?.id);

const now = () => String(Math.floor(Date.now() / 1000));
