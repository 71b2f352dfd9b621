import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { replaceSecret } from '../../src/webhooks/secret-rotation.ts';
import {
  createToken,
  createWebhookSecret,
  isWebhookSecret,
  sign,
  signingSecrets,
} from '../../src/webhooks/signature.ts';

const signed = { id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body: Buffer.from('{"text":"grüße 👋"}') };
const headers = (secrets: string[]) => ({
  'webhook-id': signed.id,
  'webhook-timestamp': String(signed.timestamp),
  'webhook-signature': sign(secrets, signed),
});

describe('a signature', () => {
  it('a signature equals that of the standardwebhooks package, which accepts it', () => {
    const secret = createWebhookSecret();
    const theirs = new Webhook(secret).sign(signed.id, new Date(signed.timestamp * 1000), signed.body.toString());
    expect(sign([secret], signed)).toBe(theirs);
    expect(new Webhook(secret).verify(signed.body.toString(), headers([secret]))).toEqual({ text: 'grüße 👋' });
  });

  it('a signature verifies with both secrets of a rotation, and with no other', () => {
    const [old, fresh] = [createWebhookSecret(), createWebhookSecret()];
    const both = headers([old, fresh]);
    for (const secret of [old, fresh]) expect(() => new Webhook(secret).verify(signed.body, both)).not.toThrow();
    expect(() => new Webhook(createWebhookSecret()).verify(signed.body, both)).toThrow();
  });

  it('a signature covers id, time and every byte of the body', () => {
    const secret = createWebhookSecret();
    const good = sign([secret], signed);
    for (const change of [
      { id: 'evt_2' },
      { timestamp: signed.timestamp + 1 },
      { body: Buffer.from('{"text":"grüße 👋"} ') },
    ]) {
      expect(sign([secret], { ...signed, ...change })).not.toBe(good);
    }
  });
});

describe('a secret', () => {
  it.each([
    createWebhookSecret(),
    `whsec_${Buffer.alloc(24).toString('base64')}`,
    `whsec_${Buffer.alloc(64).toString('base64')}`,
  ])('a secret of a caller may be %s', (secret) => {
    expect(isWebhookSecret(secret)).toBe(true);
  });

  it.each([
    '',
    'whsec_',
    createWebhookSecret().slice(6),
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    `whsec_${'!'.repeat(44)}`,
    `${createWebhookSecret()} `,
    `${createWebhookSecret()}\n`,
  ])('a secret of a caller may not be "%s"', (secret) => {
    expect(isWebhookSecret(secret)).toBe(false);
  });

  it('a replaced secret signs until its grace period ends, however often the secret is replaced', () => {
    const at = (minutes: number) => minutes * 60_000;
    const first = replaceSecret({ secret: 'a' }, { secret: 'b', grace: at(60), now: at(0) });
    const second = replaceSecret(first, { secret: 'c', grace: at(10), now: at(5) });
    expect(signingSecrets(second, at(6))).toEqual(['c', 'b', 'a']);
    expect(signingSecrets(second, at(15))).toEqual(['c', 'a']);
    expect(signingSecrets(second, at(60))).toEqual(['c']);
  });

  it('a rotation without grace ends all old secrets', () => {
    const first = replaceSecret({ secret: 'a' }, { secret: 'b', grace: 1000, now: 0 });
    expect(signingSecrets(replaceSecret(first, { secret: 'c', grace: 0, now: 1 }), 1)).toEqual(['c']);
    expect(signingSecrets(replaceSecret(first, { secret: 'b', grace: 0, now: 1 }), 1)).toEqual(['b']);
  });

  it('a secret that is set again is not listed as an old one', () => {
    const first = replaceSecret({ secret: 'a' }, { secret: 'b', grace: 1000, now: 0 });
    expect(signingSecrets(replaceSecret(first, { secret: 'a', grace: 1000, now: 1 }), 1)).toEqual(['a', 'b']);
    expect(signingSecrets(replaceSecret(first, { secret: 'b', grace: 1000, now: 1 }), 1)).toEqual(['b', 'a']);
  });
});

describe('a token', () => {
  it('a token is a JWT in HS256 that is valid for ten minutes', () => {
    const [head = '', claims = '', signature] = createToken('key', 1_700_000_000).split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(head)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(read(claims)).toMatchObject({ iat: 1_700_000_000, exp: 1_700_000_600, action: 'webhook' });
    expect(signature).toBe(createHmac('sha256', 'key').update(`${head}.${claims}`).digest('base64url'));
  });
});
