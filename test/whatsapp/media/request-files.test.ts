import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { RequestFiles } from '../../../src/whatsapp/media/request-files.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';

const stream = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('files that came with a request', () => {
  it('RequestFiles returns a file once under a random address', async () => {
    const folder = ownTemporaryFolder();
    const uploads = new RequestFiles(100);
    const [first, second] = await Promise.all([uploads.store(stream('ab', '', 'cd')), uploads.store(stream('x'))]);
    expect(first).toMatch(/^upload:[\da-f-]{36}$/);
    expect(first).not.toBe(second);
    expect(readdirSync(folder), 'they have no name').toEqual([]);
    expect(String(await uploads.take(first))).toBe('abcd');
    expect(await uploads.take(first)).toBeUndefined();
    await uploads.remove(first);
    await uploads.remove(second);
    expect(await uploads.take(second)).toBeUndefined();
    expect(uploads.size).toBe(0);
  });

  it('RequestFiles accepts files up to the limit and stops reading beyond it', async () => {
    const uploads = new RequestFiles(4);
    expect(await uploads.take(await uploads.store(stream('abcd')))).toHaveLength(4);
    const source = stream('abc', 'de', 'f'.repeat(50));
    await expect(uploads.store(source)).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
      status: 413,
      responseMessage: 'The file is larger than 4 bytes',
    });
    expect(source.destroyed).toBe(true);
    expect(uploads.size).toBe(0);
  });

  it('RequestFiles removes a file whose stream breaks off', async () => {
    const uploads = new RequestFiles(100);
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('a');
        throw new Error('gone');
      })(),
    );
    await expect(uploads.store(source)).rejects.toThrow('gone');
    expect(uploads.size).toBe(0);
  });

  it('RequestFiles throws INTERNAL when a file cannot be written', async () => {
    ownTemporaryFolder();
    vi.stubEnv('TMPDIR', '/nothing/is/here');
    await expect(new RequestFiles(100).store(stream('a'))).rejects.toMatchObject({ code: 'INTERNAL', status: 500 });
  });
});
