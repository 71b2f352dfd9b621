import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import * as xeddsa from '../../src/whatsapp/baileys/patches/xeddsa.ts';

/** Number of compared inputs. curve25519-js needs about 35 ms for each. */
const INPUTS = 2_000;

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const original = createRequire(requireFromBaileys.resolve('libsignal'))('curve25519-js');

/** Returns the pseudo-random bytes of the input `index`. They are the same in every run. */
const bytesOf = (index: number, purpose: string, length: number): Uint8Array =>
  new Uint8Array(createHash('shake256', { outputLength: length }).update(`${purpose} ${index}`).digest());

it(`sign() and verify() agree with curve25519-js on ${INPUTS} random keys and messages`, () => {
  for (let index = 0; index < INPUTS; index++) {
    const pair = original.generateKeyPair(bytesOf(index, 'key', 32));
    const message = bytesOf(index, 'message', index % 300);
    const signed = xeddsa.sign(pair.private, message);
    expect(original.verify(pair.public, message, signed), `signature ${index}`).toBe(true);
    const signature: Uint8Array = original.sign(pair.private, message);
    expect(xeddsa.verify(pair.public, message, signature), `signature of the original ${index}`).toBe(true);
    const changed = Uint8Array.from(signature);
    const [at = 0, bit = 0] = bytesOf(index, 'change', 2);
    changed[at % 64] = (changed[at % 64] ?? 0) ^ (1 << (bit % 8));
    expect(xeddsa.verify(pair.public, message, changed), `changed signature ${index}`).toBe(
      original.verify(pair.public, message, changed),
    );
  }
});
