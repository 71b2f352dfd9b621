import { describe, expect, it } from 'vitest';
import { parseChannelReference, toChannelRecord } from '../../../src/whatsapp/channel/record.ts';

describe('parseChannelReference', () => {
  const code = '0029VaAbCdEfGhIjKlMnOp';
  it.each([
    ['120363025246125486@newsletter', { jid: '120363025246125486@newsletter' }],
    [' 120363025246125486%40newsletter ', { jid: '120363025246125486@newsletter' }],
    ['120363025246125486', { jid: '120363025246125486@newsletter' }],
    [code, { inviteCode: code }],
    [`https://whatsapp.com/channel/${code}`, { inviteCode: code }],
    [`https://www.whatsapp.com/channel/${code}/?s=1`, { inviteCode: code }],
    [`whatsapp.com/channel/${code}`, { inviteCode: code }],
  ])('parseChannelReference() parses %s', (input, reference) => {
    expect(parseChannelReference(input)).toEqual(reference);
  });

  it.each([
    '',
    'short',
    '120363025246125486@g.us',
    `https://example.org/channel/${code}`,
    'no channel at all',
  ])('parseChannelReference() rejects "%s"', (input) => {
    expect(() => parseChannelReference(input)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', certain: true }),
    );
  });
});

describe('toChannelRecord', () => {
  const id = '120363025246125486@newsletter';

  it('toChannelRecord() sets a default for each field that WhatsApp omits', () => {
    expect(
      toChannelRecord({ id, thread_metadata: { name: { text: 'News' }, picture: null }, viewer_metadata: null }),
    ).toEqual({
      ...{ id, name: 'News', description: '', creation: 0, inviteCode: '', inviteUrl: '', subscribers: 0 },
      ...{ verified: false, state: 'active', role: 'guest', muted: false },
    });
  });

  it('toChannelRecord() parses numbers that WhatsApp sends as text, and converts upper-case values', () => {
    const rawRecord = {
      id,
      state: { type: 'SUSPENDED' },
      thread_metadata: {
        creation_time: '1767225600',
        subscribers_count: '12',
        verification: 'VERIFIED',
        invite: 'abc',
      },
      viewer_metadata: { mute: 'ON', role: 'ADMIN' },
    };
    expect(toChannelRecord(rawRecord)).toMatchObject({
      ...{ creation: 1767225600, subscribers: 12, verified: true, state: 'suspended', role: 'admin', muted: true },
      inviteUrl: 'https://whatsapp.com/channel/abc',
    });
  });

  it.each([
    null,
    'x',
    [],
    {},
    { id: 7 },
    { id: '1@g.us' },
  ])('toChannelRecord() returns undefined for %j', (rawRecord) => {
    expect(toChannelRecord(rawRecord)).toBeUndefined();
  });
});
