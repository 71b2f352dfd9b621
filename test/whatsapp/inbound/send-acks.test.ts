import type { Logger } from 'pino';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/events/events.ts';
import { SendAcks } from '../../../src/whatsapp/inbound/send-acks.ts';
import { PendingMessages } from '../../../src/whatsapp/outbound/pending-messages.ts';
import { readableLog, silent } from '../../support/session-fakes.ts';

const chat = '4915112345678@s.whatsapp.net';
const key = { remoteJid: chat, fromMe: true, id: 'A1' };
const ack = (error?: string) => ({ class: 'message', id: 'A1', from: chat, ...(error ? { error } : {}) });

/** Creates a SendAcks with one sent message. `isSent` is the result of the retry of this message. */
function createAcks(isRestricted: boolean | undefined, isSent: boolean, log: Logger = silent) {
  const calls: string[] = [];
  const checks = { count: 0 };
  const events: DomainEvent[] = [];
  const pendingMessages = new PendingMessages(60_000, () => undefined);
  pendingMessages.add(key, Promise.resolve(true), {
    send: async () => {
      calls.push('send');
      return isSent;
    },
    onAck: (isAccepted) => void calls.push(`ack ${isAccepted}`),
    reportRestricted: () => void calls.push('restricted'),
  });
  const acks = new SendAcks({
    pendingMessages,
    restrictions: {
      async isRestricted() {
        checks.count += 1;
        return isRestricted;
      },
    },
    devices: { evict: () => undefined },
    groups: { delete: (jid) => void calls.push(`forget ${jid}`) },
    log,
    ended: new AbortController().signal,
    lookupJids: async () => ({ me: undefined, lidPairs: new Map() }),
    publish: (published) => void events.push(...published),
    enqueue: (task) => void task(),
  });
  const statuses = () => events.flatMap((event) => (event.type === 'messages.update' ? [event.status] : []));
  return { acks, calls, checks, statuses, pendingMessages };
}

describe('SendAcks', () => {
  it.each([
    ['sends the message again and waits for its ack', false, true, ['send'], []],
    ['publishes the refusal when the message was not sent again', false, false, ['send'], ['ERROR']],
    ['publishes the refusal of a restricted account', true, true, ['restricted'], ['ERROR']],
    ['publishes the refusal when the restriction is unknown', undefined, true, ['restricted'], ['ERROR']],
  ])('SendAcks, after error 463, %s', async (_, isRestricted, isSent, calls, published) => {
    const { acks, statuses, calls: actualCalls, pendingMessages } = createAcks(isRestricted, isSent);
    acks.handle(ack('463'));
    // A repeated refusal during the check has no effect.
    acks.handle(ack('463'));
    await acks.whenChecksDone();
    expect([actualCalls, statuses()]).toEqual([calls, published]);
    expect(await pendingMessages.stopAndListUnconfirmed()).toEqual(published.length > 0 ? [] : [key]);
  });

  it('SendAcks logs the refusal of a stanza of a status after another stanza was accepted', () => {
    const { log, lines } = readableLog('warn');
    const { acks } = createAcks(false, true, log);
    acks.handle({ ...ack(), from: 'status@broadcast' });
    acks.handle({ ...ack('479'), from: 'status@broadcast' });
    expect(lines).toMatchObject([{ msg: 'message.refused', id: 'A1', code: '479' }]);
  });

  it('SendAcks checks the restrictions of the account and publishes the refusal after error 475', async () => {
    const { acks, statuses, calls, checks } = createAcks(true, true);
    acks.handle(ack('475'));
    await acks.whenChecksDone();
    expect([checks.count, calls, statuses()]).toEqual([1, [], ['ERROR']]);
  });

  it('SendAcks removes the cached group and publishes the refusal after error 421', async () => {
    const { acks, statuses, calls } = createAcks(false, true);
    acks.handle({ ...ack('421'), from: '120363000000000001@g.us' });
    await acks.whenChecksDone();
    expect([calls, statuses()]).toEqual([['forget 120363000000000001@g.us'], ['ERROR']]);
  });

  it('SendAcks retries messages of one chat one after another, and messages of other chats at the same time', async () => {
    const { acks, calls, pendingMessages } = createAcks(false, true);
    const blockedSend = Promise.withResolvers<boolean>();
    const otherSent = Promise.withResolvers<void>();
    const add = (id: string, remoteJid: string, send: () => Promise<boolean>) =>
      pendingMessages.add({ remoteJid, fromMe: true, id }, Promise.resolve(true), {
        ...{ onAck: () => undefined, reportRestricted: () => undefined },
        send: () => {
          calls.push(id);
          return send();
        },
      });
    add('A0', chat, () => blockedSend.promise);
    const other = '4915187654321@s.whatsapp.net';
    add('B1', other, async () => {
      otherSent.resolve();
      return true;
    });
    for (const [id, from] of [
      ['A0', chat],
      ['A1', chat],
      ['B1', other],
    ] as const)
      acks.handle({ ...ack('463'), id, from });
    await otherSent.promise;
    expect(calls).toEqual(['A0', 'B1']);
    blockedSend.resolve(true);
    await acks.whenChecksDone();
    expect(calls).toEqual(['A0', 'B1', 'send']);
  });

  it.each([
    ['accepted', undefined, ['send', 'ack true'], ['SERVER_ACK']],
    ['refused again', '463', ['send', 'ack false'], ['ERROR']],
  ])('SendAcks publishes the final status of a message that was sent again and %s', async (_, error, calls, published) => {
    const { acks, statuses, calls: actualCalls } = createAcks(false, true);
    acks.handle(ack('463'));
    await acks.whenChecksDone();
    acks.handle(ack(error));
    await acks.whenChecksDone();
    acks.handle(ack('463'));
    await acks.whenChecksDone();
    expect([actualCalls, statuses()]).toEqual([calls, published]);
  });

  it.each([
    ['is published when the next stanza was not written', 1, ['ERROR']],
    ['is not published while WhatsApp can accept the next stanza', 2, []],
  ])('the refusal of the first stanza of a status %s', async (_, count, published) => {
    const { acks, statuses, pendingMessages } = createAcks(false, true);
    const stanzaCount = Promise.withResolvers<number>();
    pendingMessages.add(key, Promise.resolve(true), undefined, stanzaCount.promise);
    acks.handle(ack('479'));
    expect(statuses()).toEqual([]);
    stanzaCount.resolve(count);
    await pendingMessages.writingOf(key.id);
    expect(await pendingMessages.stopAndListUnconfirmed()).toEqual(published.length > 0 ? [] : [key]);
    expect(statuses()).toEqual(published);
  });
});
