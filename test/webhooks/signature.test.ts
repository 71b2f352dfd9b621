import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { replaceSecret } from '../../src/webhooks/secret-rotation.ts';
import {
  createToken,
  createWebhookSecret,
  isWebhookSecret,
  sign,
  signingSecretsOf,
} from '../../src/webhooks/signature.ts';

const content = { id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body: Buffer.from('{"text":"grüße 👋"}') };
const headers = (secrets: string[]) => ({
  'webhook-id': content.id,
  'webhook-timestamp': String(content.timestamp),
  'webhook-signature': sign(secrets, content),
});

describe('signatures', () => {
  it('a signature equals the signature of the standardwebhooks package, which accepts it', () => {
    const secret = createWebhookSecret();
    const reference = new Webhook(secret).sign(content.id, new Date(content.timestamp * 1000), content.body.toString());
    expect(sign([secret], content)).toBe(reference);
    expect(new Webhook(secret).verify(content.body.toString(), headers([secret]))).toEqual({ text: 'grüße 👋' });
  });

  it('a signature verifies with both secrets of a rotation, and with no other', () => {
    const [old, current] = [createWebhookSecret(), createWebhookSecret()];
    const both = headers([old, current]);
    for (const secret of [old, current]) expect(() => new Webhook(secret).verify(content.body, both)).not.toThrow();
    expect(() => new Webhook(createWebhookSecret()).verify(content.body, both)).toThrow();
  });

  it('a signature covers id, time and every byte of the body', () => {
    const secret = createWebhookSecret();
    const signature = sign([secret], content);
    for (const change of [
      { id: 'evt_2' },
      { timestamp: content.timestamp + 1 },
      { body: Buffer.from('{"text":"grüße 👋"} ') },
    ]) {
      expect(sign([secret], { ...content, ...change })).not.toBe(signature);
    }
  });
});

describe('secrets', () => {
  it.each([
    createWebhookSecret(),
    `whsec_${Buffer.alloc(24).toString('base64')}`,
    `whsec_${Buffer.alloc(64).toString('base64')}`,
  ])('isWebhookSecret() accepts %s', (secret) => {
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
  ])('isWebhookSecret() rejects "%s"', (secret) => {
    expect(isWebhookSecret(secret)).toBe(false);
  });

  it('a replaced secret signs until its grace period ends, also when the secret is replaced again', () => {
    const at = (minutes: number) => minutes * 60_000;
    const first = replaceSecret({ secret: 'a' }, { secret: 'b', grace: at(60), now: at(0) });
    const second = replaceSecret(first, { secret: 'c', grace: at(10), now: at(5) });
    expect(signingSecretsOf(second, at(6))).toEqual(['c', 'b', 'a']);
    expect(signingSecretsOf(second, at(15))).toEqual(['c', 'a']);
    expect(signingSecretsOf(second, at(60))).toEqual(['c']);
  });

  it('a rotation without a grace period ends all old secrets', () => {
    const first = replaceSecret({ secret: 'a' }, { secret: 'b', grace: 1000, now: 0 });
    expect(signingSecretsOf(replaceSecret(first, { secret: 'c', grace: 0, now: 1 }), 1)).toEqual(['c']);
    expect(signingSecretsOf(replaceSecret(first, { secret: 'b', grace: 0, now: 1 }), 1)).toEqual(['b']);
  });

  it('a secret that is set again is not listed as an old one', () => {
    const first = replaceSecret({ secret: 'a' }, { secret: 'b', grace: 1000, now: 0 });
    expect(signingSecretsOf(replaceSecret(first, { secret: 'a', grace: 1000, now: 1 }), 1)).toEqual(['a', 'b']);
    expect(signingSecretsOf(replaceSecret(first, { secret: 'b', grace: 1000, now: 1 }), 1)).toEqual(['b', 'a']);
  });
});

describe('tokens', () => {
  it('a token is a JWT in HS256 that is valid for ten minutes', () => {
    const [head = '', claims = '', signature] = createToken('key', 1_700_000_000).split('.');
    const parsePart = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(parsePart(head)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(parsePart(claims)).toMatchObject({ iat: 1_700_000_000, exp: 1_700_000_600, action: 'webhook' });
    expect(signature).toBe(createHmac('sha256', 'key').update(`${head}.${claims}`).digest('base64url'));
  });
});
