// An interop client without a gateway: resumption, a server with another key, app state snapshots and addressing modes.
import { afterEach, describe, expect, it } from 'vitest';
import { proto } from 'whatsapp-interop-client/proto-types';
import { InteropClient } from './support/client.ts';
import { type Account, control, createAccount, scan } from './support/phones.ts';
import { openPlatform, type Platform, startPlatform } from './support/platform.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function openTestPlatform(open: () => Promise<Platform> = openPlatform): Promise<Platform> {
  const opened = await open();
  cleanUps.push(async () => {
    expect(await opened.unanswered()).toEqual([]);
    await opened.close();
  });
  return opened;
}

async function start(...args: Parameters<typeof InteropClient.start>): Promise<InteropClient> {
  const client = await InteropClient.start(...args);
  cleanUps.push(() => client.stop());
  return client;
}

async function link(opened: Platform, account: Account): Promise<InteropClient> {
  const client = await start(opened);
  await scan(opened, account, (await client.event('qr')).data.code);
  await client.event('connected');
  return client;
}

/** The client hello, which follows the four bytes of the intro and the three bytes of the length. */
const helloOf = ({ transport }: InteropClient) =>
  proto.HandshakeMessage.decode(transport.firstSent?.subarray(7) ?? new Uint8Array()).clientHello;

describe('interop client without a gateway', () => {
  it('a linked interop client resumes with the server key in its store', async () => {
    const opened = await openTestPlatform();
    const first = await link(opened, await createAccount(opened, 'Ada'));
    await first.stop();
    const resumed = await start(opened, first.store);
    await resumed.event('connected');
    expect(helloOf(resumed)?.static).toHaveLength(48);
  });

  it('a linked interop client completes the handshake with a server whose key has changed', async () => {
    const opened = await openTestPlatform();
    const client = await link(opened, await createAccount(opened, 'Ada'));
    await client.stop();
    const otherClient = await start(await openTestPlatform(startPlatform), client.store);
    // The other server answers inside of the encrypted connection, because it does not know the device.
    await otherClient.event('logged_out');
    expect(helloOf(otherClient)?.static).toHaveLength(48);
  });

  it('a linked interop client reads the app state from snapshots', async () => {
    const opened = await openTestPlatform();
    const [ada, bob] = [await createAccount(opened, 'Ada'), await createAccount(opened, 'Bob')];
    await control(opened, 'POST', `/phones/${ada.number}/chats/${bob.number}`, { pin: true, name: 'Bobby' });
    expect(await control(opened, 'POST', `/phones/${ada.number}/state/snapshots`)).toEqual({
      collections: ['critical_unblock_low', 'regular_low'],
    });
    const client = await link(opened, ada);
    const pin = await client.event('pin_update');
    expect(pin.data).toMatchObject({ jid: { user: bob.number }, action: { pinned: true } });
    const contact = await client.event('contact_update');
    expect(contact.data).toMatchObject({ jid: { user: bob.number }, action: { full_name: 'Bobby' } });
  });

  it.each([
    [false, 'pn'],
    [true, 'lid'],
  ])('an interop client whose account is migrated (%s) addresses others by %s', async (migrated, addressing) => {
    const opened = await openTestPlatform();
    const [ada, bob] = [await createAccount(opened, 'Ada'), await createAccount(opened, 'Bob')];
    await control(opened, 'PUT', `/phones/${ada.number}`, { migrated });
    const client = await link(opened, ada);
    const id = await client.send(bob.jid, { conversation: 'hello' });
    await client.event('receipt', (receipt) => JSON.stringify(receipt).includes(id));
    const messages = await control(opened, 'GET', `/phones/${bob.number}/messages`);
    expect(messages).toMatchObject([{ id, addressing }]);
  });
});
