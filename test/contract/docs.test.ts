// Checks of README.md and docs/. Links and settings exist. The table of contents is complete. Pages stay short.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/config/aliases.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { SUBSCRIPTION_NAMES } from '../../src/events/event-names.ts';
import { headingAnchor, LINKED_PAGES, PAGES } from '../support/docs.ts';
import { spec } from '../support/openapi-document.ts';

/** Names in capitals in the pages that are no settings, error codes, names of events or values in the contract. */
const OTHER_NAMES = [
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

/**
 * The values of all enumerations of the contract, and ACK_TIMEOUT. The contract does not list the codes of the status
 * ERROR, because most of them come from WhatsApp.
 */
const ENUM_VALUES: unknown[] = ['ACK_TIMEOUT'];
JSON.stringify(spec, (key, value: unknown) => {
  if (key === 'enum' && Array.isArray(value)) ENUM_VALUES.push(...value);
  return value;
});

/** Anchors of the headings of a page, as GitHub generates them. */
const headingsOf = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => headingAnchor(title));

const linesOf = (page: string) => readFileSync(page, 'utf8').split('\n').length;

/** The pages in docs/internals also name constants of WhatsApp and Baileys. */
const PAGES_WITH_SETTINGS = PAGES.filter((page) => !page.startsWith('docs/internals/'));

describe('the documentation', () => {
  it.each(LINKED_PAGES)('%s links only to files and headings that exist', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, target = '', heading]) => {
      const path = target === '' ? page : join(dirname(page), target);
      return !existsSync(path) || (heading && path.endsWith('.md') && !headingsOf(path).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it.each(
    PAGES_WITH_SETTINGS,
  )('%s names only settings, aliases, error codes, events and contract values that exist', (page) => {
    const names = [...readFileSync(page, 'utf8').matchAll(/`([A-Z][A-Z_]+)[`/=]/g)].map(([, name]) => name ?? '');
    const isKnown = (name: string) =>
      name in SETTINGS || classify(name) || [...ERROR_CODES, ...SUBSCRIPTION_NAMES, ...OTHER_NAMES].includes(name);
    expect(names.filter((name) => !isKnown(name) && !ENUM_VALUES.includes(name))).toEqual([]);
  });
});

describe('commands for containers', () => {
  // Other users of the host see the arguments of processes, but not their environment.
  it('commands for containers in the documentation pass variables by name, without their values', () => {
    const values = PAGES.flatMap((page) => readFileSync(page, 'utf8').match(/ (-e|--env)[ =]\w+="?\$.*/g) ?? []);
    expect(values).toEqual([]);
  });
});

describe('commands that write files', () => {
  it('commands in the documentation write secrets and data only to files outside the repository or that git ignores', () => {
    const option =
      /(?:DATA_DIR=|--(?:key-file|passphrase-file|out|to-baileys|to-whatsmeow) |\s-o )(?:\.\/)?([a-z][\w.-]*)/g;
    const fileNames = PAGES.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(option)].map(([, name = '']) => name),
    );
    expect(fileNames.length).toBeGreaterThan(10);
    const ignored = readFileSync('.gitignore', 'utf8')
      .split('\n')
      .map((line) => line.replace(/\/$/, ''));
    const isIgnored = (name: string) => ignored.some((pattern) => pattern !== '' && matchesGlob(name, pattern));
    expect([...new Set(fileNames)].filter((name) => !isIgnored(name))).toEqual([]);
  });
});

describe('pages for operators', () => {
  const pages = PAGES.filter((page) => /^docs\/(?:deploy|operate)\//.test(page));
  const source = globSync('src/**/*.ts')
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

  it.each(pages)('%s names only log lines and metrics that exist', (page) => {
    const names = [...readFileSync(page, 'utf8').matchAll(/`([a-z_]+(?:\.[a-z_]+)+|gateway_[a-z_]+)`/g)].map(
      ([, name = '']) => name,
    );
    // A histogram has a series with the ending _count.
    const exists = (name: string) => name.endsWith('.yaml') || source.includes(`'${name.replace(/_count$/, '')}'`);
    expect(names.filter((name) => !exists(name))).toEqual([]);
  });
});

describe('README.md', () => {
  it('README.md has at most 150 lines, generated pages have at most 400 and other pages at most 230', () => {
    const hasTable = (page: string) => page.startsWith('docs/reference/') || page === 'docs/decisions/README.md';
    const limitOf = (page: string) => (page === 'README.md' ? 150 : hasTable(page) ? 400 : 230);
    expect(PAGES.filter((page) => linesOf(page) > limitOf(page))).toEqual([]);
  });
});

describe('docs/README.md', () => {
  it('docs/README.md lists every page except decisions, and docs/decisions/README.md lists the decisions', () => {
    const missing = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').filter((page) => {
      const index = /^docs\/decisions\/(?!README)/.test(page) ? 'docs/decisions/README.md' : 'docs/README.md';
      return !readFileSync(index, 'utf8').includes(`](${relative(dirname(index), page)})`);
    });
    expect(missing).toEqual([]);
  });
});

describe('measured figures', () => {
  /** The numbers in the table of a page whose first column has the heading `heading`, except those of that column. */
  const figuresOf = (page: string, heading: string) => {
    const text = readFileSync(page, 'utf8');
    const table = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, 'm').exec(text)?.[1] ?? '';
    const cells = table.split('\n').flatMap((row) => row.split('|').slice(2, -1));
    // A cell with only a 1 belongs to plain Baileys.
    return cells.filter((cell) => cell.trim() !== '1').flatMap((cell) => cell.match(/\d[\d,]*(?:\.\d+)?/g) ?? []);
  };
  const measured = figuresOf('docs/operate/capacity.md', 'what');

  it.each([
    'README.md',
    'docs/comparison.md',
  ])('the measured figures in %s are those of docs/operate/capacity.md', (page) => {
    const figures = figuresOf(page, 'measured');
    expect(figures.length).toBeGreaterThan(5);
    expect(figures.filter((figure) => !measured.includes(figure))).toEqual([]);
  });

  it('capacity.md states the range of the last runs of group messages in performance.md', () => {
    const rows = /^\| groups of .*\n\| the same: CPU .*$/m.exec(
      readFileSync('docs/internals/performance.md', 'utf8'),
    )?.[0];
    const lastRuns = rows?.split('\n').map((row) => (row.match(/\d+\.\d+/g) ?? []).slice(-3).map(Number)) ?? [];
    expect(lastRuns.map((run) => run.length)).toEqual([3, 3]);
    const bounds = lastRuns.flatMap((run) => [Math.min(...run), Math.max(...run)]);
    expect(bounds.filter((bound) => !measured.includes(String(bound)))).toEqual([]);
  });
});
