import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { spool } from '../../../src/whatsapp/media/encrypted-spool.ts';
import { RequestFiles } from '../../../src/whatsapp/media/request-files.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';

async function* bytes() {
  yield Buffer.from('content');
}

/** Makes unlink() fail until the test ends. Returns the list of the files that are opened after this call. */
function failUnlink(): FileHandle[] {
  const opened: FileHandle[] = [];
  const { open } = fs;
  const spies = [
    vi.spyOn(fs, 'unlink').mockRejectedValue(new Error('read-only file system')),
    vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
      const file = await open(...args);
      opened.push(file);
      return file;
    }),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  return opened;
}

const attached = {
  kind: 'image',
  mediaKey: undefined,
  fileSha256: Buffer.alloc(32),
  fileEncSha256: undefined,
  ...{ directPath: '/i', url: undefined, fileLength: undefined, mimetype: undefined, fileName: undefined },
} as const;

describe('temporary files without a name', () => {
  it.each([
    ['RequestFiles.store()', 'INTERNAL', () => new RequestFiles(100, { file: 0, total: 0 }).store(bytes())],
    ['spool()', 'the directory for temporary files', () => spool(bytes(), attached, 100)],
  ])('%s closes its temporary file when the name of the file cannot be removed', async (_, text, store) => {
    ownTemporaryFolder();
    const opened = failUnlink();
    await expect(store()).rejects.toThrow(text);
    expect(opened.map(({ fd }) => fd)).toEqual([-1]);
  });
});
