import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { Interest } from '../../src/sockets/peer-fanout.ts';
import { PeerSubscriptions } from '../../src/sockets/peer-subscriptions.ts';
import { waitFor } from '../support/wait-for.ts';

describe('PeerSubscriptions', () => {
  it('a stream that opens after PeerSubscriptions.close() is aborted', async () => {
    const requested = Promise.withResolvers<AbortSignal>();
    const opened = Promise.withResolvers<Readable>();
    const subscriptions = new PeerSubscriptions({
      transport: {
        otherReachableNodes: async () => [{ id: 'b', url: 'http://b' }],
        openStream(_node, _interest, signal) {
          requested.resolve(signal);
          return opened.promise;
        },
        changeInterest: async () => undefined,
      },
      clock: systemClock,
      interest: () => ({ instances: ['shop'], all: false }),
      onEvent: () => undefined,
    });
    const updated = subscriptions.update();
    const signal = await requested.promise;
    subscriptions.close();
    opened.resolve(new Readable({ read: () => undefined }));
    await updated;
    expect(signal.aborted).toBe(true);
  });

  it('PeerSubscriptions.update() calls that wait for a failing node share the next attempt', async () => {
    const instances = ['shop'];
    const attempts: { interest: Interest; fail: (error: Error) => void }[] = [];
    const subscriptions = new PeerSubscriptions({
      transport: {
        otherReachableNodes: async () => [{ id: 'b', url: 'http://b' }],
        openStream(_node, interest) {
          const { promise, reject } = Promise.withResolvers<Readable>();
          attempts.push({ interest, fail: reject });
          return promise;
        },
        changeInterest: async () => undefined,
      },
      clock: { ...systemClock, after: () => ({ cancel: () => undefined }) },
      interest: () => ({ instances: [...instances], all: false }),
      onEvent: () => undefined,
    });
    const first = subscriptions.update();
    await waitFor(() => expect(attempts).toHaveLength(1));
    instances.push('bakery');
    const waitingUpdates = Array.from({ length: 10 }, () => subscriptions.update());
    attempts[0]?.fail(new Error('timeout'));
    await first;
    await waitFor(() => expect(attempts).toHaveLength(2));
    attempts[1]?.fail(new Error('timeout'));
    await Promise.all(waitingUpdates);
    expect(attempts.map(({ interest }) => interest.instances)).toEqual([['shop'], ['shop', 'bakery']]);
  });
});
