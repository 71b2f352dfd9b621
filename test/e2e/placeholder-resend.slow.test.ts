// Messages that the instance cannot decrypt and requests from the phone of the account.
import { encodeBinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import type { Phone } from '../../packages/sandbox/src/phone/phone.ts';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const mine = '15550006201';
const ada = '15550006202';
const bob = '15550006203';

async function startLinked(env: Record<string, string> = {}): Promise<World> {
  const world = await startWorld({ env });
  await world.link('shop', mine);
  return world;
}

const EVENTS = ['messages.upsert', 'messages.undecryptable', 'messages.set'];

/** The names of the events that were posted for a message, in order. */
const eventsOf = ({ receiver }: World, id: string) =>
  receiver.posts
    .filter(({ body }) => EVENTS.some((event) => isEvent(body, event)) && at(body, 'data.key.id') === id)
    .map(({ body }) => at(body, 'event'));

const waitForEvent = ({ receiver }: World, id: string, event = 'messages.upsert') =>
  receiver.next(({ body }) => isEvent(body, event) && at(body, 'data.key.id') === id);

/** Sends a later message, and resolves when it has arrived. */
async function waitForLaterMessage(world: World): Promise<void> {
  await waitForEvent(world, await world.sandbox.phones.phone(bob).send(mine, { text: 'later' }));
}

/** Makes the next message of Ada's phone undecryptable. The phone cannot send it again unless `isResent`. */
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

describe('undecryptable messages', { timeout: 60_000 }, () => {
  it.each([
    'pn',
    'lid',
  ] as const)('an undecryptable message of a contact addressed by %s arrives once, from the own phone', async (form) => {
    const world = await startLinked();
    const id = await garbleNext(world)({ addressing: form });
    const { body } = await waitForEvent(world, id);
    const account = world.sandbox.world.account(ada);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: pnJid(account), remoteJidAlt: lidJid(account), fromMe: false, id },
      pushName: account.name,
      message: { conversation: 'lost' },
      messageType: 'conversation',
    });
    await waitForLaterMessage(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
    const found = await world.api('POST', '/chat/findMessages/shop', { where: { key: { id } } });
    expect([found.body].flat()).toMatchObject([{ message: { conversation: 'lost' } }]);
  });

  it('an undecryptable message arrives from the own phone also when the gateway stores no messages', async () => {
    const world = await startLinked({ DATABASE_SAVE_DATA_NEW_MESSAGE: 'false' });
    const id = await garbleNext(world)();
    const { body } = await waitForEvent(world, id);
    expect(at(body, 'data')).toMatchObject({
      pushName: world.sandbox.world.account(ada).name,
      message: { conversation: 'lost' },
    });
    await waitForLaterMessage(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });

  it('an undecryptable message arrives when the own phone is reachable again, also after a restart', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(mine);
    phone.setReachable(false);
    const id = await garbleNext(world)();
    await waitForEvent(world, id, 'messages.undecryptable');
    await phone.waitFor(() => phone.openRequests.length > 0);
    await world.restart();
    phone.setReachable(true);
    await waitForEvent(world, id);
    await waitForLaterMessage(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });

  it('an undecryptable group message arrives from the own phone with its author', async () => {
    const world = await startLinked();
    const { phones } = world.sandbox;
    const group = phones.phone(ada).createGroup('Family', [mine, bob]);
    const garbled = { type: 'msg', ciphertext: Buffer.alloc(60, 0x33) } as const;
    // Without the sender key, the message cannot be decrypted.
    vi.spyOn(phones.phone(ada).signal, 'encrypt').mockResolvedValueOnce(garbled);
    const id = await phones.phone(ada).send(group.id, { text: 'lost' });
    phones.phone(ada).mailbox.clear();
    const { body } = await waitForEvent(world, id);
    const account = world.sandbox.world.account(ada);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: group.id, fromMe: false, id },
      message: { conversation: 'lost' },
    });
    const participants = [at(body, 'data.key.participant'), at(body, 'data.key.participantAlt')];
    expect(participants.sort()).toEqual([lidJid(account), pnJid(account)].sort());
    await waitForLaterMessage(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });

  it('a message that its sender has sent again is not requested from the own phone', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(mine);
    phone.setReachable(false);
    const id = await garbleNext(world, true)();
    await waitForEvent(world, id);
    // The gateway sends requests one after the other.
    const other = await garbleNext(world)();
    await phone.waitFor(() => requestedIds(phone).includes(other));
    expect(requestedIds(phone)).toEqual([other]);
    phone.setReachable(true);
    await waitForEvent(world, other);
    expect(eventsOf(world, id).filter((event) => event === 'messages.upsert')).toHaveLength(1);
  });
});

describe('messages that WhatsApp withholds from linked devices', { timeout: 60_000 }, () => {
  it('a message that WhatsApp withholds from linked devices arrives once, from the own phone', async () => {
    const world = await startLinked();
    const { phones, inject } = world.sandbox;
    const account = world.sandbox.world.account(ada);
    const id = 'UNAVAILABLE1';
    const content = { conversation: 'from an advertisement' };
    phones.phone(mine).store({ id, chat: ada, from: ada, addressing: 'pn', content });
    const attrs = { id, from: pnJid(account), sender_lid: lidJid(account), type: 'text', notify: 'Ada', t: now() };
    const stanza = { tag: 'message', attrs, content: [{ tag: 'unavailable', attrs: {} }] };
    inject(mine, 'stanza', Buffer.from(encodeBinaryNode(stanza)));
    const { body } = await waitForEvent(world, id);
    expect(at(body, 'data')).toMatchObject({
      key: { remoteJid: pnJid(account), remoteJidAlt: lidJid(account), id },
      pushName: 'Ada',
      message: content,
    });
    await waitForLaterMessage(world);
    expect(eventsOf(world, id)).toEqual(['messages.undecryptable', 'messages.upsert']);
  });
});

const requestedIds = ({ openRequests }: Phone) =>
  openRequests
    .flatMap(({ protocolMessage }) => protocolMessage?.peerDataOperationRequestMessage ?? [])
    .flatMap(({ placeholderMessageResendRequest }) => placeholderMessageResendRequest ?? [])
    .map(({ messageKey }) => messageKey?.id);

const now = () => String(Math.floor(Date.now() / 1000));
