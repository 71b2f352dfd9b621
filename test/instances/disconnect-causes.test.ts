import { describe, expect, it } from 'vitest';
import {
  type CloseContext,
  causeOf,
  type DisconnectCause,
  type DisconnectOutcome,
  infoOf,
  isKnownCode,
} from '../../src/instances/disconnect-causes.ts';

const linked: CloseContext = {
  isPaired: true,
  hasShownQr: false,
  hasQrLeft: true,
  closesInARow: 1,
  takeovers: 1,
  maxTakeovers: 0,
};
const displaying: CloseContext = { ...linked, isPaired: false, hasShownQr: true };

const table: [number, CloseContext, string, DisconnectCause, DisconnectOutcome, boolean][] = [
  [515, linked, 'right after pairing', 'restart_required', 'connecting', false],
  [515, { ...linked, closesInARow: 5 }, 'five times in a row', 'transient', 'backoff', false],
  [428, linked, 'connection closed', 'transient', 'backoff', false],
  [408, linked, 'keep-alives unanswered', 'silent', 'backoff', false],
  [408, { ...displaying, hasShownQr: false }, 'refused before the first QR code', 'transient', 'backoff', false],
  [408, displaying, 'QR codes expired, more allowed', 'qr_expired', 'connecting', false],
  [408, { ...displaying, hasQrLeft: false }, 'QR codes expired at the limit', 'qr_exhausted', 'stopped', true],
  [
    515,
    { ...displaying, passkeyLinkState: 'pending' },
    'before a passkey is confirmed',
    'passkey_interrupted',
    'stopped',
    true,
  ],
  [428, { ...displaying, passkeyLinkState: 'pending' }, 'connection lost while linking', 'transient', 'backoff', false],
  [408, { ...displaying, passkeyLinkState: 'expired' }, 'passkey link expired', 'passkey_expired', 'connecting', true],
  [428, { ...displaying, passkeyLinkState: 'failed' }, 'passkey refused', 'passkey_failed', 'connecting', true],
  [
    428,
    { ...displaying, passkeyLinkState: 'failed', hasQrLeft: false },
    'passkey refused, no QR code left',
    'qr_exhausted',
    'stopped',
    true,
  ],
  [503, linked, 'platform unavailable', 'transient', 'backoff', false],
  [500, linked, 'server fault', 'transient', 'backoff', false],
  [500, { ...linked, closesInARow: 4 }, 'the fourth in a row', 'transient', 'backoff', false],
  [500, { ...linked, closesInARow: 5 }, 'the fifth in a row', 'bad_session', 'backoff', true],
  [502, linked, 'stanza that could not be handled', 'malformed', 'backoff', false],
  [401, linked, 'device removed', 'logged_out', 'logged_out', true],
  [401, displaying, 'while pairing', 'logged_out', 'logged_out', true],
  [403, linked, 'account locked', 'logged_out', 'logged_out', true],
  [406, linked, 'unknown logout', 'logged_out', 'logged_out', true],
  [419, linked, 'unauthorized', 'logged_out', 'logged_out', true],
  [440, linked, 'replaced', 'replaced', 'blocked', true],
  [
    440,
    { ...linked, maxTakeovers: 3, takeovers: 3 },
    'replaced within the takeover limit',
    'displaced',
    'backoff',
    false,
  ],
  [440, { ...linked, maxTakeovers: 3, takeovers: 4 }, 'replaced above the takeover limit', 'conflict', 'blocked', true],
  [402, linked, 'temporary ban', 'banned', 'blocked', true],
  [405, linked, 'client outdated', 'outdated', 'blocked', true],
  [409, linked, 'user agent refused', 'outdated', 'blocked', true],
  [411, linked, 'not a multi-device account', 'incompatible', 'blocked', true],
  [1006, linked, 'undocumented code', 'transient', 'backoff', false],
];

describe('disconnect causes', () => {
  it.each(
    table,
  )('causeOf() maps close code %i (%o, %s) to the cause %s, which leads to the state %s', (code, context, _name, cause, next, requiresUserAction) => {
    expect(causeOf(code, context)).toBe(cause);
    expect(infoOf(cause).next).toBe(next);
    expect(infoOf(cause).userAction !== null).toBe(requiresUserAction);
    expect(infoOf(cause).message).toMatch(/^[A-Z].*\.$/);
  });

  it('infoOf() blocks an instance whose credentials cannot be read, and names the encryption key', () => {
    expect(infoOf('unreadable')).toMatchObject({
      next: 'blocked',
      userAction: expect.stringContaining('encryption key'),
    });
  });

  it('isKnownCode() is true for the codes in the table of causes and false for another code', () => {
    expect([401, 428, 515].every(isKnownCode)).toBe(true);
    expect(isKnownCode(1006)).toBe(false);
  });
});
