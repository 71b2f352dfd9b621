import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encryptFile } from '../../../packages/sandbox/src/crypto/media-cipher.ts';
import type { AttachedFile } from '../../../src/whatsapp/media/attached-file.ts';
import {
  CorruptError,
  DiskError,
  encryptedSize,
  OversizeError,
  spool,
} from '../../../src/whatsapp/media/encrypted-spool.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-test-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  expect(readdirSync(folder), 'the temporary folder is empty').toEqual([]);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function encrypt(content: Buffer, overrides: Partial<AttachedFile> = {}) {
  const { body, ...keys } = encryptFile(content, 'video');
  const unknownFields = {
    directPath: '/v',
    url: undefined,
    fileLength: undefined,
    mimetype: undefined,
    fileName: undefined,
  };
  const attached: AttachedFile = {
    kind: 'video',
    mediaKey: Buffer.from(keys.mediaKey),
    fileSha256: Buffer.from(keys.fileSha256),
    fileEncSha256: Buffer.from(keys.fileEncSha256),
    ...unknownFields,
    ...overrides,
  };
  return { body, attached };
}

async function* inPieces(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < body.length; from += size) yield body.subarray(from, from + size);
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}

const MAX_BYTES = 10_000_000;

describe('spool', () => {
  it.each([
    [0, 100],
    [1, 1],
    [15, 7],
    [16, 9],
    [70_001, 10],
    [70_001, 4_099],
    [3_000_000, 65_536],
  ])('spool() returns the original content: %i bytes in chunks of %i', async (length, piece) => {
    const content = randomBytes(length);
    const { body, attached } = encrypt(content);
    expect(body.length).toBe(encryptedSize(length));
    const file = await spool(inPieces(body, piece), attached, MAX_BYTES);
    expect(file.size).toBe(length);
    expect((await readAll(file.read())).equals(content)).toBe(true);
    expect((await readAll(file.read())).equals(content), 'the second read').toBe(true);
    await file.close();
  });

  it('spool() accepts a file without hashes in its message, because the MAC is checked', async () => {
    const { body, attached } = encrypt(randomBytes(100), { fileSha256: undefined, fileEncSha256: undefined });
    const file = await spool(inPieces(body, 50), attached, MAX_BYTES);
    expect(file.size).toBe(100);
    await file.close();
  });

  it('spool() rejects a file that fails a check before it yields a byte', async () => {
    const content = randomBytes(1_000);
    const validFile = encrypt(content);
    const unhashed = { fileSha256: undefined, fileEncSha256: undefined };
    const flip = (at: number) => {
      const body = Buffer.from(validFile.body);
      body[at] = (body[at] ?? 0) ^ 1;
      return body;
    };
    const unhashedFile = { ...validFile.attached, ...unhashed };
    const cases: [string, Buffer, AttachedFile][] = [
      ['a changed bit of the content', flip(5), unhashedFile],
      ['a changed bit of the last block', flip(validFile.body.length - 12), unhashedFile],
      ['a changed bit of the MAC', flip(validFile.body.length - 1), unhashedFile],
      ['a missing end', validFile.body.subarray(0, -16), unhashedFile],
      ['a truncated block', validFile.body.subarray(0, -5), unhashedFile],
      ['an empty file', Buffer.alloc(0), unhashedFile],
      ['a MAC without content', validFile.body.subarray(-10), unhashedFile],
      ['another key', validFile.body, { ...unhashedFile, mediaKey: randomBytes(32) }],
      ['another kind', validFile.body, { ...unhashedFile, kind: 'image' }],
      ['another hash of the encrypted file', validFile.body, { ...unhashedFile, fileEncSha256: randomBytes(32) }],
      ['another hash of the content', validFile.body, { ...unhashedFile, fileSha256: randomBytes(32) }],
    ];
    for (const [label, body, attached] of cases)
      await expect(spool(inPieces(body, 333), attached, MAX_BYTES), label).rejects.toThrow(CorruptError);
  });

  it('spool() verifies an unencrypted file by the hash of its content', async () => {
    const content = randomBytes(70_001);
    const unencrypted = { mediaKey: undefined, fileEncSha256: undefined };
    const { attached } = encrypt(content, unencrypted);
    const file = await spool(inPieces(content, 333), attached, content.length);
    expect(file.size).toBe(content.length);
    for (const _ of [1, 2]) expect((await readAll(file.read())).equals(content)).toBe(true);
    await file.close();
    const empty = await spool(inPieces(Buffer.alloc(0), 1), encrypt(Buffer.alloc(0), unencrypted).attached, MAX_BYTES);
    expect(await readAll(empty.read())).toHaveLength(0);
    await empty.close();
    const other = { ...attached, fileSha256: randomBytes(32) };
    for (const wrong of [other, { ...attached, fileSha256: undefined }])
      await expect(spool(inPieces(content, 333), wrong, MAX_BYTES)).rejects.toThrow(CorruptError);
    await expect(spool(inPieces(content, 333), attached, content.length - 1)).rejects.toThrow(OversizeError);
  });

  it('spool() stops reading at the size limit', async () => {
    const { body, attached } = encrypt(randomBytes(5_000));
    let readBytes = 0;
    async function* counted() {
      for await (const piece of inPieces(body, 100)) {
        readBytes += piece.length;
        yield piece;
      }
    }
    await expect(spool(counted(), attached, 1_000)).rejects.toThrow(OversizeError);
    expect(readBytes).toBeLessThan(1_300);
    await expect(spool(inPieces(body, 100), attached, 4_999)).rejects.toThrow(OversizeError);
    const file = await spool(inPieces(body, 100), attached, 5_000);
    await file.close();
  });

  it('spool() throws DiskError for an unusable directory for temporary files', async () => {
    const { body, attached } = encrypt(randomBytes(10));
    vi.stubEnv('TMPDIR', join(folder, 'missing'));
    await expect(spool(inPieces(body, 5), attached, MAX_BYTES)).rejects.toThrow(DiskError);
  });

  it('spool() leaves no file behind when the stream fails', async () => {
    const { body, attached } = encrypt(randomBytes(5_000));
    async function* broken() {
      yield body.subarray(0, 2_000);
      throw new Error('the line is dead');
    }
    await expect(spool(broken(), attached, MAX_BYTES)).rejects.toThrow('the line is dead');
  });
});
