// Links of an interop client: by QR code, by pairing code, by a wrong code, and beside other linked devices.
import { afterEach, describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { InteropClient, textOf } from './support/client.ts';
import { control, createAccount, scan, sendAs } from './support/phones.ts';
import { linkClient, useStage } from './support/stage.ts';

const stage = useStage();
const guests: InteropClient[] = [];

afterEach(async () => {
  await Promise.all(guests.splice(0).map((guest) => guest.stop()));
});

/** Starts an interop client that is not linked yet. */
async function newGuest(): Promise<InteropClient> {
  const guest = await InteropClient.start(stage.platform);
  guests.push(guest);
  return guest;
}

describe('links of an interop client', () => {
  it('an interop client that was linked by QR code and an instance exchange texts in both directions', async () => {
    const { client, shop, ada } = stage;
    const data = await stage.sendFromClient({ conversation: 'from the client' });
    expect(data).toMatchObject({ message: { conversation: 'from the client' } });
    const sent = await stage.call('POST', '/message/sendText/shop', { number: ada.number, text: 'from the instance' });
    const received = await client.message(textAt(sent, 'key.id'));
    expect(textOf(received)).toBe('from the instance');
    expect(received.info).toMatchObject({ chat: shop.lid, senderAlt: shop.jid, isFromMe: false, pushName: 'Shop' });
  });

  it('an interop client that was linked by pairing code exchanges texts with an instance', async () => {
    const bob = await createAccount(stage.platform, 'Bob');
    const guest = await newGuest();
    await guest.event('qr');
    const pairingCode = await guest.engine.requestPairingCode(bob.number);
    expect(pairingCode).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/);
    await control(stage.platform, 'POST', `/phones/${bob.number}/link`, { pairingCode });
    await guest.event('connected');
    const id = await guest.send(stage.shop.jid, { conversation: 'by code' });
    expect(at(await stage.waitForMessage(id), 'data')).toMatchObject({ key: { remoteJid: bob.jid }, pushName: 'Bob' });
    const sent = await stage.call('POST', '/message/sendText/shop', { number: bob.number, text: 'welcome' });
    expect(textOf(await guest.message(textAt(sent, 'key.id')))).toBe('welcome');
  });

  it('a wrong pairing code does not link an interop client, and the correct one links it afterwards', async () => {
    const bob = await createAccount(stage.platform, 'Bob');
    const guest = await newGuest();
    await guest.event('qr');
    const pairingCode = await guest.engine.requestPairingCode(bob.number);
    const link = (code: string) => stage.platform.control('POST', `/phones/${bob.number}/link`, { pairingCode: code });
    const wrong = pairingCode.startsWith('1') ? '22222222' : '11111111';
    expect((await link(wrong)).status).toBe(400);
    expect((await link(pairingCode)).status).toBe(200);
    await guest.event('connected');
  });

  it('a second interop client of an account receives the messages that are sent after its link', async () => {
    await stage.sendFromClient({ conversation: 'before the other device' });
    const guest = await linkClient(stage.platform, stage.ada);
    guests.push(guest);
    for (const text of ['first', 'second']) {
      const { info } = await stage.sendFromInstance('sendText', { text });
      expect(textOf(await guest.message(info.id))).toBe(text);
    }
    const own = await stage.client.send(stage.shop.jid, { conversation: 'from the first device' });
    expect((await guest.message(own)).info.isFromMe).toBe(true);
  });

  it('a linked interop client has the number, the LID and the name of its account', async () => {
    const { engine } = stage.client;
    expect(await engine.getJid()).toBe(stage.ada.jid);
    expect(await engine.getLid()).toBe(stage.ada.lid);
    expect(await engine.getPushName()).toBe('Ada');
    await engine.validateKeyBundle();
  });

  it('a second phone cannot scan the QR code of a linked interop client', async () => {
    const bob = await createAccount(stage.platform, 'Bob');
    const guest = await newGuest();
    const { data } = await guest.event('qr');
    await scan(stage.platform, bob, data.code);
    await guest.event('connected');
    const eve = await createAccount(stage.platform, 'Eve');
    const secondScan = await stage.platform.control('POST', `/phones/${eve.number}/scan`, { code: data.code });
    expect(secondScan.status).toBe(404);
    const id = await sendAs(stage.platform, eve, bob.number, { text: 'hi Bob' });
    expect(textOf(await guest.message(id))).toBe('hi Bob');
  });
});

describe('queries about accounts', () => {
  it('the interop client and the instance query which numbers are on WhatsApp', async () => {
    const found = await stage.client.engine.isOnWhatsApp([stage.shop.number, '15550000000']);
    expect(found.find(({ jid }) => jid === stage.shop.jid)).toMatchObject({ isRegistered: true });
    expect(found.some(({ jid, isRegistered }) => jid.startsWith('15550000000') && isRegistered)).toBe(false);
    const numbers = { numbers: [stage.ada.number, '15550000000'] };
    const checked = await stage.call('POST', '/chat/whatsappNumbers/shop', numbers);
    expect(checked).toMatchObject([{ exists: true, jid: stage.ada.jid }, { exists: false }]);
  });

  it('the interop client reads the status text and the picture of an account, and the instance the picture', async () => {
    const picture = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64');
    await control(stage.platform, 'POST', `/phones/${stage.shop.number}/profile`, { status: 'Open', picture });
    expect(await stage.client.engine.fetchStatus([stage.shop.jid])).toMatchObject([{ status: 'Open' }]);
    const clientPicture = await stage.client.engine.profilePictureUrl(stage.shop.jid, 'image');
    expect(clientPicture?.url).toMatch(/^https:/);
    const body = { number: stage.shop.number };
    const instancePicture = await stage.call('POST', '/chat/fetchProfilePictureUrl/shop', body);
    expect(textAt(instancePicture, 'profilePictureUrl')).toMatch(/^https:/);
  });

  it('the interop client blocks and unblocks the account of the instance', async () => {
    const { engine } = stage.client;
    await engine.updateBlockStatus(stage.shop.jid, 'block');
    expect(JSON.stringify(await engine.fetchBlocklist())).toContain(stage.shop.lid.split('@')[0]);
    await engine.updateBlockStatus(stage.shop.jid, 'unblock');
    expect(await engine.fetchBlocklist()).toEqual([]);
    expect(textOf(await stage.sendFromInstance('sendText', { text: 'friends again' }))).toBe('friends again');
  });
});
