import { describe, expect, it } from 'vitest';
import { SentMessages } from '../../src/platform/sent.ts';

describe('SentMessages', () => {
  it('acknowledges once what was expected, and nothing else', () => {
    const sent = new SentMessages();
    sent.expect('A1', Promise.resolve());
    expect([sent.acknowledge('A1'), sent.acknowledge('A1'), sent.acknowledge('B2')]).toEqual([true, false, false]);
  });

  it.each([
    ['stored', () => Promise.resolve()],
    ['given up', () => Promise.reject(new Error('no'))],
  ])('has something to wait for until the message is %s', async (_, recorded) => {
    const sent = new SentMessages();
    sent.expect('A1', recorded());
    await sent.recording('A1');
    expect(sent.recording('A1')).toBeUndefined();
  });

  it('forgets the oldest acks when there are too many', () => {
    const sent = new SentMessages();
    for (let i = 0; i <= 10_000; i++) sent.expect(String(i), Promise.resolve());
    expect([sent.acknowledge('0'), sent.acknowledge('1')]).toEqual([false, true]);
  });
});
