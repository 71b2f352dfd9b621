import { Curve } from '@whiskeysockets/baileys';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionBundle } from '../../src/session-bundle/bundle.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { silenceConsole } from '../support/console.ts';
import { changed, errorOf, fullBundle } from './sample.ts';

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
const foreign = (field: string) => ({
  field,
  message: `The bundle has keys of another account: ${field} does not match the credentials.`,
});

describe('a bundle', () => {
  it.each(['noiseKey', 'identityKey', 'signedPreKey'])('is rejected when the public key of %s is another', (name) => {
    expect(errorOf(changed(full, { [`credentials|${name}|private`]: newKey('private') }))).toEqual({
      field: `credentials.${name}.public`,
      message: `The field credentials.${name}.public is not the public key of its private key.`,
    });
  });

  it('is rejected when another phone signed the device', () => {
    const value = changed(full, { 'credentials|account|accountSignatureKey': newKey('public') });
    expect(errorOf(value)).toEqual(foreign(`keys.sessions.${number}.0`));
  });

  it('is rejected when the own LID has the session of another phone', () => {
    const stranger = Object.entries(full.keys.sessions).find(([address]) => !address.endsWith('.0'));
    const value = changed(full, { [`keys|sessions|${lid}_1.0`]: stranger?.[1] });
    expect(errorOf(value)).toEqual(foreign(`keys.sessions.${lid}_1.0`));
  });

  it('is accepted when only a closed state of the own phone has another key', () => {
    const [state] = Object.keys(full.keys.sessions[`${number}.0`]?._sessions ?? {});
    const info = `keys|sessions|${number}.0|_sessions|${state}|indexInfo`;
    const value = changed(full, { [`${info}|closed`]: 1, [`${info}|remoteIdentityKey`]: `B${'a'.repeat(43)}` });
    expect(() => parseBundle(value)).not.toThrow();
  });

  it('is rejected when another user has a sender key with its private key', () => {
    const own = Object.values(full.keys.senderKeys).find(([state]) => state?.senderSigningKey.private);
    const name = '120363000000000009@g.us::4915550009999::1';
    expect(errorOf(changed(full, { [`keys|senderKeys|${name}`]: own }))).toEqual(foreign(`keys.senderKeys.${name}`));
    const ownLid = changed(full, { [`keys|senderKeys|120363000000000009@g.us::${lid}_1::1`]: own });
    expect(() => parseBundle(ownLid)).not.toThrow();
  });

  it('is rejected when the app state key in use is not among the keys', () => {
    const value = changed(full, { 'credentials|appStateKeyId': 'AAAA' });
    expect(errorOf(value)).toEqual(foreign('credentials.appStateKeyId'));
    expect(() => parseBundle(changed(full, { 'keys|appStateSyncKeys': {} }))).not.toThrow();
  });

  it('is rejected when the own number has another LID, or the own LID another number', () => {
    expect(errorOf(changed(full, { 'keys|lidMap|77': number }))).toEqual(foreign('keys.lidMap.77'));
    expect(errorOf(changed(full, { [`keys|lidMap|${lid}`]: '77' }))).toEqual(foreign(`keys.lidMap.${lid}`));
    expect(() => parseBundle(changed(full, { [`keys|lidMap|${lid}`]: number }))).not.toThrow();
  });

  it('is rejected when new pre-keys would repeat ids', () => {
    const last = Math.max(...Object.keys(full.keys.preKeys).map(Number));
    const changes = { 'credentials|nextPreKeyId': last, 'credentials|firstUnuploadedPreKeyId': last };
    expect(errorOf(changed(full, changes))).toEqual({
      field: 'credentials.nextPreKeyId',
      message: 'The field credentials.nextPreKeyId must be greater than the ids of all pre-keys.',
    });
    expect(errorOf(changed(full, { 'credentials|firstUnuploadedPreKeyId': 9999 })).field).toBe(
      'credentials.firstUnuploadedPreKeyId',
    );
  });

  it('is rejected when it has credentials without keys', () => {
    expect(errorOf(changed(full, { 'keys|preKeys': {}, 'keys|sessions': {} }))).toEqual({
      field: 'keys',
      message: 'The bundle has credentials without keys.',
    });
  });
});
