// A package of this repository as npm packs it: compiled, and unpacked where a program of another project finds it.
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
  /** Removes the project, and what npm compiled for the package in `source`. */
  remove: () => void;
}

/** Packs and installs the package `name`, whose sources are in the folder `source`. It shares the dependencies of this repository. */
export async function installPackage(name: string, source: string): Promise<PackedPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'packed-package-'));
  const { stdout } = await execute('npm', ['pack', '--workspace', name, '--pack-destination', folder, '--json']);
  const packed: { filename: string } | undefined = Object.values(JSON.parse(stdout) as object)[0];
  const installed = join(folder, 'node_modules', ...name.split('/'));
  mkdirSync(installed, { recursive: true });
  await execute('tar', ['-xzf', join(folder, packed?.filename ?? ''), '--strip-components=1', '-C', installed]);
  const files = globSync('**/*', { cwd: installed });
  symlinkSync(resolve('node_modules'), join(installed, 'node_modules'));
  const read = (path: string): string => readFileSync(join(installed, path), 'utf8');
  const { bin }: { bin: Record<string, string> } = JSON.parse(read('package.json'));
  return {
    folder,
    files,
    read,
    commandPath: (command) => join(installed, bin[command] ?? ''),
    remove() {
      rmSync(folder, { recursive: true, force: true });
      rmSync(join(source, 'dist'), { recursive: true, force: true });
    },
  };
}
