// The steps of a new operator on the manager page, from a gateway without instances to the first message.
import { expect, it } from 'vitest';
import { textAt } from '../support/api.ts';
import { expectAccessible } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { logIn, startManager } from '../support/manager.ts';

it.each([
  { width: 'desktop', viewport: { width: 1280, height: 800 } },
  { width: 'phone', viewport: { width: 390, height: 780 } },
])('the manager page leads a new operator to the first message in three clicks at $width width', async ({
  viewport,
}) => {
  const { page, url } = await startManager({ viewport }, {}, []);
  let clickCount = 0;
  await page.exposeFunction('countClick', () => {
    clickCount += 1;
  });
  await page.addInitScript(`addEventListener('pointerdown', () => countClick(), true)`);
  await page.goto(`${url}/manager`);
  await page.getByText('the file api-key in its data folder').waitFor();
  await expectAccessible(page);
  // The page focuses each field that must be filled in, so the test only types.
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
  expect(clickCount).toBe(3);
});

it('the manager page suggests the account itself as the first recipient without access to sandbox phones', async () => {
  const place = await startManager({ viewport: { width: 1280, height: 800 } }, {}, []);
  const { page, api, controls } = place;
  const created = await api('POST', '/instance/create', { instanceName: 'shop' });
  // The key of an instance has no access to the phones of the sandbox.
  await logIn(place, textAt(created.body, 'hash.apikey'));
  await page.getByRole('link', { name: 'shop' }).click();
  await page.getByRole('link', { name: 'Link', exact: true }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await controls('POST', '/phones/15550001301/scan', { instance: 'shop' });
  await page.getByText('shop is linked and open.').waitFor();
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('15550001301');
  await page.keyboard.type('Note to myself');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('log', { name: 'Conversation' }).getByText('Note to myself').waitFor();
});
