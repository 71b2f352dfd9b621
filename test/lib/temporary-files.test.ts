import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTemporaryFile, openTemporaryFolder } from '../../src/lib/temporary-files.ts';
import { ownTemporaryFolder } from '../support/folder.ts';
import { run } from '../support/process.ts';
import { createSingleTimerClock } from '../support/single-timer-clock.ts';

const module = new URL('../../src/lib/temporary-files.ts', import.meta.url).href;
/** Opens the temporary folder, writes a file into it and prints its path. Runs until it gets a signal. */
const PROGRAM = `
  import { writeFileSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  import { join } from 'node:path';
  import { openTemporaryFolder } from '${module}';
  openTemporaryFolder(process.env);
  writeFileSync(join(tmpdir(), 'sound'), 'a private sound');
  setInterval(() => {}, 1000);
  process.on('SIGTERM', () => process.exit());
  console.log('written', tmpdir());
`;

/** Opens the folder for this process until the test ends. `passInterval` lets the time until the next refresh pass. */
function openOwnFolder() {
  ownTemporaryFolder();
  const { clock, fire } = createSingleTimerClock();
  const { folder = '', close } = openTemporaryFolder(process.env, clock);
  onTestFinished(close);
  return { folder, passInterval: fire };
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

async function start(base: string) {
  const child = run(['--input-type=module', '--eval', PROGRAM], { TMPDIR: base });
  const folder = (await child.line(/^written /)).slice('written '.length);
  return { child, folder };
}

describe('folder for temporary files', () => {
  it('the temporary folder is the system folder for temporary files in its process, and is removed with the process', async () => {
    const base = ownTemporaryFolder();
    const { child, folder } = await start(base);
    expect(folder.startsWith(`${base}/messaging-gateway-`)).toBe(true);
    expect(readFileSync(join(folder, 'sound'), 'utf8')).toBe('a private sound');
    await child.stop();
    expect(readdirSync(base)).toEqual([]);
  });

  it('the temporary folder of a killed process is removed by the next start', async () => {
    const base = ownTemporaryFolder();
    const { child, folder } = await start(base);
    await child.stop('SIGKILL');
    expect(existsSync(join(folder, 'sound'))).toBe(true);
    const env: NodeJS.ProcessEnv = {};
    const scratch = openTemporaryFolder(env);
    expect(scratch.removed).toEqual([folder.slice(base.length + 1)]);
    expect(readdirSync(base).map((name) => join(base, name))).toEqual([scratch.folder]);
    expect(env.TMPDIR).toBe(scratch.folder);
    scratch.close();
  });

  it('the temporary folder stays while its process runs, so that two gateways can share a machine', async () => {
    const base = ownTemporaryFolder();
    const [one, two] = [await start(base), await start(base)];
    const scratch = openTemporaryFolder({});
    expect(scratch.removed).toEqual([]);
    for (const { folder } of [one, two]) expect(existsSync(join(folder, 'sound'))).toBe(true);
    scratch.close();
  });

  it('the temporary folder is removed when another process has the process id of its owner', () => {
    const base = ownTemporaryFolder();
    const { folder = '', close } = openTemporaryFolder({});
    const nameParts = folder.slice(base.length + 1).split('-');
    const [tag, start] = [nameParts[2], nameParts[4]];
    expect(nameParts[3]).toBe(String(process.pid));
    mkdirSync(join(base, `messaging-gateway-${tag}-${process.pid}-1-abcdef`));
    const later = openTemporaryFolder({});
    expect(later.removed).toEqual([`messaging-gateway-${tag}-${process.pid}-1-abcdef`]);
    expect(Number(start)).toBeGreaterThan(1);
    later.close();
    close();
  });

  it('openTemporaryFolder() returns the reason when it cannot create the folder, and does not throw', () => {
    const base = ownTemporaryFolder();
    vi.stubEnv('TMPDIR', join(base, 'missing'));
    const env: NodeJS.ProcessEnv = {};
    expect(openTemporaryFolder(env)).toMatchObject({ folder: undefined, problem: { code: 'ENOENT' }, removed: [] });
    expect(env).toEqual({});
  });

  it('openTemporaryFile() creates the temporary folder again after its removal', async () => {
    const { folder } = openOwnFolder();
    rmSync(folder, { recursive: true });
    const { file, path } = await openTemporaryFile('sound');
    await file.close();
    expect(path.startsWith(`${folder}/sound-`)).toBe(true);
    expect(existsSync(path)).toBe(true);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('the temporary folder gets new times at each refresh, so that the system does not remove it', async () => {
    const { folder, passInterval } = openOwnFolder();
    for (const _ of [1, 2]) {
      utimesSync(folder, new Date(0), new Date(0));
      passInterval();
      await vi.waitFor(() => expect(statSync(folder)).toMatchObject({ mtimeMs: expect.toSatisfy((ms) => ms > 0) }));
      expect(statSync(folder).atimeMs).toBeGreaterThan(0);
    }
  });

  it('the temporary folder is created again at the next refresh after its removal', async () => {
    const { folder, passInterval } = openOwnFolder();
    rmSync(folder, { recursive: true });
    passInterval();
    await vi.waitFor(() => expect(existsSync(folder)).toBe(true));
    expect(modeOf(folder)).toBe(0o700);
  });

  it('openTemporaryFile() does not create a missing folder that is not the folder of this process', async () => {
    const base = ownTemporaryFolder();
    vi.stubEnv('TMPDIR', join(base, 'missing'));
    await expect(openTemporaryFile('sound')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(base)).toEqual([]);
  });

  it('openTemporaryFolder() keeps entries of other machines and programs, and recent files of old releases', () => {
    const base = ownTemporaryFolder();
    const others = [`messaging-gateway-000000000000-1-1-abcdef`, 'messaging-gateway-', 'media-1', hostname()];
    for (const name of others) mkdirSync(join(base, name), { recursive: true });
    const old = 'gateway-media-6f1c9f43-8f3b-4f0a-9b0d-0f2e5a1c7d11';
    const recent = 'gateway-media-6f1c9f43-8f3b-4f0a-9b0d-0f2e5a1c7d12';
    for (const name of [old, recent]) writeFileSync(join(base, name), 'a private sound');
    utimesSync(join(base, old), new Date(0), new Date(0));
    const scratch = openTemporaryFolder({});
    expect(scratch.removed).toEqual([old]);
    expect(readdirSync(base)).toEqual(expect.arrayContaining([...others, recent]));
    scratch.close();
  });
});
