// The client's and the instance's connections: lost, closed by the server with each code, replaced, restarted and unlinked.
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { InteropClient, textOf } from './support/client.ts';
import { control, scan, sendAs } from './support/phones.ts';
import { linkClient, useStage } from './support/stage.ts';

const stage = useStage();

const close = (number: string, code: number) =>
  control(stage.platform, 'POST', '/faults', { kind: 'close', number, code });

/** A text in both directions. */
async function expectTalk(): Promise<void> {
  const { client } = stage;
  await stage.fromClient({ conversation: 'still there?' });
  const answer = await stage.fromShop('sendText', { text: 'yes' });
  expect(textOf(answer)).toBe('yes');
  expect(client.engine.isConnected()).toBe(true);
}

/** Acts, then waits until the client is connected again. */
async function reconnected(act: () => unknown): Promise<void> {
  const after = stage.client.events.length;
  await act();
  await stage.client.event('connected', () => true, after);
}

describe('the client comes back', () => {
  it.each([503, 515, 428, 500])('after the server closed with %d', async (code) => {
    await reconnected(() => close(stage.ada.number, code));
    await expectTalk();
  });

  it('after the network was lost', async () => {
    await reconnected(() => stage.client.transport.drop());
    await expectTalk();
  });

  it('from its store, with what arrived meanwhile, in order', async () => {
    await stage.client.stop();
    const sent: string[] = [];
    for (let n = 1; n <= 20; n++) {
      const body = { number: stage.ada.number, text: `offline ${n}` };
      if (n % 2 === 0) sent.push(textAt(await stage.call('POST', '/message/sendText/shop', body), 'key.id'));
      else sent.push(await sendAs(stage.platform, stage.shop, stage.ada.number, { text: `offline ${n}` }));
    }
    stage.client = await InteropClient.start(stage.platform, stage.client.store);
    const { client } = stage;
    await client.message(sent.at(-1) ?? '');
    expect(client.messages.map(({ info }) => info.id).filter((id) => sent.includes(id))).toEqual(sent);
    expect(client.messages.every(({ info }) => info.isOffline)).toBe(true);
    expect(client.events.some(({ type }) => type === 'qr')).toBe(false);
    await expectTalk();
  });
});

describe('the instance comes back', () => {
  it.each([503, 515, 428])('after the server closed with %d', async (code) => {
    const after = stage.log.lines.length;
    await close(stage.shop.number, code);
    await stage.reopened(after);
    await expectTalk();
  });

  it('when its owner restarts it, after another connection replaced it', async () => {
    await close(stage.shop.number, 440);
    await stage.webhook('connection.update', (body) => at(body, 'data.statusReason') === 440);
    const after = stage.log.lines.length;
    await stage.call('POST', '/instance/restart/shop');
    await stage.reopened(after);
    await expectTalk();
  });

  it('after a restart, with what the client sent meanwhile, in order', async () => {
    const after = stage.log.lines.length;
    const sent = [await stage.client.send(stage.shop.jid, { conversation: 'before' })];
    await stage.call('POST', '/instance/restart/shop');
    for (let n = 1; n <= 10; n++)
      sent.push(await stage.client.send(stage.shop.jid, { conversation: `meanwhile ${n}` }));
    await stage.reopened(after);
    for (const id of sent) await stage.message(id);
    const upserts = stage.receiver.posts.flatMap(({ body }) =>
      at(body, 'event') === 'messages.upsert' ? [textAt(body, 'data.key.id')] : [],
    );
    expect(upserts.filter((id) => sent.includes(id))).toEqual(sent);
  });
});

describe('a login with the same credentials', () => {
  it('replaces the client that is connected', async () => {
    const first = stage.client;
    stage.client = await InteropClient.start(stage.platform, first.store);
    await Promise.all([stage.client.event('connected'), first.event('stream_replaced')]);
    await expectTalk();
    await first.stop();
  });
});

describe('a device that is unlinked', () => {
  const devices = async (number: string) => {
    const phone = await control(stage.platform, 'GET', `/phones/${number}`);
    return [at(phone, 'devices')].flat().length;
  };

  it('by the phone: the client reports it, and the others go on', async () => {
    const guest = await linkClient(stage.platform, stage.ada);
    expect(await devices(stage.ada.number)).toBe(2);
    await control(stage.platform, 'POST', `/phones/${stage.ada.number}/unlink`, { device: 2 });
    await guest.event('logged_out');
    await guest.stop();
    await expectTalk();
  });

  it('by the client itself: the phone no longer shows it', async () => {
    const guest = await linkClient(stage.platform, stage.ada);
    await stage.fromShop('sendText', { text: 'to both devices' });
    await guest.engine.logout();
    expect(await devices(stage.ada.number)).toBe(1);
    await guest.stop();
    await expectTalk();
  });

  it('by the instance: its phone no longer shows it, and it works again after a new link', async () => {
    await stage.call('DELETE', '/instance/logout/shop');
    await stage.webhook('logout.instance');
    expect(await devices(stage.shop.number)).toBe(0);
    const missed = await stage.client.send(stage.shop.jid, { conversation: 'are you there?' });
    await stage.client.event('receipt', ({ message_ids }) => message_ids.includes(missed));
    const after = stage.log.lines.length;
    const shown = await stage.call('GET', '/instance/connect/shop');
    await scan(stage.platform, stage.shop, textAt(shown, 'code'));
    await stage.reopened(after);
    await stage.webhook('messages.set', (body) => JSON.stringify(body).includes(missed));
    await expectTalk();
  });

  it('by the phone of the instance: the webhook gets it, and the client still reaches the phone', async () => {
    const after = stage.receiver.posts.length;
    await control(stage.platform, 'POST', `/phones/${stage.shop.number}/unlink`, {});
    await stage.webhook('connection.update', (body) => at(body, 'data.state') === 'close', after);
    const id = await stage.client.send(stage.shop.jid, { conversation: 'who is there?' });
    await stage.client.event('receipt', ({ message_ids }) => message_ids.includes(id));
    const kept = await control(stage.platform, 'GET', `/phones/${stage.shop.number}/messages`);
    expect(JSON.stringify(kept)).toContain(id);
  });
});
