// Opens temporary files without a name.
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns an empty file that can be written and read. The system deletes it when it is closed, also when the process is
 * killed. `prefix` is the start of the name that the file has until it is open. Throws the errors of the file system.
 * After an error, no file stays open.
 */
export async function openUnnamedFile(prefix: string): Promise<FileHandle> {
  const path = join(tmpdir(), `${prefix}-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
