import { describe, expect, it } from 'vitest';
import { relay, stanzaCountOf } from '../../../src/whatsapp/outbound/relay.ts';
import { fakeSession } from '../fakes.ts';

const people = Array.from({ length: 450 }, (_, i) => `49151${1_000_000 + i}@s.whatsapp.net`);
const status = { chat: 'status@broadcast', jid: 'status@broadcast', attributes: {} };
const content = { conversation: 'hi' };

describe('a status to many', () => {
  it('relay sends a status in several stanzas under one id, each after its devices are fetched', async () => {
    const steps: unknown[] = [];
    const session = fakeSession(
      {
        async relayMessage(_jid, _content, options) {
          steps.push(['relay', options.messageId, options.statusJidList?.length]);
          return '';
        },
      },
      {
        devices: {
          queryNumber: async () => [],
          isPrefetched: () => true,
          prefetch: async (_, all) => void steps.push(all?.length),
          copy: async () => undefined,
        },
      },
    );
    expect(await relay(session, status, content, { id: 'S1', audience: people })).toBe(3);
    expect(steps).toEqual([200, ['relay', 'S1', 200], 200, ['relay', 'S1', 200], 50, ['relay', 'S1', 50]]);
  });

  it('relay of a status is certain to have failed only before the first stanza', async () => {
    const refused = Object.assign(new Error('no'), { output: { statusCode: 400 } });
    for (const failing of [1, 2, 3]) {
      let count = 0;
      const session = fakeSession({
        async relayMessage() {
          count++;
          if (count === failing) throw refused;
          return '';
        },
      });
      const sent = relay(session, status, content, { id: 'S1', audience: people });
      if (failing === 1) await expect(sent).rejects.toBe(refused);
      else await expect(sent).rejects.toThrow(/part of the audience/);
      expect(await sent.catch(stanzaCountOf)).toBe(Math.max(1, failing - 1));
    }
  });
});
