// The recipient of a message could not decrypt it and asks for it again: what it gets comes from the store.
import { describe, expect, it, vi } from 'vitest';
import { createRetryRequest } from '../../packages/sandbox/src/phone/retry.ts';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World, type WorldOptions } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const mine = '15550005001';
const theirs = '15550005002';

async function linked(options?: WorldOptions): Promise<World> {
  const world = await startWorld(options);
  await world.link('sales', mine);
  return world;
}

async function sendText(world: World, text: string): Promise<string> {
  const sent = await world.api('POST', '/message/sendText/sales', { number: theirs, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return textAt(sent.body, 'key.id');
}

describe('a message that another person asks for', () => {
  it('is not sent to them', async () => {
    const world = await linked();
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
    // The request is acknowledged when it was handled.
    await waitFor(() => expect(companion.queue).toEqual([]));
    expect(eve.messages()).toEqual([]);
  });

  it.each([
    'true',
    'false',
  ])('is not sent when they wrote it, with DATABASE_SAVE_DATA_NEW_MESSAGE=%s', async (stores) => {
    const stanzas: ClientStanza[] = [];
    const world = await linked({
      env: { DATABASE_SAVE_DATA_NEW_MESSAGE: stores },
      sandbox: { tlsPort: false, onStanza: (stanza) => stanzas.push(stanza) },
    });
    const { sandbox } = world;
    const eve = sandbox.phones.phone(theirs);
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

describe('a message that the recipient asks for again', () => {
  it('is sent again and decrypts', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    const decrypt = vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const id = await sendText(world, 'once more');
    const shown = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(shown).toMatchObject({ text: 'once more', fromMe: false });
    expect(decrypt).toHaveBeenCalledTimes(2);
  });

  it('is sent again also by a gateway that was restarted meanwhile', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    const asked = Promise.withResolvers<void>();
    const decrypt = vi.spyOn(phone.signal, 'decrypt').mockImplementationOnce(async () => {
      await asked.promise;
      throw new Error('no session');
    });
    const id = await sendText(world, 'from the store');
    await waitFor(() => expect(decrypt).toHaveBeenCalled());
    await world.gateway.stop();
    asked.resolve();
    await world.restart();
    const shown = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(shown).toMatchObject({ text: 'from the store', fromMe: false });
  });

  it('comes with its new text after an edit, and the edit can be asked for as well', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
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
