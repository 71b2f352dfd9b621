import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createSecret, sign } from '../../src/webhooks/sign.ts';

const signed = { id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body: Buffer.from('{"text":"grüße 👋"}') };
const headers = (secrets: string[]) => ({
  'webhook-id': signed.id,
  'webhook-timestamp': String(signed.timestamp),
  'webhook-signature': sign(secrets, signed),
});

describe('a signature', () => {
  it('is the one the standardwebhooks package makes and accepts', () => {
    const secret = createSecret();
    const theirs = new Webhook(secret).sign(signed.id, new Date(signed.timestamp * 1000), signed.body.toString());
    expect(sign([secret], signed)).toBe(theirs);
    expect(new Webhook(secret).verify(signed.body.toString(), headers([secret]))).toEqual({ text: 'grüße 👋' });
  });

  it('is good for either secret while one replaces the other, and for no third', () => {
    const [old, fresh] = [createSecret(), createSecret()];
    const both = headers([old, fresh]);
    for (const secret of [old, fresh]) expect(() => new Webhook(secret).verify(signed.body, both)).not.toThrow();
    expect(() => new Webhook(createSecret()).verify(signed.body, both)).toThrow();
  });

  it('covers id, time and every byte of the body', () => {
    const secret = createSecret();
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
