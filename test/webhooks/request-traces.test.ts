import { expect, it } from 'vitest';
import type { DomainEvent, Message } from '../../src/events/events.ts';
import { RequestTraces } from '../../src/webhooks/request-traces.ts';
import { textMessage } from '../support/dispatcher-world.ts';

const publishedEvents = (id: string) => [{ id, type: 'any', lane: '', body: '', webhookIds: ['w'] }];

it('RequestTraces assigns the events of a deletion to the request that deleted the message, not to the one that sent it', () => {
  const traces = new RequestTraces();
  const message = textMessage('15550002', 'hi');
  const deletion: Message = { ...message, key: { ...message.key, id: 'DELETION' } };
  traces.addMessage(message.key.id, 'req-send');
  traces.addMessage('DELETION', 'req-delete');
  const requestOf = (event: DomainEvent): string | undefined => {
    traces.addEvent(event, publishedEvents(event.type));
    return traces.requestOf(event.type);
  };
  expect(requestOf({ type: 'send.message', message })).toBe('req-send');
  expect(requestOf({ type: 'messages.delete', key: message.key, at: 1, sent: deletion })).toBe('req-delete');
  expect(requestOf({ type: 'chats.update', chats: [], sent: deletion })).toBe('req-delete');
});
