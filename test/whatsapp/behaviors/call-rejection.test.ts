import { EventEmitter } from 'node:events';
import type { WACallEvent, WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { installCallRejection } from '../../../src/whatsapp/behaviors/call-rejection.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const caller = '222@lid';
const offer = (parts: Partial<WACallEvent> = {}): WACallEvent => ({
  ...{ id: 'C', chatId: caller, from: caller, callerPn: '4915112345678:2@s.whatsapp.net', date: new Date(0) },
  ...{ status: 'offer', offline: false, isGroup: false, ...parts },
});

/** Reports `calls` to call rejection. Returns the ids of the rejected calls and the recipients of the texts. */
async function handleCalls(settings: Partial<Parameters<typeof installCallRejection>[2]>, calls: WACallEvent[]) {
  const ev = new EventEmitter();
  const rejected: string[] = [];
  const rejectCall = async (id: string) => void rejected.push(id);
  const session = fakeSession();
  const allSettings = { rejectCall: false, msgCall: '', groupsIgnore: false, ...settings };
  installCallRejection({ ev, rejectCall } as unknown as WASocket, session, allSettings);
  for (const call of calls) ev.emit('call', [call]);
  // The handling uses no I/O, so it ends within a few turns of the event loop.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  const sends = session.calls.filter(([name]) => name === 'relayMessage');
  return { rejected, sent: sends.map(([, jid]) => jid) };
}

describe('call rejection', () => {
  it('call rejection rejects a call and sends its text once when the call is reported several times', async () => {
    const bothSettings = { rejectCall: true, msgCall: ' Write ' };
    const { rejected, sent } = await handleCalls(bothSettings, [offer(), offer(), offer({ status: 'terminate' })]);
    expect(rejected).toEqual(['C']);
    expect(sent).toEqual(['4915112345678@s.whatsapp.net']);
  });

  it.each([
    ['it rang while the instance was offline', offer({ offline: true })],
    ['it has ended', offer({ status: 'timeout' })],
  ])('call rejection ignores a call when %s', async (_, call) => {
    expect(await handleCalls({ rejectCall: true, msgCall: 'x' }, [call])).toEqual({ rejected: [], sent: [] });
  });

  it('call rejection rejects a group call without sending a text, and ignores it when groupsIgnore is on', async () => {
    const call = offer({ isGroup: true, groupJid: '1@g.us' });
    expect(await handleCalls({ rejectCall: true, msgCall: 'x' }, [call])).toEqual({ rejected: ['C'], sent: [] });
    expect((await handleCalls({ rejectCall: true, groupsIgnore: true }, [call])).rejected).toEqual([]);
  });

  it('call rejection does nothing when rejectCall is off and msgCall is blank', async () => {
    expect(await handleCalls({ msgCall: '  ' }, [offer()])).toEqual({ rejected: [], sent: [] });
  });
});
