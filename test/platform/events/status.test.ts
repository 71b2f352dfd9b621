import { describe, expect, it } from 'vitest';
import { fromAck } from '../../../src/platform/events/status.ts';
import { me } from '../fakes.ts';

const names = { me, twins: new Map() };
const pn = '4915112345678@s.whatsapp.net';
const key = { remoteJid: pn, fromMe: true, id: 'A1' };

describe('an ack', () => {
  it('without error means that the server has the message', () => {
    expect(fromAck({ id: 'A1', from: pn, t: '1700000001' }, names, 5)).toEqual({
      type: 'messages.update',
      key,
      status: 'SERVER_ACK',
      at: 1_700_000_001_000,
    });
  });

  it.each([
    ['463', 'account_restricted_or_token_missing'],
    ['479', 'stanza_invalid_or_device_stale'],
    ['999', 'refused'],
  ])('with error %s ends the message: %s', (code, reason) => {
    expect(fromAck({ id: 'A1', from: pn, error: code }, names, 5)).toEqual({
      type: 'messages.update',
      key,
      status: 'ERROR',
      at: 5,
      code,
      reason,
    });
  });

  it.each([{}, { id: 'A1' }, { from: pn }])('that names no message means nothing: %j', (attrs) => {
    expect(fromAck(attrs, names, 5)).toBeUndefined();
  });
});
