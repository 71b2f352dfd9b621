import { describe, expect, it } from 'vitest';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import { DeliveryWriter } from '../../src/webhooks/delivery-writer.ts';
import { ManualClock } from '../support/dispatcher-world.ts';

/** Creates a writer. `writes` contains the sequence numbers of the deliveries of each write. */
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

describe('DeliveryWriter', () => {
  it('DeliveryWriter writes the results of a turn of the event loop together when no other attempt is in flight', async () => {
    const { writes, deliver } = recordedWriter(() => false);
    deliver(1);
    deliver(2);
    await turnEnd();
    expect(writes).toEqual([[1, 2]]);
  });

  it('DeliveryWriter writes the results of several turns together while other attempts are in flight', async () => {
    const { writes, deliver } = recordedWriter(() => true);
    for (const seq of [1, 2, 3]) {
      deliver(seq);
      await turnEnd();
    }
    expect(writes).toEqual([]);
    while (writes.length === 0) await turnEnd();
    expect(writes).toEqual([[1, 2, 3]]);
  });

  it('DeliveryWriter writes waiting results when no attempt is in flight anymore, and when there are 100 of them', async () => {
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

  it('DeliveryWriter.flush() writes the waiting results', async () => {
    const { writer, writes, deliver } = recordedWriter(() => true);
    deliver(1);
    await writer.flush();
    expect(writes).toEqual([[1]]);
  });
});
