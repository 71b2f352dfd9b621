import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionBundle } from '../../src/session-bundle/bundle.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { silenceConsole } from '../support/console.ts';
import { errorOf, fullBundle, withChanges } from '../support/sample-bundle.ts';

let full: SessionBundle;

// libsignal reports closed sessions with their keys.
silenceConsole();
beforeAll(async () => {
  full = await fullBundle();
});

describe('parseBundle', () => {
  it('parseBundle() returns a copy of a valid bundle', () => {
    const parsed = parseBundle(full);
    expect(parsed).toEqual(full);
    expect(parsed.keys).not.toBe(full.keys);
  });

  it('parseBundle() accepts a bundle without optional fields', () => {
    const credentials =
      'appStateKeyId platform routingInfo lastPropHash lastAccountSyncTimestamp accountSyncCounter unarchiveChats';
    const absent = [...credentials.split(' ').map((name) => `credentials|${name}`), 'keys|nctSalt'];
    const value = withChanges(full, {
      ...Object.fromEntries(absent.map((path) => [path, undefined])),
      instance: { name: 'shop' },
      'credentials|me': { id: full.credentials.me.id },
    });
    expect(parseBundle(value)).toEqual(value);
  });

  it.each([null, undefined, 7, 'text', [], [{}]])('parseBundle() rejects %j, which is not an object', (value) => {
    expect(errorOf(value)).toEqual({ field: '', message: 'The bundle must be an object.' });
  });

  it('parseBundle() rejects a bundle of another format', () => {
    const message = 'The field format must be "messaging-gateway session bundle".';
    expect(errorOf(withChanges(full, { format: 'zip' }))).toEqual({ field: 'format', message });
    expect(errorOf({})).toEqual({ field: 'format', message });
  });

  it('parseBundle() reports that a newer release is needed before it reads other fields', () => {
    const value = { format: full.format, version: 2, shape: 'new' };
    expect(errorOf(value).message).toBe('The bundle was written by a newer release, which this one cannot read.');
  });

  it('parseBundle() reports that an encrypted bundle needs its passphrase', () => {
    const value = { format: full.format, version: 1, encryption: {}, ciphertext: '' };
    expect(errorOf(value).message).toBe('The bundle is encrypted: it needs its passphrase.');
  });

  it.each<[path: string, problem: string, value: unknown]>([
    ['version', 'must be 1', 0],
    ['version', 'must be 1', '1'],
    ['createdAt', 'must be a time in UTC', '2026-11-23'],
    ['createdAt', 'must be a time in UTC', '2026-13-23T00:00:00Z'],
    ['source', 'must not be empty', ''],
    ['extra', 'is unknown', 1],
    ['instance', 'is missing', undefined],
    ['instance|name', 'must have at most 200 characters', 'x'.repeat(201)],
    ['instance|name', 'must not contain control characters', 'a\u0000'],
    ['instance|name', 'must not contain a lone surrogate (half of a character)', 'a\ud800'],
    ['instance|number', 'must be a phone number or a LID in digits', '+49'],
    ['instance|settings|rejectCall', 'must be true or false', 1],
    ['instance|proxy|protocol', 'must be http or https or socks5', 'ftp'],
    ['instance|proxy|port', 'must be a whole number from 1 to 65535', 1.5],
    ['instance|webhook|events', 'must be an array', {}],
    ['instance|webhook|events', 'must have at most 100 elements', Array(101).fill('x')],
    ['instance|webhook|events|0', 'must be a text', null],
    ['credentials|registrationId', 'must be a whole number from 0 to 4294967295', 2 ** 32],
    ['credentials|advSecret', 'must be 32 bytes in base64', 'AAAA'],
    ['credentials|me|lid', 'must be a JID such as 123456789012345:7@lid', 'x'],
    ['credentials|constructor', 'is unknown', {}],
    ['keys|preKeys', 'is missing', undefined],
    ['keys|preKeys', 'must be an object', []],
    ['keys|preKeys|x', 'must be named by a number', {}],
    ['keys|preKeys|16777216', 'must be named by a number up to 16777215', {}],
    ['keys|preKeys|7', 'must be an object', 'x'],
    ['keys|sessions|4915.0', 'must be an object', null],
    ['keys|senderKeys|1::1::1', 'must be named by a group and an address', []],
    ['keys|identities|1.0', 'must be 33 bytes in base64, of which the first is 5', 'A'.repeat(44)],
    ['keys|lidMap|1', 'must be a phone number or a LID in digits', 2],
    ['keys|deviceLists|1', 'must have at most 1000 elements', Array(1001).fill('0')],
    ['keys|nctSalt', 'must be 1 to 1024 bytes in base64', ''],
  ])('parseBundle() reports that the field %s %s', (path, problem, value) => {
    const field = path.replaceAll('|', '.');
    expect(errorOf(withChanges(full, { [path]: value }))).toEqual({ field, message: `The field ${field} ${problem}.` });
  });

  it.each([
    'AAB=',
    'AQ==\n',
    '_w==',
    'AQ',
    'AB==',
  ])('parseBundle() rejects the token %j, which is not base64', (token) => {
    const path = 'keys|privacyTokens|1@lid';
    expect(() => parseBundle(withChanges(full, { [path]: { token: 'AQ==' } }))).not.toThrow();
    expect(errorOf(withChanges(full, { [path]: { token } })).field).toBe('keys.privacyTokens.1@lid.token');
  });

  it('parseBundle() rejects a session state under another base key', () => {
    const [address = '', session] = Object.entries(full.keys.sessions)[0] ?? [];
    const other = Buffer.concat([Buffer.from([5]), Buffer.alloc(32, 9)]).toString('base64');
    const [state] = Object.values(session?._sessions ?? {});
    const value = withChanges(full, { [`keys|sessions|${address}|_sessions|${other}`]: state });
    expect(errorOf(value).message).toBe(
      `The field keys.sessions.${address}._sessions.${other} must be named by its base key.`,
    );
  });

  it('parseBundle() accepts the counter -1 of a chain without messages and rejects -2', () => {
    const [address = '', session] = Object.entries(full.keys.sessions)[0] ?? [];
    const [name = ''] = Object.keys(session?._sessions ?? {});
    const state = `keys|sessions|${address}|_sessions|${name}`;
    const [chain = ''] = Object.keys(session?._sessions[name]?._chains ?? {});
    for (const path of [`${state}|currentRatchet|previousCounter`, `${state}|_chains|${chain}|chainKey|counter`]) {
      expect(() => parseBundle(withChanges(full, { [path]: -1 }))).not.toThrow();
      expect(errorOf(withChanges(full, { [path]: -2 })).field).toBe(path.replaceAll('|', '.'));
    }
  });

  it('parseBundle() rejects a session with two open states', () => {
    const [address = '', session] =
      Object.entries(full.keys.sessions).find(([, { _sessions }]) => Object.keys(_sessions).length === 2) ?? [];
    const paths = Object.keys(session?._sessions ?? {}).map(
      (name) => `keys|sessions|${address}|_sessions|${name}|indexInfo|closed`,
    );
    const value = withChanges(full, Object.fromEntries(paths.map((path) => [path, -1])));
    expect(errorOf(value).message).toBe(`The field keys.sessions.${address} must have at most one open session.`);
  });

  it('parseBundle() rejects more than 100,000 keys of all types together without reading them', () => {
    const half = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [n, 'not checked']));
    const value = withChanges(full, { 'keys|lidMap': half, 'keys|deviceLists': half });
    expect(errorOf(value).message).toBe('The field keys must have at most 100000 keys of all types together.');
  });

  it('parseBundle() reads members such as __proto__ as plain data or rejects them', () => {
    const text = JSON.stringify(full).replace('"Authorization"', '"__proto__":"x","constructor":"y","Authorization"');
    const { instance } = parseBundle(JSON.parse(text));
    expect(Object.entries(instance.webhook?.headers ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['Authorization', 'Bearer secret'],
    ]);
    const polluted = JSON.stringify(full).replace('"preKeys":{', '"preKeys":{"__proto__":{},');
    expect(errorOf(JSON.parse(polluted)).field).toBe('keys.preKeys.__proto__');
  });

  it('parseBundle() repeats only a short and printable part of a field name in its error', () => {
    const value = withChanges(full, { [`\u001b[31m${'x'.repeat(10_000)}`]: 1 });
    expect(errorOf(value).message).toBe(`The field ??31m${'x'.repeat(75)} is unknown.`);
  });
});
