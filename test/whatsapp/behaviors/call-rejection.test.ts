import { EventEmitter } from 'node:events';
import type { WACallEvent, WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { installCallRejection } from '../../../src/whatsapp/behaviors/call-rejection.ts';
import { fakeSession } from '../fakes.ts';

const caller = '222@lid';
const offer = (parts: Partial<WACallEvent> = {}): WACallEvent => ({
  ...{ id: 'C', chatId: caller, from: caller, callerPn: '4915112345678:2@s.whatsapp.net', date: new Date(0) },
  ...{ status: 'offer', offline: false, isGroup: false, ...parts },
});

/** What was refused and what was written after `calls`. */
async function answered(settings: Partial<Parameters<typeof installCallRejection>[2]>, calls: WACallEvent[]) {
  const ev = new EventEmitter();
  const rejected: string[] = [];
  const rejectCall = async (id: string) => void rejected.push(id);
  const session = fakeSession();
  const wanted = { rejectCall: false, msgCall: '', groupsIgnore: false, ...settings };
  installCallRejection({ ev, rejectCall } as unknown as WASocket, session, wanted);
  for (const call of calls) ev.emit('call', [call]);
  // All that follows is in memory: a handful of turns of the event loop.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  const sends = session.calls.filter(([name]) => name === 'relayMessage');
  return { rejected, sent: sends.map(([, jid]) => jid) };
}

describe('a call that rings', () => {
  it('call rejection rejects and answers a call once when it is reported repeatedly', async () => {
    const both = { rejectCall: true, msgCall: ' Write ' };
    const { rejected, sent } = await answered(both, [offer(), offer(), offer({ status: 'terminate' })]);
    expect(rejected).toEqual(['C']);
    expect(sent).toEqual(['4915112345678@s.whatsapp.net']);
  });

  it.each([
    ['it rang while we were away', offer({ offline: true })],
    ['it is over', offer({ status: 'timeout' })],
  ])('call rejection ignores a call when %s', async (_, call) => {
    expect(await answered({ rejectCall: true, msgCall: 'x' }, [call])).toEqual({ rejected: [], sent: [] });
  });

  it('call rejection rejects group calls without a text and ignores those of ignored groups', async () => {
    const call = offer({ isGroup: true, groupJid: '1@g.us' });
    expect(await answered({ rejectCall: true, msgCall: 'x' }, [call])).toEqual({ rejected: ['C'], sent: [] });
    expect((await answered({ rejectCall: true, groupsIgnore: true }, [call])).rejected).toEqual([]);
  });

  it('call rejection does nothing without its settings', async () => {
    expect(await answered({ msgCall: '  ' }, [offer()])).toEqual({ rejected: [], sent: [] });
  });
});
