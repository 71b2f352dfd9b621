// Messages, and the statuses, contacts, votes, edits, stars and events that are stored together with them.
import { expect, it } from 'vitest';
import type { MessageStatus } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { CHAT, change, event, key, message, queuedFor, toEventBatch } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const queuedEventIds = async (storage: Storage): Promise<string[]> => {
  const found = [];
  for (const { webhookId, lane } of await storage.outbox.listWaitingLanes()) {
    found.push(...(await storage.outbox.listPending(webhookId, lane, 0, 100_000)));
  }
  return found.sort((a, b) => a.seq - b.seq).map((one) => one.eventId);
};

export function messageTests(open: OpenFixture): void {
  it('messages.get() returns a message exactly as it was stored, also with NUL and lone surrogates', async () => {
    const fixture = await open();
    const { storage } = fixture;
    const conversation = 'Zoë 🙂 \u0000 \u001b0 \ud800 "quoted" \\u0000';
    const oddMessage = message('odd\u0000id', {
      pushName: 'N\u0000',
      message: { conversation },
      messageType: 'conversation',
    });
    await storage.messages.record(
      'a',
      toEventBatch({
        messages: [
          {
            message: oddMessage,
            events: [event('odd\u0000\u001bid', { body: JSON.stringify(oddMessage), lane: 'l\u0000' })],
          },
        ],
        contacts: [{ jid: 'c\u0000', pushName: '\u0000' }],
      }),
    );
    for await (const store of beforeAndAfterRestart(fixture)) {
      expect(await store.messages.get('a', 'odd\u0000id')).toEqual(oddMessage);
      expect(await store.messages.get('a', 'oddid')).toBeNull();
      expect(await queuedEventIds(store)).toEqual(['odd\u0000\u001bid']);
    }
  });

  it('messages.record() stores a redelivered message once and drops the events of the second delivery', async () => {
    const { storage } = await open();
    const first = toEventBatch({ messages: [{ message: message('m'), events: [event('e')] }] });
    expect(await storage.messages.record('a', first)).toEqual({ queued: queuedFor('hook'), events: [event('e')] });
    const redelivered = message('m', { message: { conversation: 'changed' } });
    const second = toEventBatch({ messages: [{ message: redelivered, events: [event('other')] }] });
    expect(await storage.messages.record('a', second)).toEqual({ queued: new Map(), events: [] });
    const duplicate = { message: message('n'), events: [event('n')] };
    await storage.messages.record(
      'a',
      toEventBatch({ messages: [duplicate, { ...duplicate, events: [event('dropped')] }] }),
    );
    expect(await storage.messages.get('a', 'm')).toEqual(message('m'));
    expect(await queuedEventIds(storage)).toEqual(['e', 'n']);
  });

  it('messages.get() distinguishes two chats with the same message id, and returns the newest message without a chat', async () => {
    const { storage } = await open();
    const other = message('m', { key: key('m', { remoteJid: 'group@g.us' }), messageTimestamp: 1 });
    await storage.messages.record('a', toEventBatch({ messages: [{ message: message('m'), events: [] }] }));
    await storage.messages.record('a', toEventBatch({ messages: [{ message: other, events: [] }] }));
    expect(await storage.messages.get('a', 'm')).toEqual(other);
    expect(await storage.messages.get('a', 'm', CHAT)).toEqual(message('m'));
    expect(await storage.messages.get('a', 'm', 'nowhere@g.us')).toBeNull();
    expect(await storage.messages.get('b', 'm')).toBeNull();
  });

  it('messages.record() stores only rising statuses of a message, and drops the events of all others', async () => {
    const { storage } = await open();
    await storage.messages.record(
      'a',
      toEventBatch({ messages: [{ message: message('m', { status: 'PENDING' }), events: [] }] }),
    );
    const steps: MessageStatus[] = ['PENDING', 'SERVER_ACK', 'ERROR', 'READ', 'DELIVERY_ACK', 'READ', 'PLAYED'];
    for (const [turn, status] of steps.entries()) {
      const statusChange = change('m', status, { at: turn });
      await storage.messages.record(
        'a',
        toEventBatch({ statuses: [{ change: statusChange, events: [event(`${turn}-${status}`)] }] }),
      );
    }
    expect(await queuedEventIds(storage)).toEqual(['1-SERVER_ACK', '3-READ', '6-PLAYED']);
    expect(await storage.messages.statuses('a', 'm')).toEqual([
      change('m', 'SERVER_ACK', { at: 1 }),
      change('m', 'READ', { at: 3 }),
      change('m', 'PLAYED', { at: 6 }),
    ]);
    expect((await storage.messages.get('a', 'm'))?.status).toBe('PLAYED');
  });

  it('a transient status changes the status of a stored message and is not added to the status history', async () => {
    const { storage } = await open();
    const pending = { message: message('m', { status: 'PENDING' }), events: [] };
    await storage.messages.record('a', toEventBatch({ messages: [pending] }));
    for (const status of ['SERVER_ACK', 'READ', 'DELIVERY_ACK', 'READ'] as const) {
      const statuses = ['m', 'unknown'].map((id) => {
        return { change: change(id, status), events: [event(`${id} ${status}`)], isTransient: true };
      });
      await storage.messages.record('a', toEventBatch({ statuses }));
    }
    expect((await storage.messages.get('a', 'm'))?.status).toBe('READ');
    expect(await storage.messages.findPending('a')).toEqual([]);
    for (const id of ['m', 'unknown']) expect(await storage.messages.statuses('a', id)).toEqual([]);
    const queuedStatuses = ['m SERVER_ACK', 'unknown SERVER_ACK', 'm READ', 'unknown READ', 'unknown DELIVERY_ACK'];
    expect(await queuedEventIds(storage)).toEqual(queuedStatuses);
    const deletion = { change: change('m', 'DELETED'), events: [], isTransient: true };
    await storage.messages.record('a', toEventBatch({ statuses: [deletion] }));
    expect(await storage.messages.get('a', 'm')).toMatchObject({ status: 'DELETED', message: {} });
  });

  it('a pending message ends with ERROR and its reason, and a later delivery receipt still raises its status', async () => {
    const { storage } = await open();
    const failed = change('m', 'ERROR', { code: '463', reason: 'account_restricted \u0000' });
    const statuses = [
      { change: failed, events: [event('failed')] },
      { change: change('m', 'PENDING'), events: [event('late')] },
    ];
    await storage.messages.record(
      'a',
      toEventBatch({ messages: [{ message: message('m', { status: 'PENDING' }), events: [] }], statuses }),
    );
    expect((await storage.messages.get('a', 'm'))?.status).toBe('ERROR');
    expect(await storage.messages.statuses('a', 'm')).toEqual([failed]);
    await storage.messages.record(
      'a',
      toEventBatch({ statuses: [{ change: change('m', 'DELIVERY_ACK'), events: [] }] }),
    );
    expect((await storage.messages.get('a', 'm'))?.status).toBe('DELIVERY_ACK');
    expect(await queuedEventIds(storage)).toEqual(['failed']);
  });

  it('messages.record() keeps the status of an unknown message and applies it when the message arrives', async () => {
    const { storage } = await open();
    const record = (status: MessageStatus) =>
      storage.messages.record(
        'a',
        toEventBatch({ statuses: [{ change: change('m', status), events: [event(status)] }] }),
      );
    expect(await record('DELIVERY_ACK')).toMatchObject({ queued: queuedFor('hook') });
    expect(await record('SERVER_ACK')).toMatchObject({ queued: new Map() });
    await storage.messages.record(
      'a',
      toEventBatch({ messages: [{ message: message('m', { status: 'PENDING' }), events: [] }] }),
    );
    expect((await storage.messages.get('a', 'm'))?.status).toBe('DELIVERY_ACK');
    expect(await queuedEventIds(storage)).toEqual(['DELIVERY_ACK']);
  });

  it('messages.record() recognizes the chat of a status by phone number or by LID', async () => {
    const { storage } = await open();
    await storage.messages.record(
      'a',
      toEventBatch({ messages: [{ message: message('m', { status: 'PENDING' }), events: [] }] }),
    );
    const byLid = change('m', 'READ', { key: key('m', { remoteJid: '7@lid', remoteJidAlt: CHAT }) });
    await storage.messages.record('a', toEventBatch({ statuses: [{ change: byLid, events: [] }] }));
    expect((await storage.messages.get('a', 'm'))?.status).toBe('READ');
    await storage.messages.record(
      'a',
      toEventBatch({ statuses: [{ change: change('m', 'DELIVERY_ACK'), events: [event('x')] }] }),
    );
    expect(await queuedEventIds(storage)).toEqual([]);
  });

  it('messages.record() drops the events of a status that arrives again under the other address of the chat', async () => {
    const { storage } = await open();
    const sent = { message: message('m', { key: key('m', { remoteJidAlt: '7@lid' }) }), events: [] };
    await storage.messages.record('a', toEventBatch({ messages: [sent] }));
    for (const remoteJid of ['7@lid', CHAT]) {
      const read = change('m', 'READ', { key: key('m', { remoteJid }) });
      await storage.messages.record('a', toEventBatch({ statuses: [{ change: read, events: [event(remoteJid)] }] }));
    }
    expect(await queuedEventIds(storage)).toEqual(['7@lid']);
  });

  it('messages.record() returns queued lanes only for a new event that has a webhook', async () => {
    const { storage } = await open();
    expect(await storage.messages.record('a', toEventBatch({}))).toMatchObject({ queued: new Map() });
    expect(
      await storage.messages.record('a', toEventBatch({ events: [event('silent', { webhookIds: [] })] })),
    ).toMatchObject({ queued: new Map(), events: [{ id: 'silent' }] });
    expect(await storage.messages.record('a', toEventBatch({ events: [event('loud')] }))).toMatchObject({
      queued: queuedFor('hook'),
    });
    expect(await storage.messages.record('a', toEventBatch({ events: [event('loud')] }))).toMatchObject({
      queued: new Map(),
    });
  });

  it('messages.record() stores nothing of a batch that fails partway', async () => {
    const { storage, rejectValue } = await open();
    await rejectValue('event', 'id', 'poison');
    const batch = toEventBatch({
      messages: [{ message: message('m'), events: [event('ok')] }],
      statuses: [{ change: change('s', 'READ'), events: [] }],
      contacts: [{ jid: 'c' }],
      events: [event('poison')],
    });
    await expect(storage.messages.record('a', batch)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await storage.messages.get('a', 'm')).toBeNull();
    expect(await storage.messages.statuses('a', 's')).toEqual([]);
    expect(await storage.instances.counts('a')).toEqual({ messages: 0, chats: 0, contacts: 0 });
    expect(await storage.messages.record('a', { ...batch, events: [] })).toMatchObject({ queued: queuedFor('hook') });
  });

  it('messages.record() adds new fields to a contact and keeps its stored fields', async () => {
    const { storage, execute } = await open();
    await storage.messages.record(
      'a',
      toEventBatch({
        contacts: [
          { jid: 'c', lid: 'l' },
          { jid: 'c', pushName: 'Ann' },
        ],
      }),
    );
    await storage.messages.record('a', toEventBatch({ contacts: [{ jid: 'c' }, { jid: 'd', pushName: 'Dan' }] }));
    const found = await execute('SELECT jid, lid, push_name FROM contact ORDER BY jid');
    expect(found.map((row) => ({ ...(row as object) }))).toEqual([
      { jid: 'c', lid: 'l', push_name: 'Ann' },
      { jid: 'd', lid: null, push_name: 'Dan' },
    ]);
  });

  it('messages.originsByMessageId() returns the chats and authors of the messages with the given ids', async () => {
    const { storage } = await open();
    const other = message('m', { key: key('m', { remoteJid: 'group@g.us' }) });
    const messages = [message('m'), message('n\u0000'), other].map((one) => ({ message: one, events: [] }));
    await storage.messages.record('a', toEventBatch({ messages }));
    const ids = ['m', 'n\u0000', 'never', ...Array.from({ length: 200 }, (_, n) => `none ${n}`)];
    expect(await storage.messages.originsByMessageId('a', ids)).toEqual(
      new Map([
        ['m', [CHAT, 'group@g.us'].map((chat) => ({ chat, fromMe: true, participant: null }))],
        ['n\u0000', [{ chat: CHAT, fromMe: true, participant: null }]],
      ]),
    );
    expect(await storage.messages.originsByMessageId('b', ids)).toEqual(new Map());
    expect(await storage.messages.originsByMessageId('a', [])).toEqual(new Map());
  });

  it('messages.record() keeps the latest vote of each person with the poll, and no votes of a deleted poll', async () => {
    const fixture = await open();
    const { storage } = fixture;
    const vote = (id: string, voter: string, options: string[], voterAlt?: string) => ({
      key: key('poll'),
      vote: { id, voter, options, at: 1, ...(voterAlt ? { voterAlt } : {}) },
    });
    await storage.messages.record('a', toEventBatch({ messages: [{ message: message('poll'), events: [] }] }));
    await storage.messages.record(
      'a',
      toEventBatch({
        votes: [vote('1', 'b@lid', ['x']), vote('2', 'c@s.whatsapp.net', ['y'])],
        events: [event('e')],
      }),
    );
    await storage.messages.record('a', toEventBatch({ votes: [vote('3', 'b@s.whatsapp.net', ['z'], 'b@lid')] }));
    await storage.messages.record('a', toEventBatch({ votes: [vote('4', 'b@lid', ['w'])] }));
    await storage.messages.record('a', toEventBatch({ votes: [{ ...vote('5', 'd@lid', []), key: key('unknown') }] }));
    for await (const store of beforeAndAfterRestart(fixture)) {
      const { votes } = (await store.messages.get('a', 'poll')) ?? {};
      expect(votes?.map(({ id, options }) => [id, options])).toEqual([
        ['2', ['y']],
        ['4', ['w']],
      ]);
      expect(await queuedEventIds(store)).toEqual(['e']);
    }
    const store = await fixture.reopen();
    await store.messages.record('a', toEventBatch({ statuses: [{ change: change('poll', 'DELETED'), events: [] }] }));
    expect(await store.messages.get('a', 'poll')).not.toHaveProperty('votes');
  });

  it('messages.record() applies only edits by the author of the message, and the latest edit wins', async () => {
    const { storage } = await open();
    const received = key('m', {
      fromMe: false,
      remoteJid: '1203630@g.us',
      participant: '1@s.whatsapp.net',
      participantAlt: '1@lid',
    });
    await storage.messages.record(
      'a',
      toEventBatch({ messages: [{ message: message('m', { key: received }), events: [] }] }),
    );
    const edit = (text: string, when: number, senderKey: Partial<typeof received> = {}) =>
      storage.messages.record('a', toEventBatch({ edits: [{ key: { ...received, ...senderKey }, text, at: when }] }));
    const text = async () => (await storage.messages.get('a', 'm'))?.message.conversation;
    await edit('forged', 10, { participant: '2@s.whatsapp.net', participantAlt: '2@lid' });
    await edit('forged', 10, { fromMe: true });
    await edit('elsewhere', 10, { remoteJid: CHAT });
    expect(await text()).toBe('text of m');
    await edit('second', 30);
    await edit('first', 20);
    expect(await text()).toBe('second');
    await edit('third', 40, { participant: '1@lid', participantAlt: '1@s.whatsapp.net' });
    expect(await text()).toBe('third');
  });

  it('a message keeps its star until the star is removed', async () => {
    const fixture = await open();
    const { storage } = fixture;
    await storage.messages.record('a', toEventBatch({ messages: [{ message: message('m'), events: [] }] }));
    const star = (starred: boolean, id = 'm') => toEventBatch({ stars: [{ key: key(id), starred }] });
    await storage.messages.record('a', star(true));
    await storage.messages.record('a', star(true, 'unknown'));
    for await (const store of beforeAndAfterRestart(fixture)) {
      expect(await store.messages.get('a', 'm')).toMatchObject({ starred: true });
    }
    const store = await fixture.reopen();
    await store.messages.record('a', star(false));
    expect(await store.messages.get('a', 'm')).not.toHaveProperty('starred');
  });

  it('messages.record() stores a batch of thousands of messages, statuses and events', async () => {
    const { storage } = await open();
    const messages = Array.from({ length: 3000 }, (_, n) => ({ message: message(`m${n}`), events: [event(`e${n}`)] }));
    const statuses = Array.from({ length: 3000 }, (_, n) => ({ change: change(`m${n}`, 'READ'), events: [] }));
    await storage.messages.record('a', toEventBatch({ messages, statuses }));
    expect(await storage.instances.counts('a')).toMatchObject({ messages: 3000 });
    expect((await storage.messages.get('a', 'm2999'))?.status).toBe('READ');
    expect(await queuedEventIds(storage)).toEqual(messages.map((_, n) => `e${n}`));
  });
}
