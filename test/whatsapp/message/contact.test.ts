import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createTokenBucket } from '../../../src/lib/token-bucket.ts';
import { sendContact, toVcard } from '../../../src/whatsapp/message/contact.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const ada = { fullName: 'Ada Lovelace', phoneNumber: '+55 11 98765-4321' };

describe('toVcard', () => {
  it('toVcard() contains the name, both forms of the number and the optional fields', () => {
    expect(toVcard({ ...ada, organization: 'Engines', email: 'ada@example.com', url: 'https://example.com' }, '')).toBe(
      `BEGIN:VCARD
VERSION:3.0
N:;Ada Lovelace;;;
FN:Ada Lovelace
ORG:Engines;
EMAIL:ada@example.com
URL:https://example.com
item1.TEL;waid=5511987654321:+55 11 98765-4321
item1.X-ABLabel:Mobile
END:VCARD`,
    );
    expect(toVcard({ ...ada, wuid: '491511234567@s.whatsapp.net' }, '')).toContain('waid=491511234567:+55');
  });

  it('toVcard() escapes values', () => {
    const evil = 'Ada\nTEL:+1\r\nEND:VCARD\u2028X,Y;Z\\';
    const lines = toVcard({ fullName: evil, phoneNumber: '5511987654321\nURL:evil', email: evil }, '').split(
      /[\r\n\u2028]+/,
    );
    expect(lines).toHaveLength(8);
    expect(lines[3]).toBe('FN:Ada\\nTEL:+1\\nEND:VCARD\\nX\\,Y\\;Z\\\\');
  });

  it('toVcard() names the field of an invalid number in its error', () => {
    for (const phoneNumber of ['no number here', '120363025246125486', '1,2,3,4,5,6'])
      expect(() => toVcard({ ...ada, phoneNumber }, 'contact[1].')).toThrow(/contact\[1\]\.phoneNumber must hold/);
  });
});

describe('sendContact', () => {
  it('sendContact() looks up no user name when the names exceed the lookups that are left in the minute', async () => {
    let queryCount = 0;
    const session = fakeSession({
      query: async () => {
        queryCount += 1;
        return { tag: 'iq', attrs: {} };
      },
    });
    const bucket = createTokenBucket({ limit: 2, window: 60_000, clock: { ...systemClock, now: () => 0 } });
    const send = (...names: string[]) => {
      const contactMessage = names.map((name) => ({ fullName: name, phoneNumber: name }));
      return sendContact(session, { number: '4915112345678', contactMessage }, bucket);
    };
    await expect(send('@ana', '@bob', '@eve')).rejects.toMatchObject({ code: 'INVALID_REQUEST', certain: true });
    expect(queryCount).toBe(0);
    await expect(send('@ana')).rejects.toMatchObject({ code: 'USERNAME_NOT_FOUND' });
    await expect(send('@bob', '@eve')).rejects.toMatchObject({ code: 'RATE_LIMITED', certain: true });
    expect(queryCount).toBe(1);
    await expect(send('@ana')).rejects.toMatchObject({ code: 'USERNAME_NOT_FOUND' });
  });
});
