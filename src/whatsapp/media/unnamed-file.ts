// Opens temporary files without a name.
import { type FileHandle, unlink } from 'node:fs/promises';
import { openTemporaryFile } from '../../lib/temporary-files.ts';

/**
 * Returns an empty file that can be written and read. The system deletes the file when it is closed or the process
 * ends. `prefix` is the start of the name that the file has while this function runs. Throws the errors of the file
 * system. After an error, no file stays open.
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
