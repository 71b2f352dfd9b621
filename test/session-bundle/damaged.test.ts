import { beforeAll, describe, expect, it } from 'vitest';
import { fromBaileys } from '../../src/session-bundle/baileys.ts';
import type { SessionBundle } from '../../src/session-bundle/bundle.ts';
import { BundleError } from '../../src/session-bundle/bundle-error.ts';
import { BUNDLE_SCHEMA } from '../../src/session-bundle/bundle-schema.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { Field } from '../../src/session-bundle/schema.ts';
import { silenceConsole } from '../support/console.ts';
import { fullBundle } from '../support/sample-bundle.ts';
import { createConversations, otherKeys } from '../support/signal-conversations.ts';
import { asPlainJson, asRevived, asStoredJson, linkedParty } from '../support/signal-party.ts';
import { containersOf, createRandom, MARK, mutate } from './mutation.ts';

const ROUNDS = 600;

let full: SessionBundle;

// libsignal reports closed sessions with their keys.
silenceConsole();
beforeAll(async () => {
  full = await fullBundle();
});

/**
 * The texts of a bundle that do not occur in its field names. An error names the field, so field names are no secrets.
 */
function textsOf(value: unknown): string[] {
  const names = containersOf(value).flatMap(Object.keys).join('\n');
  const texts = containersOf(value)
    .flatMap((container) => Object.values<unknown>({ ...container }))
    .filter((text) => typeof text === 'string');
  return texts.filter((text) => text.length >= 8 && !names.includes(text));
}

describe('parseBundle with damaged bundles', () => {
  it('parseBundle() of a damaged bundle returns or throws a BundleError without values of the bundle', () => {
    const next = createRandom(20_261_123);
    const texts = textsOf(full);
    const outcomes = { accepted: 0, rejected: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const bundle: unknown = JSON.parse(JSON.stringify(full));
      const targets = containersOf(bundle);
      for (let count = next(3); count >= 0; count--) mutate(targets, next);
      try {
        parseBundle(bundle);
        outcomes.accepted += 1;
      } catch (error) {
        if (!(error instanceof BundleError)) throw error;
        outcomes.rejected += 1;
        const { message } = error;
        expect(message.length).toBeLessThan(600);
        expect(message).toMatch(/^[\x20-\x7e]+\.$/);
        expect(message).not.toContain(MARK);
        expect(texts.filter((text) => message.includes(text))).toEqual([]);
      }
    }
    // Some mutations give a valid bundle, such as a removed optional field.
    expect(outcomes.accepted).toBeGreaterThan(10);
    expect(outcomes.rejected).toBeGreaterThan(300);
  });
});

describe('fromBaileys with damaged sessions', () => {
  it('fromBaileys() of a damaged session returns a valid bundle or throws a BundleError without values', async () => {
    const { device } = await createConversations();
    const keys = [...device.keys(), ...otherKeys()];
    const next = createRandom(20_261_124);
    const outcomes = { converted: 0, complete: 0, rejected: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const toStored = [asStoredJson, asPlainJson, asRevived][round % 3] ?? asStoredJson;
      const source: { creds: unknown; values: unknown[] } = Object(
        toStored({ creds: device.creds, values: keys.map(({ value }) => value) }),
      );
      const targets = [...containersOf(source.creds), ...source.values.flatMap(containersOf)];
      for (let count = next(3); count >= 0; count--) mutate(targets, next);
      const damaged = keys.map(({ type, id }, index) => ({ type, id, value: source.values[index] }));
      try {
        const { credentials, keys: bundleKeys, dropped } = fromBaileys({ creds: source.creds, keys: damaged });
        BUNDLE_SCHEMA.read({ ...full, credentials, keys: bundleKeys }, Field.ROOT);
        outcomes.converted += 1;
        if (dropped.length === 0) outcomes.complete += 1;
      } catch (error) {
        if (!(error instanceof BundleError)) throw error;
        outcomes.rejected += 1;
        expect(error.field).toMatch(/^credentials/);
        expect(error.message).not.toContain(MARK);
      }
    }
    expect(outcomes.converted).toBeGreaterThan(300);
    expect(outcomes.converted - outcomes.complete).toBeGreaterThan(100);
    expect(outcomes.rejected).toBeGreaterThan(10);
  });

  it('fromBaileys() drops a key with too deeply nested bytes as damaged', () => {
    let value: unknown = 'AAAA';
    for (let depth = 0; depth < 100_000; depth++) value = { type: 'Buffer', data: value };
    const { dropped } = fromBaileys({ creds: linkedParty().creds, keys: [{ type: 'identity-key', id: '1.0', value }] });
    expect(dropped).toEqual([{ type: 'identity-key', count: 1, reason: 'The key is damaged.' }]);
  });
});
