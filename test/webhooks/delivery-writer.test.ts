import { describe, expect, it } from 'vitest';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import { DeliveryWriter } from '../../src/webhooks/delivery-writer.ts';
import { ManualClock } from './world.ts';

/** A writer whose writes are recorded: the numbers of the deliveries in each. */
function recordedWriter(isBusy: () => boolean) {
  const writes: number[][] = [];
  const outbox = {
    recordAttempts: async (batch: readonly { seq: number }[]) => void writes.push(batch.map(({ seq }) => seq)),
  };
  const log = { error: () => undefined };
  const writer = new DeliveryWriter({ outbox, isBusy, clock: new ManualClock(), log });
  const deliver = (seq: number) => writer.add({ webhookId: 'hook', lane: 0, seq, outcome: 'delivered' });
  return { writer, writes, deliver };
}

describe('the results of deliveries', () => {
  it('a result is written in its turn when nothing else is in flight', async () => {
    const { writes, deliver } = recordedWriter(() => false);
    deliver(1);
    deliver(2);
    await turnEnd();
    expect(writes).toEqual([[1, 2]]);
  });

  it('results of several turns are one write while other attempts are in flight', async () => {
    const { writes, deliver } = recordedWriter(() => true);
    for (const seq of [1, 2, 3]) {
      deliver(seq);
      await turnEnd();
    }
    expect(writes).toEqual([]);
    while (writes.length === 0) await turnEnd();
    expect(writes).toEqual([[1, 2, 3]]);
  });

  it('results do not wait when nothing is in flight any more, and when there are many', async () => {
    let isBusy = true;
    const { writes, deliver } = recordedWriter(() => isBusy);
    deliver(1);
    isBusy = false;
    await turnEnd();
    expect(writes).toEqual([[1]]);
    isBusy = true;
    for (let seq = 2; seq < 102; seq++) deliver(seq);
    await turnEnd();
    expect(writes[1]).toHaveLength(100);
  });

  it('flush() writes results that wait', async () => {
    const { writer, writes, deliver } = recordedWriter(() => true);
    deliver(1);
    await writer.flush();
    expect(writes).toEqual([[1]]);
  });
});
