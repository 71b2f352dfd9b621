import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/storage/webhook-stores.ts';
import { Lane } from '../../src/webhooks/delivery-lane.ts';

const deliveryOf = (seq: number): Delivery => ({
  ...{
    webhookId: 'hook',
    seq,
    lane: 0,
    instanceId: 'shop',
    eventId: `event ${seq}`,
    type: 'messages.upsert',
    body: '{}',
  },
  ...{ attempts: 0, nextAt: 0, createdAt: 0 },
});

/** Creates a lane whose head, the delivery 1, has failed and was dropped from memory. */
function failedLane(): Lane {
  const lane = new Lane(0);
  const head = deliveryOf(1);
  lane.fill([head, deliveryOf(2)], 8);
  lane.delayHead(head, { attempts: 1, at: 5_000, isRejected: true, isQuick: false });
  lane.rejections = { since: 0, times: 1, provenTimes: 1, isProven: true, successesAtLast: 3 };
  lane.headFailures = { since: 0, times: 1, successesBefore: 0, receiverFailuresBefore: 0 };
  lane.dropWindow();
  return lane;
}

describe('Lane', () => {
  it('a lane that dropped its failed head from memory keeps the failures when the head is read again', () => {
    const lane = failedLane();
    lane.fill([deliveryOf(1), deliveryOf(2)], 8);
    expect(lane).toMatchObject({ slowRetries: 1, rejections: { times: 1 }, headFailures: { times: 1 } });
  });

  it.each([
    ['another delivery is read', [deliveryOf(2)]],
    ['no delivery is read', []],
  ])('a lane that dropped its failed head from memory forgets the failures when %s', (_, rows) => {
    const lane = failedLane();
    lane.fill(rows, 8);
    expect(lane).toMatchObject({ slowRetries: 0, rejections: null, headFailures: null, isHeadRejected: false });
  });
});
