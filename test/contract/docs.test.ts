// README.md and docs/: links and settings exist, the table of contents is complete, and pages stay short.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/config/aliases.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { SUBSCRIPTION_NAMES } from '../../src/events/event-names.ts';
import { headingAnchor, LINKED_PAGES, PAGES } from '../support/docs.ts';
import { spec } from './document.ts';

/** Names in capitals that are neither settings, error codes, names of events nor values in the contract. */
const FOREIGN = [
  'GET',
  'PUT',
  'POST',
  'DELETE',
  'PENDING',
  'ERROR',
  'READ',
  'SERVER_ACK',
  'DELIVERY_ACK',
  'PLAYED',
  'DELETED',
  'QUOTE_NOT_FOUND',
  'PATH',
  'KEY',
  'ID',
  'NODE_EXTRA_CA_CERTS',
  'UV_THREADPOOL_SIZE',
  'POSTGRES_PASSWORD',
  'NORMAL',
  'FULL',
  // Build arguments of the image, and settings of the sandbox.
  'NODE_IMAGE',
  'FFMPEG',
  'SANDBOX_HOST',
  'SANDBOX_PLATFORM_PORT',
  // Variables of the import program.
  ...['GATEWAY_KEY', 'BUNDLE_PASSPHRASE', 'SOURCE_DATABASE', 'SOURCE_REDIS', 'SOURCE_MONGO'],
  // Names that D-139 does not take for misspelled settings.
  ...['API_KEYS', 'APP_KEY', 'APIKEY', 'PORTS'],
  // Values in events.
  'TIMEOUT',
  'BUSY',
  'MESSAGE_EDIT',
];

/** The values of all enumerations of the contract. */
// The contract does not list the codes of the status ERROR: they are mostly those of WhatsApp.
const ENUM_VALUES: unknown[] = ['ACK_TIMEOUT'];
JSON.stringify(spec, (key, value: unknown) => {
  if (key === 'enum' && Array.isArray(value)) ENUM_VALUES.push(...value);
  return value;
});

/** Anchors of the headings of a page, as GitHub makes them. */
const headingsOf = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => headingAnchor(title));

const linesOf = (page: string) => readFileSync(page, 'utf8').split('\n').length;

/** Pages about WhatsApp and Baileys name constants of theirs. */
const PAGES_WITH_SETTINGS = PAGES.filter((page) => !page.startsWith('docs/internals/'));

describe('the documentation', () => {
  it.each(LINKED_PAGES)('%s names only files and headings that exist', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, target = '', heading]) => {
      const path = target === '' ? page : join(dirname(page), target);
      return !existsSync(path) || (heading && path.endsWith('.md') && !headingsOf(path).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it.each(PAGES_WITH_SETTINGS)('%s names only settings that exist', (page) => {
    const named = [...readFileSync(page, 'utf8').matchAll(/`([A-Z][A-Z_]+)[`/=]/g)].map(([, name]) => name ?? '');
    const isKnown = (name: string) =>
      name in SETTINGS || classify(name) || [...ERROR_CODES, ...SUBSCRIPTION_NAMES, ...FOREIGN].includes(name);
    expect(named.filter((name) => !isKnown(name) && !ENUM_VALUES.includes(name))).toEqual([]);
  });
});

describe('the pages with commands for containers', () => {
  // Other users of the host see the arguments of processes, but not their environment.
  it('pass variables by name, without their values', () => {
    const values = PAGES.flatMap((page) => readFileSync(page, 'utf8').match(/ (-e|--env)[ =]\w+="?\$.*/g) ?? []);
    expect(values).toEqual([]);
  });
});

describe('the commands of the pages', () => {
  it('write keys, sessions and data only to files that git ignores, or outside of the repository', () => {
    const option =
      /(?:DATA_DIR=|--(?:key-file|passphrase-file|out|to-baileys|to-whatsmeow) |\s-o )(?:\.\/)?([a-z][\w.-]*)/g;
    const written = PAGES.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(option)].map(([, name = '']) => name),
    );
    expect(written.length).toBeGreaterThan(10);
    const ignored = readFileSync('.gitignore', 'utf8')
      .split('\n')
      .map((line) => line.replace(/\/$/, ''));
    const isIgnored = (name: string) => ignored.some((pattern) => pattern !== '' && matchesGlob(name, pattern));
    expect([...new Set(written)].filter((name) => !isIgnored(name))).toEqual([]);
  });
});

describe('the pages for operators', () => {
  const pages = PAGES.filter((page) => /^docs\/(?:deploy|operate)\//.test(page));
  const source = globSync('src/**/*.ts')
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

  it.each(pages)('%s names only log lines and metrics that exist', (page) => {
    const named = [...readFileSync(page, 'utf8').matchAll(/`([a-z_]+(?:\.[a-z_]+)+|gateway_[a-z_]+)`/g)].map(
      ([, name = '']) => name,
    );
    // A histogram has a series with the ending _count.
    const exists = (name: string) => name.endsWith('.yaml') || source.includes(`'${name.replace(/_count$/, '')}'`);
    expect(named.filter((name) => !exists(name))).toEqual([]);
  });
});

describe('README.md', () => {
  it('has at most 150 lines, other pages 230, and generated pages, which are tables, 400', () => {
    const hasTable = (page: string) => page.startsWith('docs/reference/') || page === 'docs/decisions/README.md';
    const limitOf = (page: string) => (page === 'README.md' ? 150 : hasTable(page) ? 400 : 230);
    expect(PAGES.filter((page) => linesOf(page) > limitOf(page))).toEqual([]);
  });
});

describe('docs/README.md', () => {
  it('lists every page, those with decisions in an index of their own', () => {
    const missing = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').filter((page) => {
      const index = /^docs\/decisions\/(?!README)/.test(page) ? 'docs/decisions/README.md' : 'docs/README.md';
      return !readFileSync(index, 'utf8').includes(`](${relative(dirname(index), page)})`);
    });
    expect(missing).toEqual([]);
  });
});

describe('the figures beside plain Baileys', () => {
  /** The numbers in the rows below the heading `| heading |` of a page, without those of the first column. */
  const figuresOf = (page: string, heading: string) => {
    const text = readFileSync(page, 'utf8');
    const table = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, 'm').exec(text)?.[1] ?? '';
    const cells = table.split('\n').flatMap((row) => row.split('|').slice(2, -1));
    // A cell with only a 1 is that of plain Baileys.
    return cells.filter((cell) => cell.trim() !== '1').flatMap((cell) => cell.match(/\d[\d,]*(?:\.\d+)?/g) ?? []);
  };
  const measured = figuresOf('docs/operate/capacity.md', 'what');

  it.each(['README.md', 'docs/comparison.md'])('in %s are those of docs/operate/capacity.md', (page) => {
    const figures = figuresOf(page, 'measured');
    expect(figures.length).toBeGreaterThan(5);
    expect(figures.filter((figure) => !measured.includes(figure))).toEqual([]);
  });

  it('of messages to groups are those of the last run in docs/internals/performance.md', () => {
    const rows = /^\| groups of .*\n\| the same: CPU .*$/m.exec(
      readFileSync('docs/internals/performance.md', 'utf8'),
    )?.[0];
    const lastRuns = rows?.split('\n').map((row) => (row.match(/\d+\.\d+/g) ?? []).slice(-3).map(Number)) ?? [];
    expect(lastRuns.map((run) => run.length)).toEqual([3, 3]);
    const bounds = lastRuns.flatMap((run) => [Math.min(...run), Math.max(...run)]);
    expect(bounds.filter((bound) => !measured.includes(String(bound)))).toEqual([]);
  });
});
