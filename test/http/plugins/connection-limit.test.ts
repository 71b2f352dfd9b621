import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectionLimit } from '../../../src/http/plugins/connection-limit.ts';
import { openFileLimit } from '../../../src/lib/open-files.ts';

describe('connectionLimit', () => {
  it.each([
    // MAX_CONNECTIONS, open files, connections
    [10_000, undefined, 10_000],
    [0, undefined, undefined],
    [10_000, 1_048_576, 10_000],
    [10_000, 20_000, 10_000],
    [10_000, 10_500, 9_476],
    [10_000, 1_024, 512],
    [100, 1_024, 100],
    [0, 1_024, 512],
    [0, 65_536, 64_512],
    [10_000, 1, 1],
  ])('connectionLimit() with MAX_CONNECTIONS=%s and %s open files returns %s', (setting, openFiles, connections) => {
    expect(connectionLimit(setting, openFiles)).toBe(connections);
  });
});

describe('openFileLimit', () => {
  it.each([
    ['Max open files            1024                 4096                 files     \n', 1024],
    ['Max cpu time              unlimited            unlimited            seconds   \n', undefined],
    ['Max open files            unlimited            unlimited            files     \n', undefined],
  ])('openFileLimit() reads the limit from the text of /proc/self/limits: %j', (text, limit) => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'limits'), text);
    expect(openFileLimit(join(folder, 'limits'))).toBe(limit);
  });

  it('openFileLimit() returns undefined when the limits file does not exist', () => {
    expect(openFileLimit('/nowhere')).toBeUndefined();
  });
});
