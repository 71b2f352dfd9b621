import { describe, expect, it } from 'vitest';
import { at, createApi, textAt } from '../support/api.ts';
import { isEvent, isState, startWorld } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const mine = '15550007101';
const ada = '15550007102';

const settings = {
  ...{ rejectCall: false, msgCall: '', groupsIgnore: false, alwaysOnline: false },
  ...{ readMessages: false, readStatus: false, syncFullHistory: false, readChannels: false },
};
const snakeSettings = {
  ...{ reject_call: false, msg_call: '', groups_ignore: false, always_online: false },
  ...{ read_messages: false, read_status: false, sync_full_history: false, read_channels: false },
};

describe('settings of an instance', () => {
  it('settings of an open instance take effect at once, in both spellings, and survive a restart', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const { sandbox, receiver } = world;
    const { calls, phone } = sandbox.phones;
    const set = (body: object) => world.api('POST', '/settings/set/shop', body);
    expect(await world.api('GET', '/settings/find/shop')).toMatchObject({
      status: 200,
      body: { ...settings, ...snakeSettings },
    });

    // By default, the instance marks no message as read and rejects no call.
    const firstMessage = await phone(ada).send(mine, { text: 'before' });
    await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === firstMessage);
    const ignoredCall = calls.ring(ada, mine);
    await receiver.next(({ body }) => isEvent(body, 'call') && at(body, 'data.id') === ignoredCall.id);

    const first = await set({ read_messages: true, reject_call: 'true', msg_call: 'Please write' });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      settings: {
        instanceName: 'shop',
        settings: {
          ...{ ...settings, readMessages: true, rejectCall: true, msgCall: 'Please write' },
          ...{ ...snakeSettings, read_messages: true, reject_call: true, msg_call: 'Please write' },
        },
      },
    });
    const secondMessage = await phone(ada).send(mine, { text: 'after' });
    const types = (id: string) =>
      phone(ada)
        .messages()
        .find((sent) => sent.id === id)
        ?.receipts.map(({ type }) => type);
    await phone(ada).waitFor(() => types(secondMessage)?.includes('read'));
    expect(types(firstMessage)).not.toContain('read');
    const read = await receiver.next(({ body }) => isEvent(body, 'chats.update'));
    expect(at(read.body, 'data')).toMatchObject([{ unreadMessages: 0 }]);
    expect((await world.api('GET', '/chat/findChats/shop')).body).toMatchObject([{ unreadCount: 0 }]);
    const { id } = calls.ring(ada, mine);
    await calls.waitFor(() => calls.all.find((call) => call.id === id)?.state === 'rejected');
    const autoReply = await phone(ada).waitFor(() =>
      phone(ada)
        .messages()
        .find(({ text }) => text === 'Please write'),
    );
    expect(autoReply.from).toBe(mine);
    expect(calls.all.find((call) => call.id === ignoredCall.id)?.state).toBe('ringing');

    // The group message is not posted, and the direct message behind it is.
    await set({ groupsIgnore: true, msgCall: null, readMessages: false });
    const group = phone(ada).createGroup('Ours', [mine]);
    await phone(ada).send(group.id, { text: 'to the group' });
    await phone(ada).send(mine, { text: 'to you' });
    await receiver.next(
      ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === 'to you',
    );
    const texts = receiver.posts
      .filter(({ body }) => isEvent(body, 'messages.upsert'))
      .map(({ body }) => at(body, 'data.message'));
    expect(JSON.stringify(texts)).not.toContain('to the group');

    const account = sandbox.world.account(mine);
    const waitForPresence = (presence: string) => waitFor(() => expect(account.presence).toBe(presence));
    for (const alwaysOnline of [true, false, true]) {
      await set({ settings: { alwaysOnline } });
      await waitForPresence(alwaysOnline ? 'available' : 'unavailable');
    }
    for (const presence of ['unavailable', 'available', 'unavailable']) {
      const answer = await world.api('POST', '/instance/setPresence/shop', { presence });
      expect(answer).toMatchObject({ status: 201, body: { presence } });
      await waitForPresence(presence);
    }
    const typing = await world.api('POST', '/instance/setPresence/shop', { presence: 'composing' });
    expect(typing).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });

    await world.restart();
    await waitForPresence('available');
    const found = await world.api('GET', '/settings/find/shop');
    expect(found.body).toMatchObject({
      rejectCall: true,
      msgCall: 'Please write',
      groupsIgnore: true,
      alwaysOnline: true,
    });
    const [record] = (await world.api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(at(record, 'Setting.groupsIgnore')).toBe(true);
  });

  it('alwaysOnline shows a new link as online as soon as the account has a name', async () => {
    const world = await startWorld();
    const { sandbox, api, receiver } = world;
    const account = sandbox.world.account(mine);
    // A business account has a name at once. A private account receives its name after the login.
    account.name = '';
    const create = { instanceName: 'shop', qrcode: true, alwaysOnline: true, webhook: receiver.url };
    const created = await api('POST', '/instance/create', create);
    await sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
    await receiver.next(({ body }) => isState(body, 'shop', 'open'));
    expect(account.presence).toBe('unavailable');
    await sandbox.phones.phoneAppState.change(account, { pushNameSetting: 'Shop' });
    await waitFor(() => expect(account.presence).toBe('available'));
  });

  it('a closed instance accepts settings and names wrong ones, and unsupported operations answer a fixed result', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'shop', token: 'key-of-the-shop-1' });
    const set = (body: unknown) => world.api('POST', '/settings/set/shop', body);
    expect((await set({ alwaysOnline: true })).status).toBe(201);
    const wrong = await set({ reject_call: 'perhaps' });
    expect(wrong).toMatchObject({
      status: 400,
      body: { response: { message: [['reject_call is not of a type(s) boolean']] } },
    });
    expect(await set({})).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(await world.api('POST', '/instance/setPresence/shop', { presence: 'available' })).toMatchObject({
      status: 400,
      body: { code: 'INSTANCE_NOT_OPEN' },
    });

    const valid = { status: 200, body: { status: 200, message: 'Credentials are valid' } };
    expect(await world.api('POST', '/verify-creds')).toMatchObject(valid);
    const withOwnKey = createApi(world.api.url, 'key-of-the-shop-1');
    expect(await withOwnKey('POST', '/verify-creds')).toMatchObject(valid);
    expect(await createApi(world.api.url, 'wrong')('POST', '/verify-creds')).toMatchObject({ status: 401 });

    const call = await world.api('POST', '/call/offer/shop', { number: ada, isVideo: 'true', callDuration: '3' });
    expect(call).toMatchObject({ status: 501, body: { code: 'NOT_IMPLEMENTED', certain: true } });
    world.expectErrors(/^request.failed$/);
    expect(await world.api('POST', '/call/offer/shop', { callDuration: 3 })).toMatchObject({ status: 400 });

    for (const name of ['websocket', 'rabbitmq', 'sqs', 'nats', 'kafka', 'pusher']) {
      const request = { enabled: true, events: ['MESSAGES_UPSERT'] };
      for (const body of [request, { [name]: request }]) {
        const answer = await world.api('POST', `/${name}/set/shop`, body);
        const off = { enabled: false, events: [] };
        const message = expect.stringContaining(name);
        expect(answer.status).toBe(201);
        expect(answer.body).toEqual({ ...off, message, [name]: { instanceName: 'shop', [name]: off } });
        expect(await world.api('GET', `/${name}/find/shop`)).toMatchObject({ status: 200, body: off });
      }
    }
  });
});
