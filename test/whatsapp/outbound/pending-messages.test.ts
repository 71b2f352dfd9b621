import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PendingMessages } from '../../../src/whatsapp/outbound/pending-messages.ts';

const key = (id: string) => ({ remoteJid: '4915112345678@s.whatsapp.net', fromMe: true, id });

describe('SentMessages', () => {
  it('PendingMessages acknowledges each expected message once and no other', () => {
    const sent = new PendingMessages(60_000, () => undefined);
    sent.add(key('A1'), Promise.resolve(true));
    expect([sent.acknowledge('A1'), sent.acknowledge('A1'), sent.acknowledge('B2')]).toEqual([true, false, false]);
  });

  it.each([
    ['stored', true],
    ['given up', false],
  ])('PendingMessages.recording() waits until the message is %s', async (_, left) => {
    const sent = new PendingMessages(60_000, () => undefined);
    sent.add(key('A1'), Promise.resolve(left));
    await sent.storeAttemptOf('A1');
    expect(sent.storeAttemptOf('A1')).toBeUndefined();
  });

  it('PendingMessages evicts the oldest messages', () => {
    const sent = new PendingMessages(60_000, () => undefined);
    for (let i = 0; i <= 10_000; i++) sent.add(key(String(i)), Promise.resolve(true));
    expect([sent.acknowledge('0'), sent.acknowledge('1')]).toEqual([false, true]);
  });

  it('PendingMessages returns the messages without an ack at the end', async () => {
    const sent = new PendingMessages(60_000, () => undefined);
    const storing = Promise.withResolvers<boolean>();
    sent.add(key('acknowledged'), Promise.resolve(true));
    sent.add(key('never left'), Promise.resolve(false));
    sent.add(key('lost'), storing.promise);
    sent.acknowledge('acknowledged');
    const unconfirmed = sent.stopAndListUnconfirmed();
    storing.resolve(true);
    expect(await unconfirmed).toEqual([key('lost')]);
  });

  it('PendingMessages treats a message as possibly sent when storing it fails', async () => {
    const sent = new PendingMessages(60_000, () => undefined);
    sent.add(key('A1'), Promise.reject(new Error('no disk')));
    await sent.storeAttemptOf('A1');
    expect(sent.storeAttemptOf('A1')).toBeUndefined();
    expect(await sent.stopAndListUnconfirmed()).toEqual([key('A1')]);
  });

  it('PendingMessages reports no message as overdue once the session ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const overdue: string[] = [];
    const sent = new PendingMessages(1_000, (keys) => overdue.push(...keys.map(({ id }) => id)));
    const storing = Promise.withResolvers<boolean>();
    sent.add(key('before'), storing.promise);
    const unconfirmed = sent.stopAndListUnconfirmed();
    sent.add(key('meanwhile'), Promise.resolve(true));
    vi.advanceTimersByTime(10_000);
    storing.resolve(true);
    expect(await unconfirmed).toEqual([key('before'), key('meanwhile')]);
    expect(overdue).toEqual([]);
  });

  it('PendingMessages.nextStatus() resolves when no more statuses can come', async () => {
    const sent = new PendingMessages(60_000, () => undefined);
    const before = sent.nextStatus('A1', 60_000);
    sent.stopStatusWaits();
    expect([await before, await sent.nextStatus('A1', 60_000)]).toEqual([undefined, undefined]);
  });

  it('PendingMessages reports an overdue message once and still accepts its ack', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const overdue: string[] = [];
    const sent = new PendingMessages(1_000, (keys) => overdue.push(...keys.map(({ id }) => id)));
    sent.add(key('lost'), Promise.resolve(true));
    vi.advanceTimersByTime(600);
    sent.add(key('late'), Promise.resolve(true));
    sent.add(key('fine'), Promise.resolve(true));
    sent.acknowledge('fine');
    vi.advanceTimersByTime(400);
    expect(overdue).toEqual(['lost']);
    vi.advanceTimersByTime(10_000);
    expect(overdue).toEqual(['lost', 'late']);
    expect(sent.acknowledge('late')).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('PendingMessages gives a refused message one retry, and none after it was reported overdue', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const overdue: string[] = [];
    const acks: boolean[] = [];
    const retry = {
      send: async () => true,
      onAck: (accepted: boolean) => void acks.push(accepted),
      reportRestricted: () => undefined,
    };
    const sent = new PendingMessages(1_000, (keys) => overdue.push(...keys.map(({ id }) => id)));
    sent.add(key('plain'), Promise.resolve(true));
    expect(sent.markRefused('plain')).toBe(false);
    sent.acknowledge('plain');
    sent.add(key('again'), Promise.resolve(true), retry);
    expect([sent.takeRetry('again'), sent.markRefused('again'), sent.isRefused('again')]).toEqual([
      undefined,
      true,
      true,
    ]);
    vi.advanceTimersByTime(900);
    expect(sent.takeRetry('again')).toBe(retry);
    expect([sent.isRefused('again'), sent.markRefused('again'), sent.takeRetry('again')]).toEqual([
      false,
      false,
      undefined,
    ]);
    vi.advanceTimersByTime(900);
    expect(overdue).toEqual([]);
    expect(sent.acknowledge('again', false)).toBe(true);
    expect(acks).toEqual([false]);
    sent.add(key('late'), Promise.resolve(true), retry);
    vi.advanceTimersByTime(2_000);
    expect(overdue).toEqual(['late']);
    expect([sent.markRefused('late'), sent.takeRetry('late')]).toEqual([false, undefined]);
  });
});
