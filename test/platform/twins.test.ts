import type { SignalDataTypeMap } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { findTwins } from '../../src/platform/twins.ts';

const learnt: Record<string, string> = { '4915112345678': '222', '222_reverse': '4915112345678' };
const keys = {
  asked: [] as string[],
  async get<T extends keyof SignalDataTypeMap>(_type: T, ids: string[]) {
    this.asked.push(...ids);
    return Object.fromEntries(ids.filter((id) => learnt[id]).map((id) => [id, learnt[id]])) as Record<
      string,
      SignalDataTypeMap[T]
    >;
  },
};

describe('findTwins', () => {
  it('finds the LID of a number and the number of a LID', async () => {
    const pn = '4915112345678@s.whatsapp.net';
    for (const jid of [pn, '4915112345678:3@s.whatsapp.net', '222@lid', '222:3@lid']) {
      const twins = await findTwins(keys, [jid]);
      expect([twins.get(pn), twins.get('222@lid')]).toEqual(['222@lid', pn]);
    }
  });

  it('knows nothing of strangers, groups and nobody', async () => {
    keys.asked.length = 0;
    expect(await findTwins(keys, ['333@lid'])).toEqual(new Map());
    expect(await findTwins(keys, ['1@g.us', 'status@broadcast'])).toEqual(new Map());
    expect(await findTwins(keys, [])).toEqual(new Map());
    expect(keys.asked).toEqual(['333_reverse']);
  });
});
