// A package of this repository as npm packs it. It is compiled, and unpacked in the node_modules of another project.
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface PackedPackage {
  /** The folder of a project that has installed the package. */
  folder: string;
  /** The paths of all files of the package. */
  files: string[];
  /** The contents of the file at a path. */
  read: (path: string) => string;
  /** The path of the file that a command of the package runs. */
  commandPath: (name: string) => string;
  /** Removes the project, and the files that npm compiled in the folder of the package. */
  remove: () => void;
}

/**
 * Packs and installs the package `name`, whose sources are in the folder `source`. The installed package uses the
 * dependencies of this repository.
 */
export async function installPackage(name: string, source: string): Promise<PackedPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'packed-package-'));
  const { stdout } = await execute('npm', ['pack', '--workspace', name, '--pack-destination', folder, '--json']);
  const archive: { filename: string } | undefined = Object.values(JSON.parse(stdout) as object)[0];
  const packageFolder = join(folder, 'node_modules', ...name.split('/'));
  mkdirSync(packageFolder, { recursive: true });
  await execute('tar', ['-xzf', join(folder, archive?.filename ?? ''), '--strip-components=1', '-C', packageFolder]);
  const files = globSync('**/*', { cwd: packageFolder });
  symlinkSync(resolve('node_modules'), join(packageFolder, 'node_modules'));
  const read = (path: string): string => readFileSync(join(packageFolder, path), 'utf8');
  const { bin }: { bin: Record<string, string> } = JSON.parse(read('package.json'));
  return {
    folder,
    files,
    read,
    commandPath: (command) => join(packageFolder, bin[command] ?? ''),
    remove() {
      rmSync(folder, { recursive: true, force: true });
      rmSync(join(source, 'dist'), { recursive: true, force: true });
    },
  };
}
