// Requests for messages (retry receipts): which of them the gateway answers.
import { getBinaryNodeChild } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRetryRequest } from '../../packages/sandbox/src/phone/retry.ts';
import type { ClientStanza } from '../../packages/sandbox/src/sandbox.ts';
import { deliverReceipt } from '../../packages/sandbox/src/world/delivery.ts';
import { lidJid, pnJid } from '../../packages/sandbox/src/world/world.ts';
import { RealClient } from '../../packages/sandbox/test/real-client.ts';
import { textAt } from '../support/api.ts';
import type { World } from '../support/gateway.ts';
import { adasGroup, bob, linked, mine } from '../support/group.ts';
import { waitFor } from '../support/wait-for.ts';

async function sendText(world: World, number: string, text: string): Promise<string> {
  const sent = await world.api('POST', '/message/sendText/sales', { number, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return textAt(sent.body, 'key.id');
}

describe('a request for a message that the gateway did not send', () => {
  it('is acknowledged, and costs neither a query nor a new sender key', async () => {
    const stanzas: ClientStanza['node'][] = [];
    const world = await linked({ sandbox: { tlsPort: false, onStanza: ({ node }) => stanzas.push(node) } });
    const { sandbox } = world;
    const group = adasGroup(world);
    await sendText(world, group.id, 'one');
    const [companion] = sandbox.world.account(mine).companions.values();
    if (!companion) throw new Error('nothing is linked');
    const phone = sandbox.phones.phone(bob);
    const ask = (id: string, address: { from: string; participant?: string }) => {
      const content = createRetryRequest(sandbox.world, { id, count: 1, phone });
      deliverReceipt(sandbox.world, companion, { ...address, ids: [id], type: 'retry', ...(content && { content }) });
    };
    const before = stanzas.length;
    ask('3EB0000000000000000001', { from: group.id, participant: lidJid(phone.account) });
    ask('3EB0000000000000000002', { from: pnJid(phone.account) });
    await waitFor(() => expect(companion.queue).toEqual([]));

    await sendText(world, group.id, 'two');
    const sent = stanzas.slice(before);
    expect(sent.filter(({ attrs }) => attrs.xmlns === 'encrypt')).toEqual([]);
    const messages = sent.filter(({ tag }) => tag === 'message');
    expect(messages.map((message) => getBinaryNodeChild(message, 'participants'))).toEqual([undefined]);
  });
});

describe('a message of a gateway that stores no messages', () => {
  it('is sent again and decrypts', async () => {
    const world = await linked({ env: { DATABASE_SAVE_DATA_NEW_MESSAGE: 'false' } });
    const phone = world.sandbox.phones.phone(bob);
    vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const id = await sendText(world, bob, 'once more');
    const shown = await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(shown).toMatchObject({ text: 'once more', fromMe: false });
  });

  it('is sent again to a linked device of its recipient', async () => {
    const world = await linked({ env: { DATABASE_SAVE_DATA_NEW_MESSAGE: 'false' } });
    const { sandbox } = world;
    const device = new RealClient(sandbox, { creds: sandbox.provision(bob), keys: new Map() });
    onTestFinished(() => void device.sock.end(undefined));
    await device.open();
    await device.message(await sendText(world, bob, 'one'));
    const { keys } = device.identity;
    for (const name of [...keys.keys()]) if (name.startsWith('session|')) keys.delete(name);
    const { message } = await device.message(await sendText(world, bob, 'two'));
    expect(textAt(message, 'message.extendedTextMessage.text')).toBe('two');
  });
});
