// Compares the functions with those of whatsapp-rust-bridge for random inputs. The title contains the seed, which
// repeats a run.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as original from 'whatsapp-rust-bridge-original';
import * as replacement from '../src/index.js';

const SEED = process.env.FUZZ_SEED ?? String(Date.now());
const RUNS = 4000;
const originalHash = new original.LTHashAntiTampering();
const replacementHash = new replacement.LTHashAntiTampering();

/** Creates functions that return random values, always the same ones for a seed. */
function createRandom(seed: string) {
  let counter = 0;
  const bytes = (length: number) =>
    Uint8Array.from(
      createHash('shake256', { outputLength: Math.max(1, length) })
        .update(`${seed}:${counter++}`)
        .digest(),
    ).subarray(0, length);
  const integer = (max: number) => new DataView(bytes(4).slice().buffer).getUint32(0) % (max + 1);
  const text = (max: number) => Buffer.from(bytes(integer(max))).toString(integer(1) ? 'latin1' : 'utf8');
  return { bytes, integer, text };
}

const toHex = (value: Uint8Array) => {
  expect(value.constructor).toBe(Uint8Array);
  return Buffer.from(value).toString('hex');
};

describe(`comparison with whatsapp-rust-bridge (FUZZ_SEED=${SEED})`, () => {
  it(`md5() returns the same as whatsapp-rust-bridge for ${RUNS} random inputs`, () => {
    const { bytes, integer } = createRandom(`${SEED} md5`);
    for (let run = 0; run < RUNS; run++) {
      const data = bytes(integer(300));
      expect(toHex(replacement.md5(data))).toBe(toHex(original.md5(data)));
    }
  });

  it(`hkdf() returns the same as whatsapp-rust-bridge for ${RUNS} random inputs`, () => {
    const { bytes, integer, text } = createRandom(`${SEED} hkdf`);
    for (let run = 0; run < RUNS; run++) {
      const key = bytes(integer(100));
      const length = integer(run % 50 === 0 ? 8160 : 200);
      const salt = [undefined, bytes(integer(100))][integer(1)];
      const info = [undefined, text(100), text(3000)][integer(2)];
      expect(toHex(replacement.hkdf(key, length, { salt, info })), `run ${run}`).toBe(
        toHex(original.hkdf(key, length, { salt, info })),
      );
    }
  });

  it(`expandAppStateKeys() returns the same as whatsapp-rust-bridge for ${RUNS} random inputs`, () => {
    const { bytes, integer } = createRandom(`${SEED} app state`);
    for (let run = 0; run < RUNS; run++) {
      const key = bytes(run % 2 ? 32 : integer(100));
      const originalKeys = original.expandAppStateKeys(key);
      const keys = replacement.expandAppStateKeys(key);
      for (const name of ['indexKey', 'valueEncryptionKey', 'valueMacKey', 'snapshotMacKey', 'patchMacKey'] as const) {
        expect(toHex(keys[name]), name).toBe(toHex(originalKeys[name]));
      }
      originalKeys.free();
    }
  });

  it(`subtractThenAdd() returns the same as whatsapp-rust-bridge for ${RUNS} random inputs`, () => {
    const { bytes, integer } = createRandom(`${SEED} LT hash`);
    const macs = () => Array.from({ length: integer(6) }, () => bytes(integer(3) ? 32 : integer(100)));
    let hash: Uint8Array = new Uint8Array(128);
    for (let run = 0; run < RUNS; run++) {
      const base = integer(3) ? hash : bytes(128);
      const subtract = macs();
      const add = macs();
      hash = replacementHash.subtractThenAdd(base, subtract, add);
      expect(toHex(hash), `run ${run}`).toBe(toHex(originalHash.subtractThenAdd(base, subtract, add)));
    }
  });
});
