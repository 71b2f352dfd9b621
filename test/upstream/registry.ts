// Finds and reads the newest version of a package on npm. Uses the npm client, so that its settings (mirror, proxy,
// credentials) apply, and runs no script of the package.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Files } from './declarations.ts';
import { readTarball } from './tarball.ts';

/** Runs npm with these arguments in a folder and resolves with its output. */
export type RunNpm = (args: readonly string[], folder: string) => Promise<string>;

/** The registry did not answer, or not as expected. */
export class RegistryError extends Error {}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 32 * 1024 * 1024;
const OPTIONS = ['--json', '--ignore-scripts', '--no-update-notifier', '--fetch-retries=0', '--fetch-timeout=20000'];
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.-]{1,64})?$/;

/** Runs npm for at most two minutes. Rejects with RegistryError. */
export const runNpm: RunNpm = async (args, folder) => {
  try {
    const { stdout } = await promisify(execFile)('npm', [...args, ...OPTIONS], {
      cwd: folder,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT,
    });
    return stdout;
  } catch (cause) {
    throw new RegistryError(reasonOf(cause), { cause });
  }
};

/** Returns the reason in one line: npm's code and summary, which npm prints as JSON or text. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (Reflect.get(cause, 'killed') === true) return `no answer within ${TIMEOUT_MS / 1000} s`;
  const output = `${Reflect.get(cause, 'stdout') ?? ''}\n${Reflect.get(cause, 'stderr') ?? ''}`;
  const [, code] = /"code": "(\w+)"|npm error code (\w+)/.exec(output)?.filter(Boolean) ?? [];
  const [, summary] = /"summary": "([^"]{1,300})/.exec(output) ?? [];
  return [code, summary].filter(Boolean).join(': ') || (cause.message.split('\n')[0] ?? '');
}

/**
 * Returns the highest version that npm lists. Ignores dist-tags, because npm's tag `latest` of Baileys names an old
 * line. Rejects with RegistryError when there is no version.
 */
export async function findNewestVersion(npm: RunNpm, name: string, folder: string): Promise<string> {
  const versions = parseVersions(name, await npm(['view', name, 'versions'], folder));
  const newest = versions
    .filter((version) => VERSION.test(version))
    .sort(compareVersions)
    .at(-1);
  if (!newest) throw new RegistryError(`npm lists no version of ${name}`);
  return newest;
}

function parseVersions(name: string, output: string): string[] {
  try {
    // A package with one version has a string instead of an array.
    return [JSON.parse(output)].flat().filter((version) => typeof version === 'string');
  } catch (cause) {
    throw new RegistryError(`npm did not answer the query for ${name} with JSON`, { cause });
  }
}

/**
 * Compares versions: major, minor and patch, then the pre-release, whose numbers count as numbers in `rc.9` and in
 * `rc10`. (By the rules of semantic versions, `rc10` is lower than `rc9`.) A pre-release is lower than its release.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [x = RELEASE, y = RELEASE] = [left[index], right[index]];
    if (x === y) continue;
    if (typeof x === 'number' && typeof y === 'number') return x - y;
    return String(x) < String(y) ? -1 : 1;
  }
  return 0;
}

/** Replaces the missing pre-release of a release. Higher than every letter. */
const RELEASE = '~';

const partsOf = (version: string): (string | number)[] =>
  (version.match(/\d+|[a-z]+/gi) ?? []).map((part) => (/\d/.test(part) ? Number(part) : part));

/** Downloads a version into `folder`. Returns the files for whose path `isWanted` is true. */
export async function fetchFiles(
  npm: RunNpm,
  name: string,
  version: string,
  { folder, isWanted }: { folder: string; isWanted: (path: string) => boolean },
): Promise<Files> {
  const target = await mkdtemp(join(folder, 'package-'));
  await npm(['pack', `${name}@${version}`], target);
  const [archive] = (await readdir(target)).filter((file) => file.endsWith('.tgz'));
  if (!archive) throw new RegistryError(`npm did not download ${name}@${version}`);
  return readTarball(await readFile(join(target, archive)), isWanted);
}
