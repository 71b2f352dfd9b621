import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';
import { runNpm } from '../support/process.ts';
import { compareVersions, fetchFiles, findNewestVersion, RegistryError } from './registry.ts';
import { readTarball } from './tarball.ts';

const answerWith = (output: unknown) => async () => (typeof output === 'string' ? output : JSON.stringify(output));

/** Creates an archive with these files. `type` is the type of their entries: 0 for files, 2 for links. */
function createArchive(files: Record<string, string>, type = '0'): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(Buffer.byteLength(text).toString(8).padStart(11, '0'), 124);
    header.write(type, 156);
    const content = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    content.write(text);
    return [header, content];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

describe('findNewestVersion', () => {
  it('findNewestVersion() returns the highest version, not that of a dist-tag', async () => {
    const versions = ['6.7.24', '7.0.0-rc.9', '7.0.0-rc14', '7.0.0-rc2', '6.17.16', 'not a version', 7];
    expect(await findNewestVersion(answerWith(versions), 'library', '.')).toBe('7.0.0-rc14');
    expect(await findNewestVersion(answerWith('"1.2.3"'), 'library', '.')).toBe('1.2.3');
  });

  it.each([
    ['text that is not JSON', '<html>'],
    ['an object', {}],
    ['an empty list', []],
    ['invalid versions', ['../../x', '--force']],
  ])('findNewestVersion() rejects with RegistryError when npm answers with %s', async (_what, output) => {
    await expect(findNewestVersion(answerWith(output), 'library', '.')).rejects.toThrow(RegistryError);
  });
});

it.each([
  ['7.0.0-rc.9', '7.0.0-rc10'],
  ['7.0.0-rc14', '7.0.0'],
  ['0.6.0-alpha.42', '0.6.0-beta.1'],
  ['0.9.0', '0.10.0'],
  ['1.0.0', '1.0.1-rc.1'],
])('compareVersions() sorts %s before %s', (lower, higher) => {
  expect(compareVersions(lower, higher)).toBeLessThan(0);
  expect(compareVersions(higher, lower)).toBeGreaterThan(0);
  expect(compareVersions(lower, lower)).toBe(0);
});

describe('fetchFiles', () => {
  it('fetchFiles() returns the wanted files of the archive that npm downloads', async () => {
    const calls: (readonly string[])[] = [];
    const npm = async (args: readonly string[], folder: string) => {
      calls.push(args.slice(0, 2));
      writeFileSync(
        join(folder, 'library-1.0.0.tgz'),
        createArchive({ 'package/a.d.ts': 'one', 'package/b.js': 'two' }),
      );
      return '[]';
    };
    const options = { folder: emptyFolder(), isWanted: (path: string) => path.endsWith('.d.ts') };
    const files = await fetchFiles(npm, '@scope/library', '1.0.0', options);
    expect([...files]).toEqual([['a.d.ts', 'one']]);
    expect(calls).toEqual([['pack', '@scope/library@1.0.0']]);
  });

  it('fetchFiles() rejects with RegistryError when npm downloads nothing', async () => {
    const options = { folder: emptyFolder(), isWanted: () => true };
    await expect(fetchFiles(answerWith('[]'), 'library', '1.0.0', options)).rejects.toThrow(RegistryError);
  });
});

describe('readTarball', () => {
  it('readTarball() ignores links', () => {
    expect(readTarball(createArchive({ 'package/link': '' }, '2'), () => true).size).toBe(0);
  });

  it('readTarball() throws for a damaged archive', () => {
    const bytes = Buffer.alloc(512);
    bytes.write('package/a');
    bytes.write('77777777777', 124);
    expect(() => readTarball(gzipSync(bytes), () => true)).toThrow('the archive is damaged');
  });

  it('readTarball() throws for an archive that unpacks to more than the maximum size', () => {
    expect(() => readTarball(createArchive({ 'package/a': 'text' }), () => true, 1024)).toThrow();
  });
});

it('npm run upstream exits with 69 and prints the reason when the registry does not answer', async () => {
  const program = runNpm(['run', 'upstream'], {
    HOME: emptyFolder(),
    npm_config_registry: `http://127.0.0.1:${await freePort()}/`,
  });
  expect(await program.ended).toBe(69);
  expect(program.lines.join('\n')).toMatch(
    /The npm registry does not answer: .*ECONNREFUSED.*Check the network and try again\./s,
  );
});
