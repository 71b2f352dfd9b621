import { describe, expect, it } from 'vitest';
import type { DomainEvent, Message } from '../../src/events.ts';
import { createIngest } from '../../src/instances/ingest.ts';
import type { NewEvent, Recording } from '../../src/storage/storage.ts';

const message: Message = {
  key: { remoteJid: '49@s.whatsapp.net', fromMe: false, id: 'A1' },
  message: { conversation: 'hello' },
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'android',
};

function setup({ subscribed = true, queued = true } = {}) {
  const recorded: Recording[] = [];
  const woken: string[] = [];
  const posts = (event: DomainEvent): NewEvent[] => [
    { id: `evt_${event.type}`, type: event.type, lane: '', body: '{}', webhooks: ['w'] },
  ];
  const ingest = createIngest({
    messages: {
      record: async (_instance, batch) => {
        recorded.push(batch);
        return queued;
      },
      get: async () => null,
      statuses: async () => [],
    },
    publish: (_id, event) => (subscribed ? posts(event) : []),
    wake: (id) => woken.push(id),
  });
  return { ingest, recorded, woken };
}

describe('createIngest', () => {
  it('stores a batch in one go, each thing with its own posts, and wakes the delivery', async () => {
    const { ingest, recorded, woken } = setup();
    const key = message.key;
    await ingest('i', [
      { type: 'messages.upsert', message },
      { type: 'messages.update', key, status: 'ERROR', at: 5, code: '463', reason: 'restricted' },
      { type: 'contacts.upsert', contacts: [{ jid: '49@s.whatsapp.net', pushName: 'Ann' }] },
      { type: 'logout.instance' },
    ]);
    expect(recorded).toMatchObject([
      {
        messages: [{ message, events: [{ type: 'messages.upsert' }] }],
        statuses: [
          {
            change: { key, status: 'ERROR', at: 5, code: '463', reason: 'restricted' },
            events: [{ type: 'messages.update' }],
          },
        ],
        contacts: [{ jid: '49@s.whatsapp.net', pushName: 'Ann' }],
        events: [{ type: 'contacts.upsert' }, { type: 'logout.instance' }],
      },
    ]);
    expect(woken).toEqual(['i']);
  });

  it('stores a sent message as pending', async () => {
    const { ingest, recorded } = setup();
    await ingest('i', [{ type: 'send.message', message }]);
    expect(recorded[0]?.messages[0]?.message.status).toBe('PENDING');
  });

  it('keeps messages although nobody subscribed, and wakes nobody', async () => {
    const { ingest, recorded, woken } = setup({ subscribed: false, queued: false });
    await ingest('i', [{ type: 'messages.upsert', message }]);
    expect(recorded[0]?.messages).toEqual([{ message, events: [] }]);
    expect(woken).toEqual([]);
  });

  it('does not touch the store when there is nothing to keep and nobody to tell', async () => {
    const { ingest, recorded } = setup({ subscribed: false });
    await ingest('i', [{ type: 'presence.update', id: 'c', presences: {} }]);
    await ingest('i', []);
    expect(recorded).toEqual([]);
  });
});
