// Retry receipts for messages that the recipient could not decrypt. The gateway sends them again from the store.
import { describe, expect, it, vi } from 'vitest';
import { createRetryRequest } from '../../packages/sandbox/src/phone/retry.ts';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World, type WorldOptions } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const mine = '15550005001';
const contact = '15550005002';

async function startLinked(options?: WorldOptions): Promise<World> {
  const world = await startWorld(options);
  await world.link('sales', mine);
  return world;
}

async function sendText(world: World, text: string): Promise<string> {
  const sent = await world.api('POST', '/message/sendText/sales', { number: contact, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return textAt(sent.body, 'key.id');
}

describe('retry receipts of other people', () => {
  it('a message is not sent to another person who sends a retry receipt for it', async () => {
    const world = await startLinked();
    const id = await sendText(world, 'for one person only');
    const { sandbox } = world;
    const eve = sandbox.phones.phone('15550005003');
    const [companion] = sandbox.world.account(mine).companions.values();
    if (!companion) throw new Error('nothing is linked');
    const content = createRetryRequest(sandbox.world, { id, count: 1, phone: eve });
    deliverReceipt(sandbox.world, companion, {
      from: pnJid(eve.account),
      ids: [id],
      type: 'retry',
      ...(content ? { content } : {}),
    });
    // The instance acknowledges the retry receipt after it has handled it.
    await waitFor(() => expect(companion.queue).toEqual([]));
    expect(eve.messages()).toEqual([]);
  });

  it.each([
    'true',
    'false',
  ])('a received message is not sent to its author on a retry receipt, with DATABASE_SAVE_DATA_NEW_MESSAGE=%s', async (stores) => {
    const stanzas: ClientStanza[] = [];
    const world = await startLinked({
      env: { DATABASE_SAVE_DATA_NEW_MESSAGE: stores },
      sandbox: { tlsPort: false, onStanza: (stanza) => stanzas.push(stanza) },
    });
    const { sandbox } = world;
    const eve = sandbox.phones.phone(contact);
    const group = eve.createGroup('Theirs', [mine, '15550005003']);
    const id = await eve.send(group.id, { text: 'by Eve' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
    const [companion] = sandbox.world.account(mine).companions.values();
    if (!companion) throw new Error('nothing is linked');
    const content = createRetryRequest(sandbox.world, { id, count: 1, phone: eve });
    const participant = lidJid(eve.account);
    deliverReceipt(sandbox.world, companion, { from: group.id, participant, ids: [id], type: 'retry', content });
    await waitFor(() => expect(companion.queue).toEqual([]));
    const sentIds = stanzas.flatMap(({ node }) => (node.tag === 'message' ? [node.attrs.id] : []));
    expect(sentIds).not.toContain(id);
  });
});

describe('retry receipts of the recipient', () => {
  it('a message that the recipient could not decrypt is sent again and decrypts', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const decrypt = vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const id = await sendText(world, 'once more');
    const received = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(received).toMatchObject({ text: 'once more', fromMe: false });
    expect(decrypt).toHaveBeenCalledTimes(2);
  });

  it('a message that the recipient could not decrypt is sent again after a restart of the gateway', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const requested = Promise.withResolvers<void>();
    const decrypt = vi.spyOn(phone.signal, 'decrypt').mockImplementationOnce(async () => {
      await requested.promise;
      throw new Error('no session');
    });
    const id = await sendText(world, 'from the store');
    await waitFor(() => expect(decrypt).toHaveBeenCalled());
    await world.gateway.stop();
    requested.resolve();
    await world.restart();
    const received = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(received).toMatchObject({ text: 'from the store', fromMe: false });
  });

  it('an edit that the recipient could not decrypt is sent again', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const id = await sendText(world, 'at nine');
    await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const edited = await world.api('PUT', '/chat/updateMessage/sales', { text: 'at ten', key: { id } });
    expect(edited.status).toBe(200);
    await phone.waitFor(() => phone.messages().some(({ text }) => text === 'at ten'));
    const update = await world.receiver.next(
      ({ body }) => isEvent(body, 'messages.update') && at(body, 'data.keyId') === at(edited.body, 'key.id'),
    );
    expect(at(update.body, 'data.status')).toBe('SERVER_ACK');
  });
});
