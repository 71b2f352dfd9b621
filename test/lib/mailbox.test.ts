import { describe, expect, it } from 'vitest';
import { Mailbox } from '../../src/lib/mailbox.ts';
import { currentRequestId, runWithRequestId } from '../../src/lib/request-id.ts';

describe('Mailbox', () => {
  it('handles one item after another, also those put by the handler', async () => {
    const seen: string[] = [];
    let busy = 0;
    const mailbox: Mailbox<string> = new Mailbox(async (item) => {
      busy += 1;
      expect(busy).toBe(1);
      if (item === 'a') void mailbox.put('from a');
      await new Promise(setImmediate);
      seen.push(item);
      busy -= 1;
    });
    void mailbox.put('a');
    await mailbox.put('b');
    expect(seen).toEqual(['a', 'b']);
    await mailbox.idle();
    expect(seen).toEqual(['a', 'b', 'from a']);
    await mailbox.put('c');
    expect(seen.at(-1)).toBe('c');
  });

  it('handles each item in the trace of its own put, also while others are handled', async () => {
    const seen: [string, string | undefined][] = [];
    const mailbox: Mailbox<string> = new Mailbox(async (item) => {
      if (item === 'first') void mailbox.put('its follow-up');
      await new Promise(setImmediate);
      seen.push([item, currentRequestId()]);
    });
    void runWithRequestId('req-1', () => mailbox.put('first'));
    void mailbox.put("nobody's");
    await runWithRequestId('req-2', () => mailbox.put('second'));
    await mailbox.idle();
    expect(Object.fromEntries(seen)).toEqual({
      first: 'req-1',
      "nobody's": undefined,
      second: 'req-2',
      'its follow-up': 'req-1',
    });
  });

  it('handles the next item after a handler or a check that fails', async () => {
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

  it('drops what was overtaken before its turn came', async () => {
    const seen: number[] = [];
    let wanted = true;
    const mailbox = new Mailbox<number>(async (item) => {
      seen.push(item);
      wanted = false;
    });
    void mailbox.put(1);
    await mailbox.put(2, () => wanted);
    expect(seen).toEqual([1]);
  });
});
