// The commands of the guides have valid options, and all options that their source and target need.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { codeBlocks } from '../../../test/support/docs.ts';
import { emptyFolder } from '../../../test/support/folder.ts';
import { helpText, OPTION_NAMES, parseArguments } from '../src/arguments.ts';
import { SOURCES } from '../src/sources/open.ts';

const GUIDE = 'docs/guides/move-sessions.md';
const PAGES = [GUIDE, 'docs/guides/migrate-from-evolution.md', 'packages/import/README.md'];
const COMMAND = /^node packages\/import\/src\/cli\.ts (.*)$/;

/** The arguments of each command of a page, with the environment that this block and earlier blocks export. */
function commandsOf(page: string) {
  const env: Record<string, string> = {};
  return codeBlocks(page, 'sh').flatMap((block) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap((line) => {
        const [, name, value = ''] = /^export (\w+)='?([^']*)'?$/.exec(line) ?? [];
        if (name !== undefined) env[name] = value;
        const [, argv] = COMMAND.exec(line) ?? [];
        return argv === undefined ? [] : [{ page, argv: argv.split(/\s+/), env: { ...env } }];
      }),
  );
}
const commands = PAGES.flatMap(commandsOf);

describe('commands of the guides', () => {
  let folder: string;

  beforeEach(() => {
    folder = emptyFolder();
    for (const name of ['gateway-key', 'passphrase']) writeFileSync(join(folder, name), 'correct horse battery staple');
  });

  it('the guides of the import program have a command or a table row for every source', () => {
    const namedSources = new Set(commands.map(({ argv }) => argv[argv.indexOf('--from') + 1]));
    // The options of evolution-1 are in the table of its guide.
    const sourcesWithCommands = Object.keys(SOURCES).filter((name) => name !== 'evolution-1');
    expect(sourcesWithCommands.filter((name) => !namedSources.has(name))).toEqual([]);
    const table = [...readFileSync(GUIDE, 'utf8').matchAll(/^\| `([\w-]+)` \| /gm)].map(([, name]) => name);
    expect(table.sort()).toEqual(Object.keys(SOURCES).sort());
  });

  it.each(
    commands.map((command) => ({ ...command, line: command.argv.join(' ') })),
  )('parseArguments() accepts a command of $page without warnings: $line', ({ argv, env }) => {
    const argvInFolder = argv.map((argument) =>
      ['gateway-key', 'passphrase'].includes(argument) ? join(folder, argument) : argument,
    );
    const args = parseArguments(argvInFolder, env);
    expect(args === 'help' || args.warnings).toEqual(args === 'help' ? true : []);
  });

  it('helpText() names every option', () => {
    const words = helpText().split(/[^\w-]/);
    expect(OPTION_NAMES.map((name) => `--${name}`).filter((option) => !words.includes(option))).toEqual([]);
  });
});
