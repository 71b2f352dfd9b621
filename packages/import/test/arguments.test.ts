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
const secretsEnv = { GATEWAY_KEY: 'global-key', BUNDLE_PASSPHRASE: 'passphrase' };
const createSecretFile = (text: string) => {
  const file = join(emptyFolder(), 'secret');
  writeFileSync(file, text);
  return file;
};

describe('arguments of the import program', () => {
  it('parseArguments() returns the source, the sessions and the target', () => {
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
  ])('parseArguments() rejects "%s" with the message: %s', (line, message) => {
    expect(() => parse(line, secretsEnv)).toThrow(message);
  });

  it('parseArguments() requires the global key for --to', () => {
    expect(() => parse('--from baileys --path /data --to http://a')).toThrow('--to needs the global key');
  });

  it('parseArguments() prefers secrets from files to the environment and rejects unusable files', () => {
    const line = `--from baileys --path /data --to http://a --key-file ${createSecretFile('from-file\n')}`;
    expect(parse(line, secretsEnv).target?.options.key).toBe('from-file');
    const missing = '--from baileys --path /data --to http://a --passphrase-file';
    expect(() => parse(`${missing} /none`)).toThrow('The file of --passphrase-file cannot be read: /none.');
    expect(() => parse(`${missing} ${createSecretFile(' \n')}`)).toThrow('The file of --passphrase-file is empty');
    expect(() => parse(`${missing} ${createSecretFile('x'.repeat(5000))}`)).toThrow('--passphrase-file cannot be read');
  });

  it.each([
    ['a space at both ends', ' correct horse ', ' correct horse '],
    ['a line break at the end', 'correct horse\n', 'correct horse'],
    ['a line break of Windows', 'correct horse\r\n', 'correct horse'],
    ['two line breaks', 'correct horse\n\n', 'correct horse\n'],
  ])('parseArguments() removes only one final line break of a passphrase (%s)', (_, text, passphrase) => {
    const line = '--from bundle --path /data --dry-run';
    expect(parse(`${line} --passphrase-file ${createSecretFile(text)}`).sourceOptions).toMatchObject({ passphrase });
    expect(parse(line, { BUNDLE_PASSPHRASE: text }).sourceOptions).toMatchObject({ passphrase });
  });

  it('parseArguments() warns about secrets that other users of the machine can see', () => {
    const key = parse('--from baileys --path /data --to http://a --key global-key');
    expect(key.warnings).toEqual(['--key is visible to other users of this machine: use --key-file.']);
    expect(key.secrets).toEqual(['global-key']);
    const database = parse('--from baileys-api --redis redis://user:p%40ss@127.0.0.1/0 --dry-run');
    expect(database.warnings).toEqual([
      'The password in --redis is visible to other users of this machine: use SOURCE_REDIS in the environment.',
    ]);
    expect(database.secrets).toEqual(['p%40ss', 'p@ss']);
  });

  it('parseArguments() takes addresses of databases from the environment', () => {
    const url = 'redis://:password@127.0.0.1:6379/0';
    const args = parse('--from baileys-api --dry-run', { SOURCE_REDIS: url, SOURCE_MONGO: 'mongodb://other' });
    expect(args).toMatchObject({ sourceOptions: { redis: url }, warnings: [], secrets: ['password'] });
    expect(args.sourceOptions).not.toHaveProperty('mongo');
  });

  it('parseArguments() ignores empty environment variables', () => {
    const empty = { SOURCE_DATABASE: '', SOURCE_REDIS: '', SOURCE_MONGO: '' };
    expect(parse('--from baileys --path /data --dry-run', empty).sourceOptions).toEqual({ path: '/data' });
    expect(() => parse('--from baileys-api --dry-run', empty)).toThrow('--from baileys-api needs --redis');
  });

  it('parseArguments() returns "help" for --help, and helpText() contains options and sources', () => {
    expect(parseArguments(['--help'], {})).toBe('help');
    const text = helpText();
    for (const name of ['--from', '--key-file', '--dry-run', '--to-baileys', 'baileys-api'])
      expect(text).toContain(name);
  });
});
