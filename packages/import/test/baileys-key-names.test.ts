import { describe, expect, it } from 'vitest';
import { parseKeyFileName, parseKeyName, toKeyFileName } from '../src/baileys/key-names.ts';

const FILES: [file: string, type: string, id: string][] = [
  ['pre-key-17.json', 'pre-key', '17'],
  ['session-4915550001001.0.json', 'session', '4915550001001.0'],
  ['session-123456789012345_1.7.json', 'session', '123456789012345_1.7'],
  [
    'sender-key-120363000000000001@g.us--4915550001001--3.json',
    'sender-key',
    '120363000000000001@g.us::4915550001001::3',
  ],
  [
    'sender-key-4915550001001-1600000000@g.us--123456789012345_1--0.json',
    'sender-key',
    '4915550001001-1600000000@g.us::123456789012345_1::0',
  ],
  ['sender-key-memory-4915550001001-1600000000@g.us.json', 'sender-key-memory', '4915550001001-1600000000@g.us'],
  ['app-state-sync-key-AAAAA__b+c__=.json', 'app-state-sync-key', 'AAAAA/b+c/='],
  ['app-state-sync-version-regular_high.json', 'app-state-sync-version', 'regular_high'],
  ['identity-key-4915550001001.0.json', 'identity-key', '4915550001001.0'],
  ['lid-mapping-123456789012345_reverse.json', 'lid-mapping', '123456789012345_reverse'],
  ['device-list-4915550001001.json', 'device-list', '4915550001001'],
  ['tctoken-__index.json', 'tctoken', '__index'],
  ['tctoken-123456789012345@lid.json', 'tctoken', '123456789012345@lid'],
];

describe('names of stored keys', () => {
  it.each(FILES)('the key file %s stands for the key of type %s with the id %s', (file, type, id) => {
    expect(parseKeyFileName(file.replace('.json', ''))).toEqual({ type, id });
    expect(toKeyFileName({ type, id })).toBe(file);
    expect(parseKeyName(`${type}-${id}`), 'in a database').toEqual({ type, id });
  });

  it.each([
    'creds',
    'baileys_store',
    'pre-key-',
    'pre-key',
    'sessions-1',
    '',
  ])('parseKeyFileName() returns undefined for "%s"', (name) => {
    expect(parseKeyFileName(name)).toBeUndefined();
  });
});
