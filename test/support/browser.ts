// A real browser for tests of pages. Errors that it reports fail the test. Pages can be checked for accessibility.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import chromium from '@sparticuz/chromium';
import { type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// The tests need no 3D graphics, and it takes time to unpack the libraries for them.
chromium.setGraphicsMode = false;
/**
 * Arguments in place of those of the package, which disable the security rules for pages. The browser has no sandbox
 * for root, and tests may run as root.
 */
const ARGUMENTS = ['--headless=shell', '--no-sandbox', '--disable-gpu'];

/** Time to wait for an element of a page, in ms. It is long enough for a busy machine. */
export const TIMEOUT_MS = 30_000;

/**
 * Opens an empty page. At its end, the test fails for errors and warnings of the console, for dialogs and for requests
 * to other hosts. Those that match `expected` are ignored.
 */
export async function openPage(options: BrowserContextOptions = {}, expected: RegExp[] = []): Promise<Page> {
  const browser = await driver.launch({ executablePath: await chromium.executablePath(), args: ARGUMENTS });
  const page = await browser.newPage(options);
  page.setDefaultTimeout(TIMEOUT_MS);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => problems.push(dialog.message()));
  page.on('request', (request) => {
    const { protocol, hostname, href } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') problems.push(href);
  });
  onTestFinished(async () => {
    await browser.close();
    expect(problems.filter((line) => !expected.some((pattern) => pattern.test(line)))).toEqual([]);
  });
  return page;
}

/** Checks the current state of the page with the rules of axe-core (WCAG 2.2 AA and its best practices). */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe);
  const violations: unknown = await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
  );
  expect(violations).toEqual([]);
}
