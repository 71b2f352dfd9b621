// Temporary folders for tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** A folder that is removed with the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder that this process takes for the system's temporary one until the test ends. */
export function ownTemporaryFolder(): string {
  const folder = emptyFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}
