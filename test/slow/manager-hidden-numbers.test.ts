// Contacts that hide their phone number, on the manager page. The page shows their user name or "hidden number".
import { expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, startManager } from '../support/manager.ts';

const ownNumber = '15550001001';
const namedNumber = '15550001002';
const unnamedNumber = '15550001003';

it('the manager page shows contacts without a number by name and user name, and sends them answers', async () => {
  const place = await startManager({}, {}, []);
  const { page, controls } = place;
  await logIn(place, KEY);
  for (const [number, name, username] of [
    [namedNumber, 'Ana', 'ana.b'],
    [unnamedNumber, 'Bo', null],
  ] as const) {
    await controls('POST', '/phones', { number, name });
    expect((await controls('PUT', `/phones/${number}`, { hidesNumber: true, username })).status).toBe(200);
  }
  await create(place, 'shop');
  await page.getByText('No camera?').click();
  await page.getByRole('button', { name: 'Scan the QR code' }).click();
  await page.getByText('shop is linked and open.').waitFor();
  await page.getByRole('link', { name: 'Messages' }).click();
  await page.getByText('Live:').waitFor();
  await controls('POST', `/phones/${namedNumber}/messages`, { to: ownNumber, text: 'From Ana' });
  await controls('POST', `/phones/${unnamedNumber}/messages`, { to: ownNumber, text: 'From Bo' });
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.getByText('Ana, @ana.b').waitFor();
  await log.getByText('Bo, hidden number').waitFor();
  expect(await log.textContent()).not.toMatch(/\d{8,}/);
  const chat = page.getByLabel('Chat', { exact: true });
  expect(await chat.getByRole('option').allTextContents()).toEqual(['All chats', 'Ana, @ana.b', 'Bo, hidden number']);
  await chat.selectOption({ label: 'Bo, hidden number' });
  await page.getByLabel('Text').fill('Answer to Bo');
  await page.getByRole('form', { name: 'Send a message' }).getByRole('button', { name: 'Send' }).click();
  await log.getByText('to Bo, hidden number').waitFor();
  await log.getByText('Delivered').waitFor();
  const { body } = await controls('GET', `/phones/${unnamedNumber}/messages`);
  expect([body].flat().map((message) => at(message, 'text'))).toContain('Answer to Bo');

  // The contact reveals the number. All of its messages are now in one chat.
  await controls('PUT', `/phones/${unnamedNumber}`, { hidesNumber: false });
  await controls('POST', `/phones/${unnamedNumber}/messages`, { to: ownNumber, text: 'My number' });
  await chat.getByRole('option', { name: unnamedNumber }).waitFor({ state: 'attached' });
  expect(await chat.getByRole('option').allTextContents()).toEqual(['All chats', 'Ana, @ana.b', unnamedNumber]);
});
