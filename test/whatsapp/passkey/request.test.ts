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
const readJson = (value: unknown) => readRequest(Buffer.from(JSON.stringify(value)));

describe('readRequest', () => {
  it('readRequest() returns the known members of a request and drops all others', () => {
    expect(readJson({ ...request, attack: 'x', hints: [] })).toEqual(request);
    expect(readJson({ challenge: request.challenge, rpId: 'web.whatsapp.com' })).toEqual({
      challenge: request.challenge,
      rpId: 'web.whatsapp.com',
      allowCredentials: [],
      userVerification: 'preferred',
    });
  });

  it.each<[string, unknown]>([
    ['an array', []],
    ['a text', 'x'],
    ['a request without a challenge', { ...request, challenge: undefined }],
    ['a short challenge', { ...request, challenge: 'AAEC' }],
    ['a challenge with padding', { ...request, challenge: `${Buffer.alloc(32, 7).toString('base64')}` }],
    ['a long challenge', { ...request, challenge: Buffer.alloc(2000).toString('base64url') }],
    ['another website', { ...request, rpId: 'example.com' }],
    ['a website whose name ends in whatsapp.com', { ...request, rpId: 'notwhatsapp.com' }],
    ['an unknown verification', { ...request, userVerification: 'maybe' }],
    ['credentials that are not a list', { ...request, allowCredentials: {} }],
    ['too many credentials', { ...request, allowCredentials: Array(65).fill(request.allowCredentials[0]) }],
    ['a credential of another type', { ...request, allowCredentials: [{ id: 'AAEC', type: 'password' }] }],
    ['a credential without an id', { ...request, allowCredentials: [{ type: 'public-key' }] }],
    ['deep extensions', { ...request, extensions: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } }],
    ['many values', { ...request, extensions: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [n, n])) }],
    ['a long text', { ...request, extra: 'x'.repeat(20_000) }],
  ])('readRequest() returns undefined for %s', (_label, value) => {
    expect(readJson(value)).toBeUndefined();
  });

  it('readRequest() returns undefined for invalid JSON', () => {
    expect(readRequest(Buffer.from('{"challenge":'))).toBeUndefined();
  });

  it('readRequest() drops a malformed timeout and malformed transports', () => {
    const value = { ...request, timeout: -1, allowCredentials: [{ id: 'AAEC', type: 'public-key', transports: [1] }] };
    const { timeout: _, ...rest } = request;
    expect(readJson(value)).toEqual({ ...rest, allowCredentials: [{ id: 'AAEC', type: 'public-key' }] });
  });
});
