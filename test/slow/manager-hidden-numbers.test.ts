// A person who hides the phone number, on the page for operators: a user name or "hidden number" where others have digits.
import { expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, startManager } from '../support/manager.ts';

const mine = '15550001001';
const named = '15550001002';
const unnamed = '15550001003';

it('shows people without a number by name and user name, and answers them', async () => {
  const place = await startManager({}, {}, []);
  const { page, controls } = place;
  await logIn(place, KEY);
  for (const [number, name, username] of [
    [named, 'Ana', 'ana.b'],
    [unnamed, 'Bo', null],
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
  await controls('POST', `/phones/${named}/messages`, { to: mine, text: 'From Ana' });
  await controls('POST', `/phones/${unnamed}/messages`, { to: mine, text: 'From Bo' });
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
  const { body } = await controls('GET', `/phones/${unnamed}/messages`);
  expect([body].flat().map((message) => at(message, 'text'))).toContain('Answer to Bo');

  // The number becomes known: both messages are in one chat.
  await controls('PUT', `/phones/${unnamed}`, { hidesNumber: false });
  await controls('POST', `/phones/${unnamed}/messages`, { to: mine, text: 'My number' });
  await chat.getByRole('option', { name: unnamed }).waitFor({ state: 'attached' });
  expect(await chat.getByRole('option').allTextContents()).toEqual(['All chats', 'Ana, @ana.b', unnamed]);
});
