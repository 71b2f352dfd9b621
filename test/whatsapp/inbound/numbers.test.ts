// Numbers of the platform that are none: no event carries them.
import { describe, expect, it } from 'vitest';
import { fromMessage } from '../../../src/whatsapp/content/message.ts';
import { fromAck } from '../../../src/whatsapp/inbound/message-status.ts';
import { fromPresence } from '../../../src/whatsapp/inbound/presence.ts';
import { fromNewChatCap, fromTimeLock } from '../../../src/whatsapp/outbound/account-restrictions.ts';
import { me } from '../fakes.ts';

const names = { me, lidPairs: new Map<string, string>() };
const jid = '4915112345678@s.whatsapp.net';

describe.each(['x', 'Infinity', '-1', '1.5', ' '])("the platform's %j", (text) => {
  const none = Number(text.trim() || 'x');

  it('an ack with an invalid time gets the current time', () => {
    expect(fromAck({ from: jid, id: 'A', t: text }, names, 7)).toMatchObject({ at: 7 });
  });

  it('a presence with an invalid time has no lastSeen', () => {
    const seen = fromPresence(
      { id: jid, presences: { [jid]: { lastKnownPresence: 'unavailable', lastSeen: none } } },
      names,
    );
    expect(seen?.presences).toEqual({ [jid]: { lastKnownPresence: 'unavailable' } });
  });

  it('a message with an invalid time has the time 0', () => {
    const mapped = fromMessage(
      { key: { remoteJid: jid, id: 'A', fromMe: false }, message: { conversation: 'x' }, messageTimestamp: none },
      names,
    );
    expect(mapped).toMatchObject({ event: { message: { messageTimestamp: 0 } } });
  });

  it('a restriction with an invalid end has no end', () => {
    const lock = fromTimeLock({ isActive: true, timeEnforcementEnds: new Date(Number.NaN) });
    const cap = fromNewChatCap({ cycle_end_timestamp: text, total_quota: none, used_quota: none });
    expect(JSON.parse(JSON.stringify([lock, cap]))).toEqual([
      { type: 'instance.restricted', kind: 'new_chats_locked', restricted: true, reason: 'DEFAULT' },
      { type: 'instance.restricted', kind: 'new_chats_capped', restricted: false, reason: 'NONE' },
    ]);
  });
});
