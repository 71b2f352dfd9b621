import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RequestFiles } from '../../../src/whatsapp/media/request-files.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';

/** Limits that keep no file in memory. */
const NO_MEMORY = { file: 0, total: 0 };

const stream = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

interface Reader {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/** Makes each read of a file return at most `maxBytes` bytes until the test ends. */
async function limitReads(maxBytes: number): Promise<void> {
  const file = await open(process.execPath);
  const prototype: Reader = Object.getPrototypeOf(file);
  await file.close();
  const { read } = prototype;
  const spy = vi.spyOn(prototype, 'read').mockImplementation(function (this: Reader, buffer, offset, length, position) {
    return read.call(this, buffer, offset, Math.min(length, maxBytes), position);
  });
  onTestFinished(() => spy.mockRestore());
}

describe('RequestFiles', () => {
  it('RequestFiles returns a file once under a random address', async () => {
    const folder = ownTemporaryFolder();
    const uploads = new RequestFiles(100, NO_MEMORY);
    const [first, second] = await Promise.all([uploads.store(stream('ab', '', 'cd')), uploads.store(stream('x'))]);
    expect(first).toMatch(/^upload:[\da-f-]{36}$/);
    expect(first).not.toBe(second);
    expect(readdirSync(folder), 'the files have no name').toEqual([]);
    expect(String(await uploads.take(first))).toBe('abcd');
    expect(await uploads.take(first)).toBeUndefined();
    await uploads.remove(first);
    await uploads.remove(second);
    expect(await uploads.take(second)).toBeUndefined();
    expect(uploads.size).toBe(0);
  });

  it('RequestFiles accepts files up to the limit and stops reading beyond it', async () => {
    const uploads = new RequestFiles(4, NO_MEMORY);
    expect(await uploads.take(await uploads.store(stream('abcd')))).toHaveLength(4);
    const source = stream('abc', 'de', 'f'.repeat(50));
    await expect(uploads.store(source)).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
      status: 413,
      responseMessage: 'The file is larger than 4 bytes (setting MEDIA_LIMIT).',
    });
    expect(source.destroyed).toBe(true);
    expect(uploads.size).toBe(0);
  });

  it('RequestFiles removes a file whose stream fails', async () => {
    const uploads = new RequestFiles(100, NO_MEMORY);
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('a');
        throw new Error('gone');
      })(),
    );
    await expect(uploads.store(source)).rejects.toThrow('gone');
    expect(uploads.size).toBe(0);
  });

  it('RequestFiles returns the whole file when the operating system reads it in parts', async () => {
    ownTemporaryFolder();
    const uploads = new RequestFiles(100, NO_MEMORY);
    const address = await uploads.store(stream('abcdefg'));
    await limitReads(3);
    expect(String(await uploads.take(address))).toBe('abcdefg');
  });

  it('RequestFiles throws INTERNAL when a file ends before its size', async () => {
    ownTemporaryFolder();
    const uploads = new RequestFiles(100, NO_MEMORY);
    const address = await uploads.store(stream('abcdefg'));
    await limitReads(0);
    await expect(uploads.take(address)).rejects.toMatchObject({ code: 'INTERNAL', status: 500 });
    expect(uploads.size).toBe(0);
  });

  it('RequestFiles throws INTERNAL when a file cannot be written', async () => {
    ownTemporaryFolder();
    vi.stubEnv('TMPDIR', '/nothing/is/here');
    await expect(new RequestFiles(100, NO_MEMORY).store(stream('a'))).rejects.toMatchObject({
      code: 'INTERNAL',
      status: 500,
    });
  });

  it('RequestFiles keeps small files in memory while they fit into the memory limit', async () => {
    const folder = ownTemporaryFolder();
    vi.stubEnv('TMPDIR', '/nothing/is/here');
    const uploads = new RequestFiles(100, { file: 4, total: 6 });
    const first = await uploads.store(stream('ab', 'cd'));
    const second = await uploads.store(stream('ef'));
    await expect(uploads.store(stream('g')), 'the memory is full').rejects.toMatchObject({ code: 'INTERNAL' });
    await uploads.remove(second);
    await expect(uploads.store(stream('ghi')), 'there is room for two bytes').rejects.toMatchObject({
      code: 'INTERNAL',
    });
    expect(uploads.digestOf(first)).toBe(createHash('sha256').update('abcd').digest('base64url'));
    expect(String(await uploads.take(first))).toBe('abcd');
    await expect(uploads.store(stream('abcd', 'e')), 'the file is too large').rejects.toMatchObject({
      code: 'INTERNAL',
    });
    expect(String(await uploads.take(await uploads.store(stream('wxyz'))))).toBe('wxyz');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('RequestFiles moves a file to the disk when it exceeds the memory limit', async () => {
    ownTemporaryFolder();
    const uploads = new RequestFiles(100, { file: 4, total: 6 });
    const text = 'abcdefghijklmnopqrstuvwxyz';
    expect(String(await uploads.take(await uploads.store(stream(...text))))).toBe(text);
    const whole = await uploads.store(stream('abcd'));
    await limitReads(0);
    expect(String(await uploads.take(whole)), 'the file is in memory').toBe('abcd');
  });
});
