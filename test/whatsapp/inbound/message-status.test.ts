import { describe, expect, it } from 'vitest';
import { fromAck } from '../../../src/whatsapp/inbound/message-status.ts';
import { me } from '../../support/session-fakes.ts';

const knownJids = { me, lidPairs: new Map() };
const pn = '4915112345678@s.whatsapp.net';
const key = { remoteJid: pn, fromMe: true, id: 'A1' };

describe('fromAck', () => {
  it('fromAck() maps an ack without an error to SERVER_ACK', () => {
    expect(fromAck({ id: 'A1', from: pn, t: '1700000001' }, knownJids, 5)).toEqual({
      type: 'messages.update',
      key,
      status: 'SERVER_ACK',
      at: 1_700_000_001_000,
    });
  });

  it.each([
    ['463', undefined, 'account_restricted_or_token_missing'],
    ['463', true, 'account_restricted'],
    ['463', false, 'token_missing'],
    ['421', undefined, 'group_addressing_mode_stale'],
    ['475', undefined, 'new_chat_quota_used'],
    ['475', true, 'new_chat_quota_used'],
    ['479', undefined, 'stanza_invalid_or_device_stale'],
    ['479', true, 'stanza_invalid_or_device_stale'],
    ['487', undefined, 'parsing_error'],
    ['488', undefined, 'stanza_unknown'],
    ['491', undefined, 'protobuf_invalid'],
    ['495', undefined, 'message_secret_missing'],
    ['500', undefined, 'unhandled_error'],
    ['999', undefined, 'refused'],
  ])('fromAck() maps error %s (restricted: %s) to %s', (code, isRestricted, reason) => {
    expect(fromAck({ id: 'A1', from: pn, error: code }, knownJids, 5, isRestricted)).toEqual({
      type: 'messages.update',
      key,
      status: 'ERROR',
      at: 5,
      code,
      reason,
    });
  });

  it.each([{}, { id: 'A1' }, { from: pn }])('fromAck() returns undefined for an ack without a message: %j', (attrs) => {
    expect(fromAck(attrs, knownJids, 5)).toBeUndefined();
  });
});
