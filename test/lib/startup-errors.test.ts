import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareDataDir } from '../../src/lib/startup-errors.ts';

function createFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gateway-start-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('prepareDataDir', () => {
  it('prepareDataDir() creates the folder for its owner only and accepts an existing folder', () => {
    const path = join(createFolder(), 'a', 'b');
    for (let i = 0; i < 2; i++) prepareDataDir(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.each(['file', 'file/data'])('prepareDataDir() reports a file in the path %s', (name) => {
    const path = createFolder();
    writeFileSync(join(path, 'file'), '');
    expect(() => prepareDataDir(join(path, name))).toThrow(
      /^DATA_DIR .* cannot be used: it, or a part of its path, is a file\./,
    );
  });

  it('prepareDataDir() does not try forever where no folder can be created', () => {
    expect(() => prepareDataDir('/proc/foo/bar')).toThrow(
      /^DATA_DIR \/proc\/foo\/bar cannot be used: .+\. Choose another/,
    );
  });
});
