import { Curve } from '@whiskeysockets/baileys';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionBundle } from '../../src/session-bundle/bundle.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { silenceConsole } from '../support/console.ts';
import { errorOf, fullBundle, withChanges } from '../support/sample-bundle.ts';

let full: SessionBundle;
let number: string;
let lid: string;

// libsignal reports closed sessions with their keys.
silenceConsole();
beforeAll(async () => {
  full = await fullBundle();
  [number = ''] = full.credentials.me.id.split(':');
  [lid = ''] = full.credentials.me.lid?.split(':') ?? [];
});

const newKey = (half: 'private' | 'public') => Buffer.from(Curve.generateKeyPair()[half]).toString('base64');
const foreignKeyError = (field: string) => ({
  field,
  message: `The bundle has keys of another account: ${field} does not match the credentials.`,
});

describe('consistency of bundles', () => {
  it.each([
    'noiseKey',
    'identityKey',
    'signedPreKey',
  ])('parseBundle() rejects a bundle whose public key of %s does not match the private key', (name) => {
    expect(errorOf(withChanges(full, { [`credentials|${name}|private`]: newKey('private') }))).toEqual({
      field: `credentials.${name}.public`,
      message: `The field credentials.${name}.public is not the public key of its private key.`,
    });
  });

  it('parseBundle() rejects a bundle whose device was signed by another phone', () => {
    const value = withChanges(full, { 'credentials|account|accountSignatureKey': newKey('public') });
    expect(errorOf(value)).toEqual(foreignKeyError(`keys.sessions.${number}.0`));
  });

  it('parseBundle() rejects a bundle whose own LID has the session of another phone', () => {
    const otherSession = Object.entries(full.keys.sessions).find(([address]) => !address.endsWith('.0'));
    const value = withChanges(full, { [`keys|sessions|${lid}_1.0`]: otherSession?.[1] });
    expect(errorOf(value)).toEqual(foreignKeyError(`keys.sessions.${lid}_1.0`));
  });

  it('parseBundle() accepts a bundle in which only a closed state of the own phone has another key', () => {
    const [state] = Object.keys(full.keys.sessions[`${number}.0`]?._sessions ?? {});
    const info = `keys|sessions|${number}.0|_sessions|${state}|indexInfo`;
    const value = withChanges(full, { [`${info}|closed`]: 1, [`${info}|remoteIdentityKey`]: `B${'a'.repeat(43)}` });
    expect(() => parseBundle(value)).not.toThrow();
  });

  it('parseBundle() rejects a bundle in which another user has a sender key with its private key', () => {
    const ownSenderKey = Object.values(full.keys.senderKeys).find(([state]) => state?.senderSigningKey.private);
    const name = '120363000000000009@g.us::4915550009999::1';
    expect(errorOf(withChanges(full, { [`keys|senderKeys|${name}`]: ownSenderKey }))).toEqual(
      foreignKeyError(`keys.senderKeys.${name}`),
    );
    const ownLid = withChanges(full, { [`keys|senderKeys|120363000000000009@g.us::${lid}_1::1`]: ownSenderKey });
    expect(() => parseBundle(ownLid)).not.toThrow();
  });

  it('parseBundle() rejects a bundle whose app state key in use is not among its keys', () => {
    const value = withChanges(full, { 'credentials|appStateKeyId': 'AAAA' });
    expect(errorOf(value)).toEqual(foreignKeyError('credentials.appStateKeyId'));
    expect(() => parseBundle(withChanges(full, { 'keys|appStateSyncKeys': {} }))).not.toThrow();
  });

  it('parseBundle() rejects a bundle with another LID for the own number or another number for the own LID', () => {
    expect(errorOf(withChanges(full, { 'keys|lidMap|77': number }))).toEqual(foreignKeyError('keys.lidMap.77'));
    expect(errorOf(withChanges(full, { [`keys|lidMap|${lid}`]: '77' }))).toEqual(foreignKeyError(`keys.lidMap.${lid}`));
    expect(() => parseBundle(withChanges(full, { [`keys|lidMap|${lid}`]: number }))).not.toThrow();
  });

  it('parseBundle() rejects a bundle whose new pre-keys would repeat ids', () => {
    const last = Math.max(...Object.keys(full.keys.preKeys).map(Number));
    const changes = { 'credentials|nextPreKeyId': last, 'credentials|firstUnuploadedPreKeyId': last };
    expect(errorOf(withChanges(full, changes))).toEqual({
      field: 'credentials.nextPreKeyId',
      message: 'The field credentials.nextPreKeyId must be greater than the ids of all pre-keys.',
    });
    expect(errorOf(withChanges(full, { 'credentials|firstUnuploadedPreKeyId': 9999 })).field).toBe(
      'credentials.firstUnuploadedPreKeyId',
    );
  });

  it('parseBundle() rejects a bundle with credentials and without keys', () => {
    expect(errorOf(withChanges(full, { 'keys|preKeys': {}, 'keys|sessions': {} }))).toEqual({
      field: 'keys',
      message: 'The bundle has credentials without keys.',
    });
  });
});
