// Connections of the interop client and of the instance that are lost, closed by the server, replaced, restarted or
// unlinked.
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { InteropClient, textOf } from './support/client.ts';
import { control, scan, sendAs } from './support/phones.ts';
import { linkClient, useStage } from './support/stage.ts';

const stage = useStage();

const close = (number: string, code: number) =>
  control(stage.platform, 'POST', '/faults', { kind: 'close', number, code });

/** Sends a text in both directions and expects that it arrives. */
async function expectTextsInBothDirections(): Promise<void> {
  const { client } = stage;
  await stage.sendFromClient({ conversation: 'still there?' });
  const answer = await stage.sendFromInstance('sendText', { text: 'yes' });
  expect(textOf(answer)).toBe('yes');
  expect(client.engine.isConnected()).toBe(true);
}

/** Calls `act`, then waits until the client is connected again. */
async function waitForReconnect(act: () => unknown): Promise<void> {
  const after = stage.client.events.length;
  await act();
  await stage.client.event('connected', () => true, after);
}

describe('reconnection of the interop client', () => {
  it.each([
    503, 515, 428, 500,
  ])('the interop client reconnects after the server closed its connection with %d', async (code) => {
    await waitForReconnect(() => close(stage.ada.number, code));
    await expectTextsInBothDirections();
  });

  it('the interop client reconnects after the network was lost', async () => {
    await waitForReconnect(() => stage.client.transport.drop());
    await expectTextsInBothDirections();
  });

  it('the interop client logs in with its store and receives the messages that each device sent meanwhile in order', async () => {
    await stage.client.stop();
    const fromPhone: string[] = [];
    const fromInstance: string[] = [];
    for (let n = 1; n <= 20; n += 2) {
      fromPhone.push(await sendAs(stage.platform, stage.shop, stage.ada.number, { text: `offline ${n}` }));
      const body = { number: stage.ada.number, text: `offline ${n + 1}` };
      const id = textAt(await stage.call('POST', '/message/sendText/shop', body), 'key.id');
      fromInstance.push(id);
      // The gateway answers before the server has the message. The client must not be online before the server has it.
      await stage.waitForStatus(id, 'DELIVERY_ACK');
    }
    stage.client = await InteropClient.start(stage.platform, stage.client.store);
    const { client } = stage;
    for (const id of [...fromPhone, ...fromInstance]) await client.message(id);
    // The client decrypts messages of two devices at the same time, so only the order of each device is certain.
    const received = client.messages.map(({ info }) => info.id);
    for (const sent of [fromPhone, fromInstance]) expect(received.filter((id) => sent.includes(id))).toEqual(sent);
    expect(client.messages.every(({ info }) => info.isOffline)).toBe(true);
    expect(client.events.some(({ type }) => type === 'qr')).toBe(false);
    await expectTextsInBothDirections();
  });
});

describe('reconnection of the instance', () => {
  it.each([503, 515, 428])('the instance reconnects after the server closed its connection with %d', async (code) => {
    const after = stage.log.lines.length;
    await close(stage.shop.number, code);
    await stage.waitUntilOpen(after);
    await expectTextsInBothDirections();
  });

  it('POST /instance/restart reconnects an instance that another connection replaced', async () => {
    await close(stage.shop.number, 440);
    await stage.waitForWebhook('connection.update', (body) => at(body, 'data.statusReason') === 440);
    const after = stage.log.lines.length;
    await stage.call('POST', '/instance/restart/shop');
    await stage.waitUntilOpen(after);
    await expectTextsInBothDirections();
  });

  it('an instance receives the messages that were sent during its restart in order', async () => {
    const after = stage.log.lines.length;
    const sent = [await stage.client.send(stage.shop.jid, { conversation: 'before' })];
    await stage.call('POST', '/instance/restart/shop');
    for (let n = 1; n <= 10; n++)
      sent.push(await stage.client.send(stage.shop.jid, { conversation: `meanwhile ${n}` }));
    await stage.waitUntilOpen(after);
    for (const id of sent) await stage.waitForMessage(id);
    const upserts = stage.receiver.posts.flatMap(({ body }) =>
      at(body, 'event') === 'messages.upsert' ? [textAt(body, 'data.key.id')] : [],
    );
    expect(upserts.filter((id) => sent.includes(id))).toEqual(sent);
  });
});

describe('logins with the same credentials', () => {
  it('a second login with the same credentials replaces the connection of the interop client', async () => {
    const first = stage.client;
    stage.client = await InteropClient.start(stage.platform, first.store);
    await Promise.all([stage.client.event('connected'), first.event('stream_replaced')]);
    await expectTextsInBothDirections();
    await first.stop();
  });
});

describe('unlinked devices', () => {
  const countDevices = async (number: string) => {
    const phone = await control(stage.platform, 'GET', `/phones/${number}`);
    return [at(phone, 'devices')].flat().length;
  };

  it('an interop client that its phone unlinks reports it, and the other devices still exchange messages', async () => {
    const guest = await linkClient(stage.platform, stage.ada);
    expect(await countDevices(stage.ada.number)).toBe(2);
    await control(stage.platform, 'POST', `/phones/${stage.ada.number}/unlink`, { device: 2 });
    await guest.event('logged_out');
    await guest.stop();
    await expectTextsInBothDirections();
  });

  it('an interop client that logs out disappears from its phone, and the other devices still exchange messages', async () => {
    const guest = await linkClient(stage.platform, stage.ada);
    await stage.sendFromInstance('sendText', { text: 'to both devices' });
    await guest.engine.logout();
    expect(await countDevices(stage.ada.number)).toBe(1);
    await guest.stop();
    await expectTextsInBothDirections();
  });

  it('an instance that logs out disappears from its phone and works again after a new link', async () => {
    await stage.call('DELETE', '/instance/logout/shop');
    await stage.waitForWebhook('logout.instance');
    expect(await countDevices(stage.shop.number)).toBe(0);
    const missed = await stage.client.send(stage.shop.jid, { conversation: 'are you there?' });
    await stage.client.event('receipt', ({ message_ids }) => message_ids.includes(missed));
    const after = stage.log.lines.length;
    const connectAnswer = await stage.call('GET', '/instance/connect/shop');
    await scan(stage.platform, stage.shop, textAt(connectAnswer, 'code'));
    await stage.waitUntilOpen(after);
    await stage.waitForWebhook('messages.set', (body) => JSON.stringify(body).includes(missed));
    await expectTextsInBothDirections();
  });

  it('the webhook reports that the phone unlinked the instance, and the phone still receives messages', async () => {
    const after = stage.receiver.posts.length;
    await control(stage.platform, 'POST', `/phones/${stage.shop.number}/unlink`, {});
    await stage.waitForWebhook('connection.update', (body) => at(body, 'data.state') === 'close', after);
    const id = await stage.client.send(stage.shop.jid, { conversation: 'who is there?' });
    await stage.client.event('receipt', ({ message_ids }) => message_ids.includes(id));
    const phoneMessages = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/messages`);
    expect(JSON.stringify(phoneMessages)).toContain(id);
  });
});
