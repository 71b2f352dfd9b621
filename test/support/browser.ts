// A real browser for tests of pages. What it reports as an error is kept, and pages can be held to the rules of accessibility.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import chromium from '@sparticuz/chromium';
import { type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// It draws nothing in three dimensions, and unpacking what could do so takes a while.
chromium.setGraphicsMode = false;
/** Not the package's own, which switch the rules for pages off. Tests may run as root, for whom there is no sandbox of the browser. */
const args = ['--headless=shell', '--no-sandbox', '--disable-gpu'];

/** ms after which something that should be on a page is missing, on a busy machine as well. */
export const PATIENCE = 30_000;

/**
 * Opens an empty page. All that its console reports as an error, but for `expected` lines, and every request to another host fails the test
 * in the end.
 */
export async function openPage(options: BrowserContextOptions = {}, expected: RegExp[] = []): Promise<Page> {
  const browser = await driver.launch({ executablePath: await chromium.executablePath(), args });
  const page = await browser.newPage(options);
  page.setDefaultTimeout(PATIENCE);
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('dialog', (dialog) => wrong.push(dialog.message()));
  page.on('request', (request) => {
    const { protocol, hostname, href } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') wrong.push(href);
  });
  onTestFinished(async () => {
    await browser.close();
    expect(wrong.filter((line) => !expected.some((pattern) => pattern.test(line)))).toEqual([]);
  });
  return page;
}

/** Holds what the page shows now to the rules of axe-core (WCAG 2.2 AA and its best practices). */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe);
  const found: unknown = await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
  );
  expect(found).toEqual([]);
}
