import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../src/lib/mailbox.ts';
import { currentRequestId, runWithRequestId } from '../../src/lib/request-id.ts';

describe('Mailbox', () => {
  it('Mailbox handles one item after another, including items that the handler puts', async () => {
    const handledItems: string[] = [];
    let running = 0;
    const mailbox: Mailbox<string> = new Mailbox(async (item) => {
      running += 1;
      expect(running).toBe(1);
      if (item === 'a') void mailbox.put('from a');
      await new Promise(setImmediate);
      handledItems.push(item);
      running -= 1;
    });
    void mailbox.put('a');
    await mailbox.put('b');
    expect(handledItems).toEqual(['a', 'b']);
    await mailbox.waitUntilIdle();
    expect(handledItems).toEqual(['a', 'b', 'from a']);
    await mailbox.put('c');
    expect(handledItems.at(-1)).toBe('c');
  });

  it('Mailbox handles each item with the request id of its put(), even while it handles other items', async () => {
    const handledItems: [string, string | undefined][] = [];
    const mailbox: Mailbox<string> = new Mailbox(async (item) => {
      if (item === 'first') void mailbox.put('its follow-up');
      await new Promise(setImmediate);
      handledItems.push([item, currentRequestId()]);
    });
    void runWithRequestId('req-1', () => mailbox.put('first'));
    void mailbox.put("nobody's");
    await runWithRequestId('req-2', () => mailbox.put('second'));
    await mailbox.waitUntilIdle();
    expect(Object.fromEntries(handledItems)).toEqual({
      first: 'req-1',
      "nobody's": undefined,
      second: 'req-2',
      'its follow-up': 'req-1',
    });
  });

  it('Mailbox handles the next item after a handler or a check that fails', async () => {
    const handled: string[] = [];
    const mailbox = new Mailbox<string>(async (item) => {
      if (item === 'broken') throw new Error('broken item');
      handled.push(item);
    });
    const fail = () => {
      throw new Error('broken check');
    };
    const broken = [mailbox.put('broken'), mailbox.put('checked', fail)];
    const last = mailbox.put('last');
    const results = await Promise.allSettled(broken);
    expect(results).toMatchObject([{ reason: { message: 'broken item' } }, { reason: { message: 'broken check' } }]);
    await last;
    await mailbox.put('later');
    expect(handled).toEqual(['last', 'later']);
  });

  it('Mailbox drops an item whose check returns false when its turn comes', async () => {
    const handledItems: number[] = [];
    let isWanted = true;
    const mailbox = new Mailbox<number>(async (item) => {
      handledItems.push(item);
      isWanted = false;
    });
    void mailbox.put(1);
    await mailbox.put(2, () => isWanted);
    expect(handledItems).toEqual([1]);
  });
});
