// Problems on the manager page: their causes and the actions that the page recommends. One process and one browser
// serve all steps.
import { describe, expect, it, onTestFinished } from 'vitest';
import { textAt } from '../support/api.ts';
import { expectAccessible, TIMEOUT_MS } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, type Place, startManager, state } from '../support/manager.ts';
import { startProxy } from '../support/proxies.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const instanceName = 'shop';
const ownNumber = '15550001101';
const contactNumber = '15550001102';
const newContactNumber = '15550001103';

const receive = ({ controls }: Place, text: string) =>
  controls('POST', `/phones/${contactNumber}/messages`, { to: ownNumber, text });

/** Makes the platform end the connection with the code that it uses after the last QR code has expired. */
const expireCode = ({ controls }: Place) => controls('POST', '/faults', { kind: 'close', code: 408 });

async function checkCodes(place: Place): Promise<void> {
  const { page, controls } = place;
  await create(place, instanceName);
  const code = page.getByRole('img', { name: 'QR code' });
  await page.getByText('Code 1.').waitFor();
  const first = await code.getAttribute('src');
  await expireCode(place);
  await page.getByText('Code 2. A new code replaces it automatically').waitFor();
  expect(await code.getAttribute('src'), 'another code').not.toBe(first);
  await expireCode(place);
  await page.getByText('Code 3.').waitFor();
  await expireCode(place);
  await page.getByText('The codes have expired.').waitFor();
  await page.getByRole('alert').getByText('QR code limit reached').waitFor();
  expect(await code.count(), 'no code that counts no more').toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show new codes' }).click();
  await page.getByText('Code 1.').waitFor();
  expect((await controls('POST', `/phones/${ownNumber}/scan`, { instance: instanceName })).status).toBe(200);
  await page.getByText(`${instanceName} is linked and open.`).waitFor();
}

/** Checks the counts of an instance with more stored messages than the page loads. The page then names its limit. */
async function checkCounts({ page }: Place): Promise<void> {
  await page.getByText('History synced: 210 messages.').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText(/Counts the last 200 messages, since .*\. Older messages are not counted\./).waitFor();
  await page.getByRole('img', { name: 'Received: 200' }).waitFor();
}

async function checkRestriction(place: Place): Promise<void> {
  const { page, controls } = place;
  const quota = { total: 10, used: 3, minutes: 600 };
  await controls('POST', `/phones/${ownNumber}/restrictions`, { lock: { minutes: 60, reason: 'BIZ_QUALITY' }, quota });
  await page.getByText('The platform does not let this account start new chats until').waitFor();
  await page.getByText('Reason: BIZ_QUALITY.').waitFor();
  await page.getByText('Do not write to new contacts until then').waitFor();
  await page.getByText('3 of 10 used').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Messages' }).click();
  await page.getByLabel('To', { exact: true }).fill(newContactNumber);
  await page.getByLabel('Text').fill('Hello');
  await page.getByRole('form', { name: 'Send a message' }).getByRole('button', { name: 'Send' }).click();
  await page.getByRole('alert').getByText('BIZ_QUALITY').waitFor();
  await controls('POST', `/phones/${ownNumber}/restrictions`, { lock: null, quota: null });
  await page.getByText('The platform does not let').waitFor({ state: 'detached' });
}

async function checkFailedSends(place: Place): Promise<void> {
  const { page, controls } = place;
  const log = page.getByRole('log', { name: 'Conversation' });
  await controls('POST', '/faults', { kind: 'nack', code: 479, number: ownNumber });
  await page.getByLabel('To', { exact: true }).fill(contactNumber);
  await page.getByLabel('Text').fill('Refused');
  await page.getByRole('form', { name: 'Send a message' }).getByRole('button', { name: 'Send' }).click();
  await log.getByText('Not sent').waitFor();
  await log.getByText('Send it again.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('To', { exact: true }).fill('15550000000');
  await page.getByLabel('Text').fill('Unknown number');
  await page.getByRole('form', { name: 'Send a message' }).getByRole('button', { name: 'Send' }).click();
  await page.getByRole('alert').getByText('15550000000 has no WhatsApp account.').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  const bars = page.getByRole('img', { name: 'Failed: 1, at most 1 at a time' });
  await bars.waitFor();
  const heights = await bars.locator('rect').evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
  expect(
    heights.filter((height) => height === Math.max(...heights)),
    'one bar stands out',
  ).toHaveLength(1);
}

async function checkPausedWebhook(place: Place, receiver: Receiver): Promise<void> {
  const { page, api } = place;
  await api('POST', `/webhook/set/${instanceName}`, { webhook: { url: receiver.url, events: ['MESSAGES_UPSERT'] } });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  const card = page.getByRole('listitem', { name: receiver.url });
  await card.getByText('No recent deliveries').waitFor();
  receiver.answer(() => 503);
  await receive(place, 'first');
  await card.getByText('Failing', { exact: true }).waitFor();
  await card.getByText(/Responded with 503 at .* Waiting deliveries are retried automatically/).waitFor();
  await page.locator('.delivery', { hasText: '4 attempts, status 503, next' }).waitFor();

  receiver.answer(() => ({ status: 503, headers: { 'retry-after': '3600' } }));
  await card.getByRole('button', { name: 'Retry now' }).click();
  await card.getByText('Paused', { exact: true }).waitFor();
  await card.getByText(/Responded with 503 at .* Events are kept. The next attempt is at/).waitFor();
  await card.getByText('Fix the receiver, then retry now.').waitFor();
  await expectAccessible(page);

  receiver.answer(() => 200);
  await card.getByRole('button', { name: 'Retry now' }).click();
  await card.getByText('Healthy').waitFor();
  await page.locator('.delivery[data-state=delivered]').waitFor();
  expect(await card.locator('.cause').count(), 'nothing to do').toBe(0);
}

async function checkReplay(place: Place, receiver: Receiver): Promise<void> {
  const { page } = place;
  receiver.answer(() => 422);
  for (const text of ['one', 'two', 'three', 'four']) await receive(place, text);
  await page.locator('.delivery[data-state=dead]').nth(3).waitFor();
  await page.getByText(/Responded with 422 at .* then replay the failed deliveries/).waitFor();
  const { promise: responseReleased, resolve: release } = Promise.withResolvers<void>();
  onTestFinished(() => release());
  receiver.answer(async ({ raw }) => {
    if (raw.includes('"three"')) await responseReleased;
    return 200;
  });
  await page.getByRole('button', { name: 'Replay failed deliveries' }).click();
  await page.getByText('Replaying 4 events.').waitFor();
  const bar = page.getByRole('progressbar', { name: /Replaying to .*: 50 %, 2 of 4 delivered/ });
  await bar.waitFor();
  expect(await bar.getAttribute('value')).toBe('50');
  await expectAccessible(page);
  release();
  await page.getByText(`to ${receiver.url}: 4 of 4 delivered.`).waitFor();
  expect(await bar.count()).toBe(0);
  await page.getByRole('link', { name: 'Events' }).click();
  expect(await page.getByText('replay.progress').count(), 'not among what integrators get').toBe(0);
}

async function checkProxy(place: Place): Promise<void> {
  const { page, api } = place;
  const proxy = await startProxy('socks5', { username: 'shop', password: 'secret' });
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('No proxy for this instance.').waitFor();
  await page.getByLabel('Protocol').selectOption('socks5');
  await page.getByLabel('Host').fill(proxy.host);
  await page.getByLabel('Port', { exact: true }).fill(String(proxy.port));
  await page.getByLabel('User').fill('shop');
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByText('The proxy works and is in use.').waitFor();
  await page.getByText(`In use: socks5://${proxy.host}:${proxy.port}`).waitFor();
  // The page can still show the state of the earlier connection without the proxy.
  await expect
    .poll(() => proxy.open.size, { timeout: TIMEOUT_MS, message: 'connections through it' })
    .toBeGreaterThan(0);
  await state(place, 'Open');
  expect(await page.getByLabel('Password').inputValue(), 'what is stored is not shown').toBe('');
  await page.getByText('A password is stored.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove proxy' }).click();
  await page.getByText('The proxy is no longer used.').waitFor();
  await page.getByText('No proxy for this instance.').waitFor();
  expect((await api('GET', `/proxy/find/${instanceName}`)).body).toMatchObject({ enabled: false, host: '' });
  expect(await page.getByLabel('Host').inputValue()).toBe('');
}

describe('problems on the manager page', () => {
  it('the manager page states the cause of each problem and the required action', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const env = { QRCODE_LIMIT: '3', WEBHOOK_NO_RETRY_STATUS: '422', WEBHOOK_RETRY_SCHEDULE: '600' };
    const place = await startManager({ viewport: { width: 1280, height: 800 } }, env, [/status of 4(00|29)/]);
    await place.controls('POST', '/phones', { number: contactNumber, name: 'Ann' });
    await place.controls('POST', '/phones', { number: newContactNumber });
    await Promise.all(Array.from({ length: 210 }, (_, n) => receive(place, `before ${n}`)));
    await logIn(place, KEY);
    await checkCodes(place);
    await checkCounts(place);
    await checkRestriction(place);
    await checkFailedSends(place);
    await checkPausedWebhook(place, receiver);
    await checkReplay(place, receiver);
    await checkProxy(place);
    const { body } = await place.controls('GET', '/log');
    expect(body, 'what the platform could not answer').toEqual([]);
    expect(textAt((await place.api('GET', `/instance/connectionState/${instanceName}`)).body, 'instance.state')).toBe(
      'open',
    );
  });
});
