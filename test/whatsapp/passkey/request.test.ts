import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../src/whatsapp/passkey/request.ts';

const request = {
  challenge: Buffer.alloc(32, 7).toString('base64url'),
  timeout: 600_000,
  rpId: 'whatsapp.com',
  allowCredentials: [{ id: 'AAEC', type: 'public-key', transports: ['internal'] }],
  userVerification: 'required',
  extensions: { uvm: true },
};
const read = (value: unknown) => readRequest(Buffer.from(JSON.stringify(value)));

describe('a passkey request', () => {
  it('is read with its known members, and without the others', () => {
    expect(read({ ...request, attack: 'x', hints: [] })).toEqual(request);
    expect(read({ challenge: request.challenge, rpId: 'web.whatsapp.com' })).toEqual({
      challenge: request.challenge,
      rpId: 'web.whatsapp.com',
      allowCredentials: [],
      userVerification: 'preferred',
    });
  });

  it.each<[string, unknown]>([
    ['no object', []],
    ['a text', 'x'],
    ['no challenge', { ...request, challenge: undefined }],
    ['a short challenge', { ...request, challenge: 'AAEC' }],
    ['a challenge with padding', { ...request, challenge: `${Buffer.alloc(32, 7).toString('base64')}` }],
    ['a long challenge', { ...request, challenge: Buffer.alloc(2000).toString('base64url') }],
    ['another website', { ...request, rpId: 'example.com' }],
    ['a website that only ends like it', { ...request, rpId: 'notwhatsapp.com' }],
    ['an unknown verification', { ...request, userVerification: 'maybe' }],
    ['credentials that are no list', { ...request, allowCredentials: {} }],
    ['too many credentials', { ...request, allowCredentials: Array(65).fill(request.allowCredentials[0]) }],
    ['a credential of another type', { ...request, allowCredentials: [{ id: 'AAEC', type: 'password' }] }],
    ['a credential without id', { ...request, allowCredentials: [{ type: 'public-key' }] }],
    ['deep extensions', { ...request, extensions: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } }],
    ['many values', { ...request, extensions: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [n, n])) }],
    ['a long text', { ...request, extra: 'x'.repeat(20_000) }],
  ])('is refused with %s', (_what, value) => {
    expect(read(value)).toBeUndefined();
  });

  it('is refused when it is no JSON', () => {
    expect(readRequest(Buffer.from('{"challenge":'))).toBeUndefined();
  });

  it('loses a timeout and transports that are malformed', () => {
    const value = { ...request, timeout: -1, allowCredentials: [{ id: 'AAEC', type: 'public-key', transports: [1] }] };
    const { timeout: _, ...rest } = request;
    expect(read(value)).toEqual({ ...rest, allowCredentials: [{ id: 'AAEC', type: 'public-key' }] });
  });
});
