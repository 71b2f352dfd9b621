import { describe, expect, it } from 'vitest';
import { describeOutcomes, describePlan, formatTable } from '../src/report.ts';

describe('report of the import program', () => {
  it('formatTable() aligns the columns', () => {
    expect(
      formatTable([
        ['a', 'long heading', ''],
        ['long cell', 'b', 'c'],
      ]),
    ).toEqual(['a          long heading', 'long cell  b             c']);
  });

  it('describePlan() lists the sessions and then their problems', () => {
    const read = () => Promise.reject(new Error('not read'));
    const account = '4915550001001@s.whatsapp.net';
    const lines = describePlan('Baileys folder /data', [
      {
        session: { name: 'a', account, isConnected: false, counts: { session: 2 }, read },
        name: 'shop',
        problem: undefined,
      },
      { session: { name: 'b', account: null, counts: {}, read }, name: 'b', problem: 'It was never linked.' },
    ]);
    expect(lines).toEqual([
      'Baileys folder /data: 2 sessions',
      'session   account                       connected  keys',
      'a → shop  4915550001001@s.whatsapp.net  no         session 2',
      'b         not linked                    unknown    none       problem',
      'b: It was never linked.',
    ]);
  });

  it('describeOutcomes() shows taken and dropped keys, and a repeated sentence only once', () => {
    const dropped = [{ type: 'sender-key-memory', count: 3, reason: 'Sent again.' }];
    const lines = describeOutcomes([
      {
        name: 'a',
        status: 'written',
        location: 'instance a',
        written: { session: 2, 'pre-key': 5 },
        dropped,
        warnings: ['w'],
      },
      { name: 'b', status: 'written', location: 'instance b', written: { session: 1 }, dropped, warnings: ['w'] },
      { name: 'c', status: 'failed', problem: 'The credentials are damaged.' },
    ]);
    expect(lines).toEqual([
      'session  result   taken  dropped  where',
      'a        written  7      3        instance a',
      'b        written  1      3        instance b',
      'c        failed',
      'c: The credentials are damaged.',
      'a: session 2, pre-key 5',
      'b: session 1',
      'Dropped (a and 1 other): sender-key-memory 3: Sent again.',
      'Warning (a and 1 other): w',
      '3 sessions: 2 written, 1 failed.',
    ]);
  });
});
