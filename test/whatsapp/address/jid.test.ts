import { describe, expect, it } from 'vitest';
import { isGroup, toBareJid, toJid, userOf } from '../../../src/whatsapp/address/jid.ts';

describe('toJid', () => {
  it.each([
    ['a plain number', '4915112345678', '4915112345678@s.whatsapp.net'],
    ['a formatted number', '+49 (151) 1234-5678', '4915112345678@s.whatsapp.net'],
    ['a number with a device', '4915112345678:12', '4915112345678@s.whatsapp.net'],
    ['an address in the old form', '4915112345678@c.us', '4915112345678@s.whatsapp.net'],
    ['a complete address', '4915112345678@s.whatsapp.net', '4915112345678@s.whatsapp.net'],
    ['an address without its device', '4915112345678:3@s.whatsapp.net', '4915112345678@s.whatsapp.net'],
    ['a LID', '123456789012345@lid', '123456789012345@lid'],
    ['a group', '120363025246125486@g.us', '120363025246125486@g.us'],
    ['a group number', '120363025246125486', '120363025246125486@g.us'],
    ['an old group number', '4915112345678-1595000000', '4915112345678-1595000000@g.us'],
    ['a broadcast', 'status@broadcast', 'status@broadcast'],
    ['a Mexican number with the mobile digit', '5215512345678', '525512345678@s.whatsapp.net'],
    ['a Mexican number without the mobile digit', '525512345678', '525512345678@s.whatsapp.net'],
    ['an Argentine number with the mobile digit', '5491112345678', '541112345678@s.whatsapp.net'],
    ['a number in southeastern Brazil with the ninth digit', '5511912345678', '5511912345678@s.whatsapp.net'],
    ['a number elsewhere in Brazil with the ninth digit', '5531987654321', '553187654321@s.whatsapp.net'],
    ['a number elsewhere in Brazil that never had eight digits', '5531912345678', '5531912345678@s.whatsapp.net'],
    ['a Brazilian number without the ninth digit', '553187654321', '553187654321@s.whatsapp.net'],
  ])('toJid() converts %s (%s) to %s', (_, number, jid) => expect(toJid(number)).toBe(jid));

  it.each([
    '',
    '   ',
    '-'.repeat(24),
    'nobody',
    '@s.whatsapp.net',
    '@g.us',
    '@s.whatsapp.net.evil',
  ])('toJid() rejects %j', (number) => {
    expect(() => toJid(number)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it.each([
    ['two numbers', '1555000,1555001'],
    ['a digit of another script', '1555000100２'],
    ['a newsletter', '15550001002@newsletter'],
    ['an address of another network', '15550001002@example.com'],
    ['an invalid LID', '+15550001002@lid'],
    ['two numbers with hyphens', '5511999998888,55-11-99999-7777'],
    ['a newsletter with a hyphen', '1234567890-1234567890123456@newsletter'],
  ])('toJid() rejects %s instead of returning the JID of another person', (_, number) => {
    expect(() => toJid(number)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it('toJid() names the field in its error', () => {
    expect(() => toJid('garbage', 'options.quoted.key.remoteJid')).toThrow(/options\.quoted\.key\.remoteJid must hold/);
  });
});

describe('toBareJid, userOf and isGroup', () => {
  it.each([
    ['4915112345678:3@s.whatsapp.net', '4915112345678@s.whatsapp.net', '4915112345678'],
    ['123_1:7@lid', '123@lid', '123'],
    ['4915112345678@c.us', '4915112345678@s.whatsapp.net', '4915112345678'],
    ['120363025246125486@g.us', '120363025246125486@g.us', '120363025246125486'],
    ['no address', 'no address', 'no address'],
  ])('toBareJid() and userOf() split the JID %s', (jid, bareJid, user) => {
    expect(toBareJid(jid)).toBe(bareJid);
    expect(userOf(jid)).toBe(user);
  });

  it('isGroup() distinguishes groups from people', () => {
    expect(isGroup('1@g.us')).toBe(true);
    expect(isGroup('1@s.whatsapp.net')).toBe(false);
  });
});
