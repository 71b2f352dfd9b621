import { describe, expect, it } from 'vitest';
import { createAddressCheck } from '../../src/egress/address-policy.ts';

const check = createAddressCheck({ allow: [], strict: false });

describe('createAddressCheck', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '2606:4700:4700::1111',
    '::ffff:93.184.216.34',
    '64:ff9b::5db8:d822',
    '2002:5db8:d822::1',
  ])('the public address %s is allowed for all requests', (address) => {
    expect([check('public', address), check('webhook', address)]).toEqual([null, null]);
  });

  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '10.0.0.1',
    '172.16.5.4',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    'fd12:3456::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
  ])('the private address %s is allowed only for webhooks, and not in strict mode', (address) => {
    const strict = createAddressCheck({ allow: [], strict: true });
    expect(check('public', address)).toMatch(/private|loopback/);
    expect(check('webhook', address)).toBeNull();
    expect(strict('webhook', address)).toMatch(/private|loopback/);
  });

  it.each([
    ['169.254.169.254', 'link-local'],
    ['169.254.1.1', 'link-local'],
    ['::ffff:169.254.169.254', 'link-local'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['2002:a9fe:a9fe::', 'link-local'],
    ['::169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fd00:ec2::254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
  ])('the address %s is forbidden even when the allow list contains all networks', (address, reason) => {
    const checkWithAllowList = createAddressCheck({ allow: ['0.0.0.0/0', '::/0'], strict: false });
    expect(check('webhook', address)).toContain(reason);
    expect(checkWithAllowList('webhook', address)).toContain(reason);
    expect(checkWithAllowList('public', address)).toContain(reason);
  });

  it.each([
    '198.18.0.1',
    '240.0.0.1',
    '192.0.2.1',
    '2001:db8::1',
    '4000::1',
    'fec0::1',
    '64:ff9b:1::1',
    '64:ff9b:1::a9fe:a9fe',
    '::ffff:0:7f00:1',
    '::ffff:0:a9fe:a9fe',
    '192.88.99.1',
    '2001::1',
    '100::1',
  ])('the reserved address %s is allowed only when the allow list contains it', (address) => {
    expect(check('public', address)).toContain('reserved');
    expect(check('webhook', address)).toContain('reserved');
    const checkWithAllowList = createAddressCheck({ allow: ['0.0.0.0/0', '::/0'], strict: true });
    expect(checkWithAllowList('webhook', address)).toBeNull();
  });

  it('an address in an allowed network counts as public, in each notation', () => {
    const checkWithAllowList = createAddressCheck({ allow: ['10.1.0.0/16', 'fd12::/16', '192.168.7.7'], strict: true });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::9', '192.168.7.7']) {
      expect([address, checkWithAllowList('public', address), checkWithAllowList('webhook', address)]).toEqual([
        address,
        null,
        null,
      ]);
    }
    expect(checkWithAllowList('public', '10.2.0.1')).toContain('private');
    expect(checkWithAllowList('public', '192.168.7.8')).toContain('private');
  });

  it('createAddressCheck() rejects an allow list with an entry that is not an address', () => {
    expect(() => createAddressCheck({ allow: ['10.0.0.0/8', 'intranet'], strict: false })).toThrow('intranet');
  });
});
