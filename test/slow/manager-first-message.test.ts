// The way of a new operator on the page: from a gateway without instances to the first message.
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { startManager } from '../support/manager.ts';

it.each([
  { width: 'desktop', viewport: { width: 1280, height: 800 } },
  { width: 'phone', viewport: { width: 390, height: 780 } },
])('reaches the first message in three clicks at $width width', async ({ viewport }) => {
  const { page, url } = await startManager({ viewport }, {}, []);
  let clicks = 0;
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.addInitScript(`addEventListener('pointerdown', () => countClick(), true)`);
  await page.goto(`${url}/manager`);
  await page.getByText('the file api-key in its data folder').waitFor();
  await expectAccessible(page);
  // The cursor is in each field that has to be filled in: only keys are pressed.
  await page.keyboard.type(KEY);
  await page.keyboard.press('Enter');

  await page.getByText('There are no instances yet.').waitFor();
  await expectAccessible(page);
  await page.keyboard.type('shop');
  await page.getByRole('button', { name: 'Create' }).click();

  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page.getByRole('button', { name: 'Scan the QR code' }).click();

  await page.getByText('shop is linked and open.').waitFor();
  await page.getByLabel('Text').and(page.locator(':focus')).waitFor();
  await expectAccessible(page);
  await page.keyboard.type('Hello');
  await page.getByRole('form', { name: 'Send a message' }).getByRole('button', { name: 'Send' }).click();

  await page.getByRole('log', { name: 'Conversation' }).getByText('Hello').waitFor();
  await page.getByRole('complementary', { name: 'Sandbox phone' }).getByText('Hello').waitFor();
  expect(clicks).toBe(3);
});
