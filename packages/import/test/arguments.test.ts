import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/support/folder.ts';
import { type Arguments, helpText, parseArguments } from '../src/arguments.ts';

const parse = (line: string, env: Record<string, string> = {}): Arguments => {
  const args = parseArguments(line.split(' '), env);
  if (args === 'help') throw new Error('--help was not given');
  return args;
};
const withKey = { GATEWAY_KEY: 'global-key', BUNDLE_PASSPHRASE: 'passphrase' };
const secretFile = (text: string) => {
  const file = join(emptyFolder(), 'secret');
  writeFileSync(file, text);
  return file;
};

describe('the arguments', () => {
  it('select a source, sessions and a target', () => {
    const args = parse('--from baileys --path /data --instance a --instance b --to http://127.0.0.1:8080 --force', {
      GATEWAY_KEY: ' global-key\n',
    });
    expect(args).toMatchObject({
      sourceOptions: { path: '/data' },
      instances: ['a', 'b'],
      target: { kind: 'to', options: { location: 'http://127.0.0.1:8080', key: 'global-key' } },
      dryRun: false,
      force: true,
      warnings: [],
      secrets: ['global-key'],
    });
  });

  it.each([
    ['--path /data --dry-run', '--from is missing: one of baileys,'],
    ['--from telegram', '--from telegram is unknown: use one of baileys,'],
    ['--from toString', '--from toString is unknown'],
    ['--from baileys --dry-run', '--from baileys needs --path.'],
    ['--from baileys-api --dry-run', '--from baileys-api needs --redis, or SOURCE_REDIS in the environment.'],
    ['--from baileys --path /data --redis redis://a --dry-run', '--redis has no meaning with --from baileys.'],
    ['--from baileys --path /data --allow-unencrypted', '--allow-unencrypted has no meaning with --from baileys.'],
    ['--from baileys --path /data', 'Choose where to write: --to, '],
    ['--from baileys --path /data --to http://a --to-baileys b', 'Choose one target, not --to and --to-baileys.'],
    ['--from baileys --path= --dry-run', '--path is empty.'],
    ['--from baileys --path /data --speed 3', "Unknown option '--speed'"],
    ['--from baileys --path', "Option '--path <value>' argument missing"],
    ['--from baileys --path /data surplus', "Unexpected argument 'surplus'"],
  ])('%s fail: %s', (line, message) => {
    expect(() => parse(line, withKey)).toThrow(message);
  });

  it('need a key for a gateway and a passphrase for bundles', () => {
    expect(() => parse('--from baileys --path /data --to http://a')).toThrow('--to needs the global key');
  });

  it('take secrets from files, which win over the environment', () => {
    const line = `--from baileys --path /data --to http://a --key-file ${secretFile('from-file\n')}`;
    expect(parse(line, withKey).target?.options.key).toBe('from-file');
    const missing = '--from baileys --path /data --to http://a --passphrase-file';
    expect(() => parse(`${missing} /none`)).toThrow('The file of --passphrase-file cannot be read: /none.');
    expect(() => parse(`${missing} ${secretFile(' \n')}`)).toThrow('The file of --passphrase-file is empty');
    expect(() => parse(`${missing} ${secretFile('x'.repeat(5000))}`)).toThrow('--passphrase-file cannot be read');
  });

  it.each([
    ['a space at both ends', ' correct horse ', ' correct horse '],
    ['a line break at the end', 'correct horse\n', 'correct horse'],
    ['a line break of Windows', 'correct horse\r\n', 'correct horse'],
    ['two line breaks', 'correct horse\n\n', 'correct horse\n'],
  ])('take a passphrase as the API does, with %s', (_, text, passphrase) => {
    const line = '--from bundle --path /data --dry-run';
    expect(parse(`${line} --passphrase-file ${secretFile(text)}`).sourceOptions).toMatchObject({ passphrase });
    expect(parse(line, { BUNDLE_PASSPHRASE: text }).sourceOptions).toMatchObject({ passphrase });
  });

  it('warn about secrets that other users of the machine can see', () => {
    const key = parse('--from baileys --path /data --to http://a --key global-key');
    expect(key.warnings).toEqual(['--key is visible to other users of this machine: use --key-file.']);
    expect(key.secrets).toEqual(['global-key']);
    const database = parse('--from baileys-api --redis redis://user:p%40ss@127.0.0.1/0 --dry-run');
    expect(database.warnings).toEqual([
      'The password in --redis is visible to other users of this machine: use SOURCE_REDIS in the environment.',
    ]);
    expect(database.secrets).toEqual(['p%40ss', 'p@ss']);
  });

  it('take addresses of databases from the environment', () => {
    const url = 'redis://:password@127.0.0.1:6379/0';
    const args = parse('--from baileys-api --dry-run', { SOURCE_REDIS: url, SOURCE_MONGO: 'mongodb://other' });
    expect(args).toMatchObject({ sourceOptions: { redis: url }, warnings: [], secrets: ['password'] });
    expect(args.sourceOptions).not.toHaveProperty('mongo');
  });

  it('ignore empty variables of the environment', () => {
    const empty = { SOURCE_DATABASE: '', SOURCE_REDIS: '', SOURCE_MONGO: '' };
    expect(parse('--from baileys --path /data --dry-run', empty).sourceOptions).toEqual({ path: '/data' });
    expect(() => parse('--from baileys-api --dry-run', empty)).toThrow('--from baileys-api needs --redis');
  });

  it('explain themselves with --help, with every option and every source', () => {
    expect(parseArguments(['--help'], {})).toBe('help');
    const text = helpText();
    for (const name of ['--from', '--key-file', '--dry-run', '--to-baileys', 'baileys-api'])
      expect(text).toContain(name);
  });
});
