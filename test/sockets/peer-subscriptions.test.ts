import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { PeerSubscriptions } from '../../src/sockets/peer-subscriptions.ts';

describe('the subscriptions to other nodes', () => {
  it('a stream that opens after the subscriptions were closed is aborted', async () => {
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
});
