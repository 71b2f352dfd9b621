// Linking to an account that requires a passkey, on the manager page in a real browser. The test contains the
// authenticator of the owner.
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { type AssertionChanges, createAuthenticator } from '../support/authenticator.ts';
import { expectAccessible } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, type Place, startManager, state } from '../support/manager.ts';

const ownNumber = '15550001001';

/** Creates an instance and scans its QR code with the phone, whose account requires a passkey. */
async function createAndScan(place: Place, name: string): Promise<void> {
  const { page } = place;
  await create(place, name);
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page.getByRole('button', { name: 'Scan the QR code' }).click();
}

it('the manager page guides the operator through linking with a passkey and explains invalid answers', async () => {
  const options = { viewport: { width: 1280, height: 800 } };
  const place = await startManager(options, { PASSKEY_LINKING: 'true' }, [/status of 4(00|09)/]);
  const { page, controls } = place;
  const owner = createAuthenticator();
  await controls('POST', `/phones/${ownNumber}/passkey`, { credentials: [owner.credential] });
  const answer = async (changes?: AssertionChanges): Promise<string> => {
    const request = JSON.parse((await page.getByLabel('Passkey request').textContent()) ?? '');
    return JSON.stringify(owner.assert(request, changes));
  };
  const send = async (json: string): Promise<void> => {
    await page.getByLabel('Answer of the browser').fill(json);
    await page.getByRole('button', { name: 'Check and send the answer' }).click();
  };
  await logIn(place, KEY);
  await createAndScan(place, 'shop');
  await state(place, 'Linking with a passkey');
  await page.getByText('Time left: 4:').waitFor();
  await page.getByText('https://web.whatsapp.com').waitFor();
  await page.getByText('never run against the real platform').waitFor();
  await expectAccessible(page);

  await send('{"id":');
  await page.getByRole('alert').getByText('not a JSON object').waitFor();
  await send(await answer({ origin: 'https://example.com' }));
  await page.getByRole('alert').getByText('was not made on https://web.whatsapp.com').waitFor();
  await expectAccessible(page);
  await send(await answer());
  await page.getByText('Compare this code').waitFor();
  const { body } = await controls('GET', `/phones/${ownNumber}/passkey`);
  expect(await page.locator('output').textContent()).toBe(at(body, 'link.code'));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('shop is linked and open.').waitFor();

  await page.getByRole('link', { name: 'Instances' }).click();
  await createAndScan(place, 'refused');
  await page.getByLabel('Passkey request').waitFor();
  await send(await answer({ isForged: true }));
  await page.getByText('Linking with a passkey failed').waitFor();
  await page.getByText('Scan the new QR code to try again.').waitFor();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page.getByRole('button', { name: 'Scan the QR code' }).click();
  await send(await answer());
  await page.getByText('Compare this code').waitFor();
  await page.getByRole('button', { name: 'The codes differ' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  expect(textAt((await place.api('GET', '/instance/connectionState/refused')).body, 'instance.state')).toBe(
    'connecting',
  );
});

it('the manager page names the setting PASSKEY_LINKING when linking with a passkey is disabled', async () => {
  const place = await startManager({ viewport: { width: 390, height: 780 } }, {}, []);
  const { credential } = createAuthenticator();
  await place.controls('POST', `/phones/${ownNumber}/passkey`, { credentials: [credential] });
  await logIn(place, KEY);
  await createAndScan(place, 'shop');
  await place.page.getByRole('alert').getByText('Set PASSKEY_LINKING=true').waitFor();
  await expectAccessible(place.page);
});
