import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeHeader, parseHeader, readArchive, writeArchive } from '../../src/backup/archive.ts';
import { emptyFolder } from '../support/folder.ts';

const entry = (name: string, content: string, size = content.length) => ({
  name,
  size,
  content: Readable.from([Buffer.from(content)]),
});

async function archiveOf(...files: [name: string, content: string][]): Promise<string> {
  const path = join(emptyFolder(), 'a.tar.gz');
  await writeArchive(
    path,
    files.map(([name, content]) => entry(name, content)),
  );
  return path;
}

async function read(path: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { name, content } of readArchive(path)) found.push([name, await text(content)]);
  return found;
}

describe('an archive', () => {
  const long = 'x'.repeat(200_000);

  it('readArchive() returns the files that writeArchive() stored, and only the owner can read the archive', async () => {
    const files: [string, string][] = [
      ['empty', ''],
      ['one block', 'y'.repeat(512)],
      ['long', long],
    ];
    const path = await archiveOf(...files);
    expect(await read(path)).toEqual(files);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('tar lists and extracts an archive of writeArchive()', async () => {
    const path = await archiveOf(['a', 'text of a'], ['b', long]);
    expect(execFileSync('tar', ['tzf', path], { encoding: 'utf8' })).toBe('a\nb\n');
    expect(execFileSync('tar', ['xzOf', path, 'a'], { encoding: 'utf8' })).toBe('text of a');
  });

  it.each([0, 8 ** 11 - 1, 8 ** 11, 2 ** 45])('parseHeader() reads the header of a file of %i bytes', (size) => {
    expect(parseHeader(encodeHeader('gateway.db', size))).toEqual({ name: 'gateway.db', size });
  });

  it('writeArchive() rejects when the path exists, and when a file changes while it is read', async () => {
    const path = await archiveOf(['a', 'a']);
    await expect(writeArchive(path, [entry('a', 'b')])).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(writeArchive(`${path}.2`, [entry('a', 'short', 6)])).rejects.toThrow('a changed while it was read.');
  });

  it('readArchive() rejects an archive that was changed or truncated at any place', async () => {
    const path = await archiveOf(['a', 'text of a'], ['b', long]);
    const bytes = readFileSync(path);
    const plain = gunzipSync(bytes);
    const damagedArchives: Buffer[] = [
      Buffer.alloc(0),
      Buffer.from('no archive at all'),
      bytes.subarray(0, 20),
      bytes.subarray(0, -1),
      Buffer.from(bytes).fill(7, bytes.length - 8, bytes.length - 6),
      gzipSync(plain.subarray(0, 1000)),
      gzipSync(Buffer.concat([Buffer.from('X'), plain.subarray(1)])),
    ];
    for (const [index, damaged] of damagedArchives.entries()) {
      writeFileSync(path, damaged);
      await expect(read(path), `damage ${index}`).rejects.toThrow();
    }
  });
});
