// `npm run upstream [-- --all]`: compares the public APIs of the installed Baileys and of the installed
// interoperability client with their newest versions on npm, and prints the differences. It downloads packages into a
// temporary folder and runs no code of them. Exits with 69 when the registry does not answer.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isApiFile, PACKAGES, readInstalled } from './packages.ts';
import { fetchFiles, findNewestVersion, RegistryError, runNpm } from './registry.ts';
import { formatComparison } from './report.ts';

/** Lines per area without `--all`. */
const DEFAULT_LIMIT = 100;
/** Exit code (sysexits.h): a service is unavailable. */
const UNAVAILABLE = 69;

const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
const limit = values.all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT;
const folder = await mkdtemp(join(tmpdir(), 'upstream-'));
try {
  for (const watched of PACKAGES) {
    const installed = readInstalled(watched);
    const version = await findNewestVersion(runNpm, watched.name, folder);
    const files =
      version === installed.version
        ? installed.files
        : await fetchFiles(runNpm, watched.name, version, { folder, isWanted: isApiFile });
    const lines = formatComparison(watched, installed, { version, files }, { limit });
    process.stdout.write(`${lines.join('\n')}\n\n`);
  }
} catch (error) {
  if (!(error instanceof RegistryError)) throw error;
  process.stderr.write(`The npm registry does not answer: ${error.message}. Check the network and try again.\n`);
  process.exitCode = UNAVAILABLE;
} finally {
  await rm(folder, { recursive: true, force: true });
}
