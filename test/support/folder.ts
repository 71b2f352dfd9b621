// Temporary folders for tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** Creates an empty folder. The end of the test removes it. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates an empty folder that is the temporary folder of this process (TMPDIR) until the test ends. */
export function ownTemporaryFolder(): string {
  const folder = emptyFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}
