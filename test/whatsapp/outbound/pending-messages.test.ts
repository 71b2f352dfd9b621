import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PendingMessages } from '../../../src/whatsapp/outbound/pending-messages.ts';

const key = (id: string) => ({ remoteJid: '4915112345678@s.whatsapp.net', fromMe: true, id });

describe('PendingMessages', () => {
  it('PendingMessages acknowledges each pending message once and no other message', () => {
    const pendingMessages = new PendingMessages(60_000, () => undefined);
    pendingMessages.add(key('A1'), Promise.resolve(true));
    expect([
      pendingMessages.acknowledge('A1'),
      pendingMessages.acknowledge('A1'),
      pendingMessages.acknowledge('B2'),
    ]).toEqual([true, false, false]);
  });

  it.each([
    ['stored', true],
    ['discarded', false],
  ])('PendingMessages.storeAttemptOf() resolves when the message is %s', async (_, isSent) => {
    const pendingMessages = new PendingMessages(60_000, () => undefined);
    pendingMessages.add(key('A1'), Promise.resolve(isSent));
    await pendingMessages.storeAttemptOf('A1');
    expect(pendingMessages.storeAttemptOf('A1')).toBeUndefined();
  });

  it('PendingMessages evicts the oldest messages', () => {
    const pendingMessages = new PendingMessages(60_000, () => undefined);
    for (let i = 0; i <= 10_000; i++) pendingMessages.add(key(String(i)), Promise.resolve(true));
    expect([pendingMessages.acknowledge('0'), pendingMessages.acknowledge('1')]).toEqual([false, true]);
  });

  it('PendingMessages.stopAndListUnconfirmed() returns the sent messages without an ack', async () => {
    const pendingMessages = new PendingMessages(60_000, () => undefined);
    const storing = Promise.withResolvers<boolean>();
    pendingMessages.add(key('acknowledged'), Promise.resolve(true));
    pendingMessages.add(key('never left'), Promise.resolve(false));
    pendingMessages.add(key('lost'), storing.promise);
    pendingMessages.acknowledge('acknowledged');
    const unconfirmed = pendingMessages.stopAndListUnconfirmed();
    storing.resolve(true);
    expect(await unconfirmed).toEqual([key('lost')]);
  });

  it('PendingMessages treats a message as possibly sent when its store attempt fails', async () => {
    const pendingMessages = new PendingMessages(60_000, () => undefined);
    pendingMessages.add(key('A1'), Promise.reject(new Error('no disk')));
    await pendingMessages.storeAttemptOf('A1');
    expect(pendingMessages.storeAttemptOf('A1')).toBeUndefined();
    expect(await pendingMessages.stopAndListUnconfirmed()).toEqual([key('A1')]);
  });

  it('PendingMessages reports no message as overdue after the end of the session', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const overdue: string[] = [];
    const pendingMessages = new PendingMessages(1_000, (keys) => overdue.push(...keys.map(({ id }) => id)));
    const storing = Promise.withResolvers<boolean>();
    pendingMessages.add(key('before'), storing.promise);
    const unconfirmed = pendingMessages.stopAndListUnconfirmed();
    pendingMessages.add(key('meanwhile'), Promise.resolve(true));
    vi.advanceTimersByTime(10_000);
    storing.resolve(true);
    expect(await unconfirmed).toEqual([key('before'), key('meanwhile')]);
    expect(overdue).toEqual([]);
  });

  it('PendingMessages.nextStatus() resolves with undefined when no more statuses can arrive', async () => {
    const pendingMessages = new PendingMessages(60_000, () => undefined);
    const before = pendingMessages.nextStatus('A1', 60_000);
    pendingMessages.stopStatusWaits();
    expect([await before, await pendingMessages.nextStatus('A1', 60_000)]).toEqual([undefined, undefined]);
  });

  it('PendingMessages reports an overdue message once and still accepts its ack', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const overdue: string[] = [];
    const pendingMessages = new PendingMessages(1_000, (keys) => overdue.push(...keys.map(({ id }) => id)));
    pendingMessages.add(key('lost'), Promise.resolve(true));
    vi.advanceTimersByTime(600);
    pendingMessages.add(key('late'), Promise.resolve(true));
    pendingMessages.add(key('fine'), Promise.resolve(true));
    pendingMessages.acknowledge('fine');
    vi.advanceTimersByTime(400);
    expect(overdue).toEqual(['lost']);
    vi.advanceTimersByTime(10_000);
    expect(overdue).toEqual(['lost', 'late']);
    expect(pendingMessages.acknowledge('late')).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('PendingMessages allows one retry of a refused message, and none after the message was reported overdue', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const overdue: string[] = [];
    const acks: boolean[] = [];
    const retry = {
      send: async () => true,
      onAck: (accepted: boolean) => void acks.push(accepted),
      reportRestricted: () => undefined,
    };
    const pendingMessages = new PendingMessages(1_000, (keys) => overdue.push(...keys.map(({ id }) => id)));
    pendingMessages.add(key('plain'), Promise.resolve(true));
    expect(pendingMessages.markRefused('plain')).toBe(false);
    pendingMessages.acknowledge('plain');
    pendingMessages.add(key('again'), Promise.resolve(true), retry);
    expect([
      pendingMessages.takeRetry('again'),
      pendingMessages.markRefused('again'),
      pendingMessages.isRefused('again'),
    ]).toEqual([undefined, true, true]);
    vi.advanceTimersByTime(900);
    expect(pendingMessages.takeRetry('again')).toBe(retry);
    expect([
      pendingMessages.isRefused('again'),
      pendingMessages.markRefused('again'),
      pendingMessages.takeRetry('again'),
    ]).toEqual([false, false, undefined]);
    vi.advanceTimersByTime(900);
    expect(overdue).toEqual([]);
    expect(pendingMessages.acknowledge('again', false)).toBe(true);
    expect(acks).toEqual([false]);
    pendingMessages.add(key('late'), Promise.resolve(true), retry);
    vi.advanceTimersByTime(2_000);
    expect(overdue).toEqual(['late']);
    expect([pendingMessages.markRefused('late'), pendingMessages.takeRetry('late')]).toEqual([false, undefined]);
  });
});
