import { describe, expect, it } from 'vitest';
import { relay, stanzaCountOf } from '../../../src/whatsapp/outbound/relay.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const audienceJids = Array.from({ length: 450 }, (_, i) => `49151${1_000_000 + i}@s.whatsapp.net`);
const status = { chat: 'status@broadcast', jid: 'status@broadcast', attributes: {} };
const content = { conversation: 'hi' };

describe('status messages to many recipients', () => {
  it('relay() sends a status in several stanzas under one id, each after its devices are fetched', async () => {
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
          prefetch: async (_, jids) => void steps.push(jids?.length),
          copy: async () => undefined,
        },
      },
    );
    expect(await relay(session, status, content, { id: 'S1', audience: audienceJids })).toBe(3);
    expect(steps).toEqual([200, ['relay', 'S1', 200], 200, ['relay', 'S1', 200], 50, ['relay', 'S1', 50]]);
  });

  it('relay() rejects with the original error only when the first stanza of a status fails', async () => {
    const refusal = Object.assign(new Error('no'), { output: { statusCode: 400 } });
    for (const failingStanza of [1, 2, 3]) {
      let count = 0;
      const session = fakeSession({
        async relayMessage() {
          count++;
          if (count === failingStanza) throw refusal;
          return '';
        },
      });
      const outcome = relay(session, status, content, { id: 'S1', audience: audienceJids });
      if (failingStanza === 1) await expect(outcome).rejects.toBe(refusal);
      else await expect(outcome).rejects.toThrow(/part of the audience/);
      expect(await outcome.catch(stanzaCountOf)).toBe(Math.max(1, failingStanza - 1));
    }
  });
});
