// Invalid numbers in the data of the platform. No event contains them.
import { describe, expect, it } from 'vitest';
import { fromMessage } from '../../../src/whatsapp/content/message.ts';
import { fromAck } from '../../../src/whatsapp/inbound/message-status.ts';
import { fromPresence } from '../../../src/whatsapp/inbound/presence.ts';
import { fromNewChatCap, fromTimeLock } from '../../../src/whatsapp/outbound/account-restrictions.ts';
import { me } from '../../support/session-fakes.ts';

const knownJids = { me, lidPairs: new Map<string, string>() };
const jid = '4915112345678@s.whatsapp.net';

describe.each(['x', 'Infinity', '-1', '1.5', ' '])('the invalid number %j', (text) => {
  const invalid = Number(text.trim() || 'x');

  it('fromAck() uses the current time for an ack with an invalid time', () => {
    expect(fromAck({ from: jid, id: 'A', t: text }, knownJids, 7)).toMatchObject({ at: 7 });
  });

  it('fromPresence() omits an invalid lastSeen', () => {
    const presence = fromPresence(
      { id: jid, presences: { [jid]: { lastKnownPresence: 'unavailable', lastSeen: invalid } } },
      knownJids,
    );
    expect(presence?.presences).toEqual({ [jid]: { lastKnownPresence: 'unavailable' } });
  });

  it('fromMessage() sets the time 0 for a message with an invalid time', () => {
    const mapped = fromMessage(
      { key: { remoteJid: jid, id: 'A', fromMe: false }, message: { conversation: 'x' }, messageTimestamp: invalid },
      knownJids,
    );
    expect(mapped).toMatchObject({ event: { message: { messageTimestamp: 0 } } });
  });

  it('fromTimeLock() and fromNewChatCap() omit an invalid end of a restriction', () => {
    const lock = fromTimeLock({ isActive: true, timeEnforcementEnds: new Date(Number.NaN) });
    const cap = fromNewChatCap({ cycle_end_timestamp: text, total_quota: invalid, used_quota: invalid });
    expect(JSON.parse(JSON.stringify([lock, cap]))).toEqual([
      { type: 'instance.restricted', kind: 'new_chats_locked', restricted: true, reason: 'DEFAULT' },
      { type: 'instance.restricted', kind: 'new_chats_capped', restricted: false, reason: 'NONE' },
    ]);
  });
});
