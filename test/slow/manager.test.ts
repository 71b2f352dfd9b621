// The manager page in a real browser, with the sandbox as `npm run sandbox` starts it.
import { describe, expect, it, onTestFinished } from 'vitest';
import { textAt } from '../support/api.ts';
import { expectAccessible } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, type Place, startManager, state } from '../support/manager.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const ownNumber = '15550001001';
const contactNumber = '15550001002';
/** As markup, this text would open a dialog, which fails the test. */
const HOSTILE_TEXT = '<img src=x onerror=alert(1)>';

/** Messages of the browser about the wrong key, the unusable proxy, the deleted instance and the inserted markup. */
const EXPECTED_ERRORS = [/status of 40[014]/, /requires 'TrustedHTML'/];

async function link({ page, controls }: Place, instance: string, method: 'scan' | 'code'): Promise<void> {
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page.getByText('No camera?').click();
  await expectAccessible(page);
  if (method === 'scan') await page.getByRole('button', { name: 'Scan the QR code' }).click();
  else {
    await page.getByLabel('Phone number').fill(`+${ownNumber}`);
    await page.getByRole('button', { name: 'Get a code' }).click();
    const pairingCode = await page.locator('output').textContent();
    expect((await controls('POST', `/phones/${ownNumber}/link`, { pairingCode })).status).toBe(200);
  }
  await page.getByText(`${instance} is linked and open.`).waitFor();
}

/** Clicks a button and confirms the action in its dialog. */
async function confirm({ page }: Place, action: string): Promise<void> {
  await page.getByRole('button', { name: action }).click();
  await page.getByRole('dialog').getByRole('button', { name: action }).click();
}

async function checkMessages({ page, controls }: Place): Promise<void> {
  await controls('POST', '/phones', { number: contactNumber, name: `Ann ${HOSTILE_TEXT}` });
  await page.getByRole('link', { name: 'Messages' }).click();
  await page.getByText('Live:').waitFor();
  await page.getByLabel('To', { exact: true }).fill(contactNumber);
  await page.getByLabel('Text').fill(`Hello ${HOSTILE_TEXT}`);
  await page.getByRole('form', { name: 'Send a message' }).getByRole('button', { name: 'Send' }).click();
  const log = page.getByRole('log', { name: 'Conversation' });
  const phone = page.getByRole('complementary', { name: 'Sandbox phone' });
  await log.getByText(`Hello ${HOSTILE_TEXT}`).waitFor();
  await log.getByText('Delivered').waitFor();
  await phone.getByText(`${ownNumber} is linked to the instance. This is another phone`).waitFor();
  await phone.getByText(`Hello ${HOSTILE_TEXT}`).waitFor();
  await phone.getByRole('button', { name: 'Mark all as read' }).click();
  await log.getByText('Read').waitFor();
  await page.getByLabel('File').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') });
  await page.getByRole('form', { name: 'Send a message' }).getByRole('button', { name: 'Send' }).click();
  await log.getByText('File: a.txt').waitFor();
  await phone.getByLabel('Message').fill(`Answer ${HOSTILE_TEXT}`);
  await phone.getByRole('button', { name: 'Send' }).click();
  await log.getByText(`Answer ${HOSTILE_TEXT}`).waitFor();
  await log.getByText(`Ann ${HOSTILE_TEXT}`).waitFor();
  const written = await controls('POST', `/phones/${contactNumber}/messages`, {
    to: ownNumber,
    text: 'See you at eigth',
  });
  const edit = { id: textAt(written.body, 'id'), text: 'See you at eight' };
  await controls('POST', `/phones/${contactNumber}/messages`, { to: ownNumber, edit });
  await log.getByRole('listitem').filter({ hasText: 'See you at eight' }).getByText('edited').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Events' }).click();
  await page.getByText('messages.upsert').nth(1).click();
  await page.getByText(`"conversation": "Answer ${HOSTILE_TEXT}"`).waitFor();
  await expectAccessible(page);
}

async function checkWebhooks({ page, controls }: Place, receiver: Receiver): Promise<void> {
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByLabel('URL', { exact: true }).fill('https://');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await page.getByRole('dialog').isVisible(), 'what is no address is not saved').toBe(true);
  await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/hook?${HOSTILE_TEXT}`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  receiver.answer(() => ({ status: 200, body: `thanks ${HOSTILE_TEXT}` }));
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('The receiver responded with 200').waitFor();
  await page.getByText(`thanks ${HOSTILE_TEXT}`).waitFor();

  receiver.answer(() => 422);
  await controls('POST', `/phones/${contactNumber}/messages`, { to: ownNumber, text: 'refused at first' });
  const delivery = page.locator('.delivery', { hasText: 'messages.upsert' });
  await delivery.getByText('Failed').waitFor();
  await delivery.getByText('1 attempt, status 422').waitFor();
  await expectAccessible(page);
  receiver.answer(() => 200);
  const { length: after } = receiver.posts;
  await delivery.getByRole('button', { name: 'Replay' }).click();
  await receiver.next(({ raw }) => raw.includes('refused at first'), { after });
  await delivery.getByText('Delivered').waitFor();
}

async function checkSettings({ page, api }: Place, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Reject calls').check();
  await page.getByRole('button', { name: 'Save behavior' }).click();
  await page.getByText('Takes effect immediately').waitFor();
  expect((await api('GET', `/settings/find/${encodeURIComponent(name)}`)).body).toMatchObject({ rejectCall: true });
  await page.getByLabel('Host').fill('127.0.0.1');
  await page.getByLabel('Port', { exact: true }).fill('9');
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByRole('alert').getByText(/proxy/i).waitFor();
  await expectAccessible(page);
}

/** Checks that the page offers only the parts that a key with the scope `read` can open. */
async function checkReadOnlyKey(place: Place, name: string): Promise<void> {
  const { page, api } = place;
  const created = await api('POST', '/keys', { name: 'looking', scopes: ['read'], instance: name });
  await logIn(place, textAt(created.body, 'key'));
  await page.getByRole('link', { name }).click();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.locator('.delivery').first().waitFor();
  expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
    'Overview',
    'Messages',
    'Events',
    'Webhooks',
  ]);
  await page.getByRole('link', { name: 'Messages' }).click();
  await page.getByText('Live:').waitFor();
  await expectAccessible(page);
  expect(await page.getByRole('button').allTextContents()).toEqual(['Sign out']);
  await page.getByRole('button', { name: 'Sign out' }).click();
}

describe.each([
  { width: 'desktop', how: 'scan' as const, options: { viewport: { width: 1280, height: 800 } } },
  {
    width: 'phone',
    how: 'code' as const,
    options: { viewport: { width: 390, height: 780 }, colorScheme: 'dark' as const },
  },
])('the manager page at $width width', ({ how, options }) => {
  it('the manager page serves an instance from its creation to its deletion', async () => {
    const name = `shop ${HOSTILE_TEXT}`;
    const place = await startManager(options, { WEBHOOK_NO_RETRY_STATUS: '422' }, EXPECTED_ERRORS);
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const { page, api } = place;
    await logIn(place, 'not-a-key');
    await page.getByText('Invalid key').waitFor();
    await expectAccessible(page);
    await logIn(place, KEY);
    await place.controls('POST', `/phones/${contactNumber}/messages`, { to: ownNumber, text: 'Before' });
    await create(place, name);
    await link(place, name, how);
    await page.getByText('History synced: 1 message.').waitFor();
    await checkMessages(place);
    await checkWebhooks(place, receiver);
    await checkSettings(place, name);
    expect(page.url()).not.toContain(KEY);
    const markup = page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<p>text</p>')`);
    await expect(markup, 'text becomes no markup').rejects.toThrow('TrustedHTML');

    await page.getByRole('button', { name: 'Sign out' }).click();
    const record = (await api('GET', '/instance/fetchInstances')).body;
    await logIn(place, textAt(record, '0.token'));
    await page.getByRole('link', { name }).waitFor();
    await expectAccessible(page);
    expect(await page.getByRole('button', { name: 'New instance' }).count(), 'with the key of one').toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await checkReadOnlyKey(place, name);
    await logIn(place, KEY);
    await page.getByRole('link', { name }).click();

    await page.getByText(`+${ownNumber}`).waitFor();
    await page.getByRole('img', { name: 'Sent: 2' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.getByText('Restarted').waitFor();
    await state(place, 'Open');
    await confirm(place, 'Unlink');
    await state(place, 'Not linked');
    await page.getByText('Connect again and scan the QR code.').waitFor();
    await page.getByRole('link', { name: 'Messages' }).click();
    const form = page.getByRole('form', { name: 'Send a message' });
    await form.getByRole('link', { name: 'Link to a phone' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Overview' }).click();
    await confirm(place, 'Delete');
    await page.getByText('There are no instances yet').waitFor();
    expect((await api('GET', '/instance/fetchInstances')).body).toEqual([]);
    expect((await place.controls('GET', '/log')).body, 'what the platform could not answer').toEqual([]);
  });
});
