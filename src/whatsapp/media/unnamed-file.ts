// Opens temporary files without a name.
import { type FileHandle, unlink } from 'node:fs/promises';
import { openTemporaryFile } from '../../lib/temporary-files.ts';

/**
 * Returns an empty file that can be written and read. The system deletes it when it is closed, also when the process is
 * killed. `prefix` is the start of the name that the file has until it is open. Throws the errors of the file system.
 * After an error, no file stays open.
 */
export async function openUnnamedFile(prefix: string): Promise<FileHandle> {
  const { file, path } = await openTemporaryFile(prefix);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
