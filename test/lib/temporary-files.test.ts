import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTemporaryFile, openTemporaryFolder } from '../../src/lib/temporary-files.ts';
import { ownTemporaryFolder } from '../support/folder.ts';
import { run } from '../support/process.ts';
import { createSingleTimerClock } from '../support/single-timer-clock.ts';

const module = new URL('../../src/lib/temporary-files.ts', import.meta.url).href;
/** Opens a folder, writes a file into it and says where; then waits to be killed. */
const program = `
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

/** Opens the folder for this process until the test ends. `passInterval` passes the time until the next refresh. */
function openOwnFolder() {
  ownTemporaryFolder();
  const { clock, fire } = createSingleTimerClock();
  const { folder = '', close } = openTemporaryFolder(process.env, clock);
  onTestFinished(close);
  return { folder, passInterval: fire };
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

async function start(base: string) {
  const child = run(['--input-type=module', '--eval', program], { TMPDIR: base });
  const folder = (await child.line(/^written /)).slice('written '.length);
  return { child, folder };
}

describe('the folder for temporary files', () => {
  it('is taken by everything that asks the system for one, and goes with the process', async () => {
    const base = ownTemporaryFolder();
    const { child, folder } = await start(base);
    expect(folder.startsWith(`${base}/messaging-gateway-`)).toBe(true);
    expect(readFileSync(join(folder, 'sound'), 'utf8')).toBe('a private sound');
    await child.stop();
    expect(readdirSync(base)).toEqual([]);
  });

  it('is removed by the next start when its process was killed', async () => {
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

  it('stays while its process runs, and with it the files of two gateways on one machine', async () => {
    const base = ownTemporaryFolder();
    const [one, two] = [await start(base), await start(base)];
    const scratch = openTemporaryFolder({});
    expect(scratch.removed).toEqual([]);
    for (const { folder } of [one, two]) expect(existsSync(join(folder, 'sound'))).toBe(true);
    scratch.close();
  });

  it('is removed when another process has the number of its process now', () => {
    const base = ownTemporaryFolder();
    const { folder = '', close } = openTemporaryFolder({});
    const own = folder.slice(base.length + 1).split('-');
    const [tag, start] = [own[2], own[4]];
    expect(own[3]).toBe(String(process.pid));
    mkdirSync(join(base, `messaging-gateway-${tag}-${process.pid}-1-abcdef`));
    const later = openTemporaryFolder({});
    expect(later.removed).toEqual([`messaging-gateway-${tag}-${process.pid}-1-abcdef`]);
    expect(Number(start)).toBeGreaterThan(1);
    later.close();
    close();
  });

  it('is not needed for a start: where there can be none, the reason is known', () => {
    const base = ownTemporaryFolder();
    vi.stubEnv('TMPDIR', join(base, 'missing'));
    const env: NodeJS.ProcessEnv = {};
    expect(openTemporaryFolder(env)).toMatchObject({ folder: undefined, problem: { code: 'ENOENT' }, removed: [] });
    expect(env).toEqual({});
  });

  it('is created again with the next file after its removal', async () => {
    const { folder } = openOwnFolder();
    rmSync(folder, { recursive: true });
    const { file, path } = await openTemporaryFile('sound');
    await file.close();
    expect(path.startsWith(`${folder}/sound-`)).toBe(true);
    expect(existsSync(path)).toBe(true);
    expect(modeOf(folder)).toBe(0o700);
  });

  it('does not become old, so that the system does not remove it', async () => {
    const { folder, passInterval } = openOwnFolder();
    for (const _ of [1, 2]) {
      utimesSync(folder, new Date(0), new Date(0));
      passInterval();
      await vi.waitFor(() => expect(statSync(folder)).toMatchObject({ mtimeMs: expect.toSatisfy((ms) => ms > 0) }));
      expect(statSync(folder).atimeMs).toBeGreaterThan(0);
    }
  });

  it('is created again for libraries at the next refresh after its removal', async () => {
    const { folder, passInterval } = openOwnFolder();
    rmSync(folder, { recursive: true });
    passInterval();
    await vi.waitFor(() => expect(existsSync(folder)).toBe(true));
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is not created when it is not the folder of this process', async () => {
    const base = ownTemporaryFolder();
    vi.stubEnv('TMPDIR', join(base, 'missing'));
    await expect(openTemporaryFile('sound')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(base)).toEqual([]);
  });

  it('leaves what it cannot judge: other machines, other programs; of old releases only what is old', () => {
    const base = ownTemporaryFolder();
    const others = [`messaging-gateway-000000000000-1-1-abcdef`, 'messaging-gateway-', 'media-1', hostname()];
    for (const name of others) mkdirSync(join(base, name), { recursive: true });
    const old = 'gateway-media-6f1c9f43-8f3b-4f0a-9b0d-0f2e5a1c7d11';
    const young = 'gateway-media-6f1c9f43-8f3b-4f0a-9b0d-0f2e5a1c7d12';
    for (const name of [old, young]) writeFileSync(join(base, name), 'a private sound');
    utimesSync(join(base, old), new Date(0), new Date(0));
    const scratch = openTemporaryFolder({});
    expect(scratch.removed).toEqual([old]);
    expect(readdirSync(base)).toEqual(expect.arrayContaining([...others, young]));
    scratch.close();
  });
});
