import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSignedLinks } from '../../../src/whatsapp/media/signed-link.ts';

const message = { instanceId: 'one', id: '3EB0', chat: '5511900000001@s.whatsapp.net' };
const [key, otherKey] = [randomBytes(32), randomBytes(32)];
let now = 1_700_000_000_000;
const clock = { now: () => now, after: () => ({ cancel: () => undefined }) };
const links = createSignedLinks({ keys: [key], days: 7, clock });

function claimOf(link: string, instanceId = message.instanceId) {
  const url = new URL(link, 'http://x');
  const { expires = '', signature = '' } = Object.fromEntries(url.searchParams);
  return { instanceId, id: decodeURIComponent(url.pathname.split('/').at(-1) ?? ''), expires, signature };
}

describe('signed links', () => {
  it('a signed link is valid for seven days and then expires', () => {
    const claim = claimOf(links.sign(message, 'shop'));
    expect(links.verify(claim)).toBe('good');
    now += 7 * 86_400_000 - 1_000;
    expect(links.verify(claim)).toBe('good');
    now += 1_000;
    expect(links.verify(claim)).toBe('expired');
  });

  it('a signed link is reported as forged when any part of it is changed', () => {
    const claim = claimOf(links.sign(message, 'shop'));
    const flipped = (claim.signature[0] === 'A' ? 'B' : 'A') + claim.signature.slice(1);
    const last = claim.signature.slice(0, -1) + (claim.signature.endsWith('A') ? 'B' : 'A');
    for (const change of [
      { instanceId: 'two' },
      { id: '3EB1' },
      { expires: String(Number(claim.expires) + 1) },
      { expires: `${claim.expires}0` },
      { expires: 'never' },
      { signature: flipped },
      { signature: last },
      { signature: `${claim.signature}=` },
      { signature: `${claim.signature}AAAA` },
      { signature: '' },
    ])
      expect(links.verify({ ...claim, ...change }), JSON.stringify(change)).toBe('forged');
  });

  it('a signed link belongs only to the message in its own chat when other chats use the same id', () => {
    const { signature } = claimOf(links.sign(message, 'shop'));
    expect(links.isFor(signature, message)).toBe(true);
    expect(links.isFor(signature, { ...message, chat: '5511900000002@s.whatsapp.net' })).toBe(false);
    expect(links.isFor('', message)).toBe(false);
  });

  it('a signed link escapes names and ids in its path', () => {
    const link = links.sign({ ...message, id: '../a?b#c/d' }, 'my shop/x');
    expect(link).toMatch(/^\/media\/my%20shop%2Fx\/\.\.%2Fa%3Fb%23c%2Fd\?expires=\d+&signature=[\w-]{55}$/);
    expect(links.verify(claimOf(link))).toBe('good');
  });

  it('a signed link stays valid when a new key is added before the old key', () => {
    const { signature } = claimOf(links.sign(message, 'shop'));
    const rotated = createSignedLinks({ keys: [otherKey, key], days: 7, clock });
    expect(rotated.verify(claimOf(links.sign(message, 'shop')))).toBe('good');
    expect(rotated.isFor(signature, message)).toBe(true);
    const foreign = createSignedLinks({ keys: [otherKey], days: 7, clock });
    expect(foreign.verify(claimOf(links.sign(message, 'shop')))).toBe('forged');
  });
});
