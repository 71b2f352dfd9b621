// The pictures of the manager page in the documentation. `npm run images` writes them to docs/images. Without
// MANAGER_IMAGES, the test only checks that they can be taken.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, type Place, startManager } from '../support/manager.ts';
import { startReceiver } from '../support/receiver.ts';

const OWN_NUMBER = '15550001001';
const ANN_NUMBER = '15550001002';
const BEN_NUMBER = '15550001003';
/** Largest size of a picture in bytes, so that pages of the documentation load fast. */
const MAX_BYTES = 150_000;

const DESKTOP = { width: 1280, height: 1000 };
const PHONE = { width: 390, height: 844 };

/** The file names by screen. With `isDark`, the picture of the phone screen has the dark color scheme. */
type Pictures = { desktop: string; phone: string; isDark?: boolean };

/** Takes a picture with the desktop screen and one with the phone screen. */
async function takePictures(folder: string, page: Page, names: Pictures): Promise<void> {
  const sizes = [
    [names.desktop, DESKTOP],
    [names.phone, PHONE],
  ] as const;
  for (const [name, size] of sizes) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: names.isDark && size === PHONE ? 'dark' : 'light' });
    await page.evaluate(`scrollTo(0, 0); document.activeElement?.blur()`);
    await page.screenshot({ path: join(folder, name) });
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'light' });
}

async function converse({ page, api, controls }: Place): Promise<void> {
  const send = (number: string, text: string) => api('POST', '/message/sendText/bakery', { number, text });
  const receive = (number: string, text: string) =>
    controls('POST', `/phones/${number}/messages`, { to: OWN_NUMBER, text });
  const log = page.getByRole('log', { name: 'Conversation' });
  await receive(ANN_NUMBER, 'Good morning! Do you still have rye bread?');
  await log.getByText('rye bread').waitFor();
  await send(ANN_NUMBER, 'Good morning, Ann. Yes, two loaves. Shall we keep one for you?');
  await receive(ANN_NUMBER, 'Yes please, I come at ten.');
  await log.getByText('at ten').waitFor();
  await send(BEN_NUMBER, 'Hello Ben, your cake is ready.');
  await receive(BEN_NUMBER, 'Thank you!');
  await log.getByText('Thank you!').waitFor();
  await log.getByText('Delivered').nth(1).waitFor();
  await page.getByRole('complementary', { name: 'Sandbox phone' }).getByText('at ten').waitFor();
}

it('the manager page yields every picture of the documentation with less than 150 kB', async () => {
  const folder = process.env.MANAGER_IMAGES ?? emptyFolder();
  const place = await startManager({ viewport: DESKTOP }, {}, []);
  const receiver = await startReceiver();
  const { page, api, controls, url } = place;
  await controls('POST', '/phones', { number: ANN_NUMBER, name: 'Ann' });
  await controls('POST', '/phones', { number: BEN_NUMBER, name: 'Ben' });
  await logIn(place, KEY);
  await create(place, 'bakery');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await takePictures(folder, page, { desktop: 'manager-link-1280.png', phone: 'manager-link-390.png', isDark: true });

  await page.getByRole('button', { name: 'Scan the QR code' }).click();
  await page.getByText('bakery is linked and open.').waitFor();
  await page.goto('about:blank');
  await page.goto(`${url}/manager/#/i/bakery/messages`);
  await page.getByText('Live:').waitFor();
  await converse(place);
  await takePictures(folder, page, { desktop: 'manager-1280.png', phone: 'manager-messages-390.png' });

  await api('POST', '/webhook/set/bakery', { webhook: { enabled: true, url: `${receiver.url}/orders` } });
  await controls('POST', `/phones/${ANN_NUMBER}/messages`, { to: OWN_NUMBER, text: 'See you soon' });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.locator('.delivery[data-state=delivered]', { hasText: 'messages.upsert' }).waitFor();
  await page.getByText('Healthy').waitFor();
  await takePictures(folder, page, { desktop: 'manager-webhooks-1280.png', phone: 'manager-webhooks-390.png' });

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('img', { name: 'Received: 4' }).waitFor();
  await page.locator('dd').getByText('6', { exact: true }).waitFor();
  await takePictures(folder, page, { desktop: 'manager-overview-1280.png', phone: 'manager-overview-390.png' });

  const pictures = readdirSync(folder).sort();
  expect(pictures).toEqual(readdirSync('docs/images').sort());
  const large = pictures.filter((name) => statSync(join(folder, name)).size >= MAX_BYTES);
  expect(large, `of at least ${MAX_BYTES} bytes`).toEqual([]);
  await receiver.stop();
});
