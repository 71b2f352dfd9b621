// Linking a client of another make: by QR code and by pairing code, with the wrong code, and beside other linked devices.
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

/** A client that is not linked yet. */
async function newGuest(): Promise<InteropClient> {
  const guest = await InteropClient.start(stage.platform);
  guests.push(guest);
  return guest;
}

describe('a client', () => {
  it('that was linked by QR code and an instance exchange texts in both directions', async () => {
    const { client, shop, ada } = stage;
    const data = await stage.fromClient({ conversation: 'from the client' });
    expect(data).toMatchObject({ message: { conversation: 'from the client' } });
    const sent = await stage.call('POST', '/message/sendText/shop', { number: ada.number, text: 'from the instance' });
    const received = await client.message(textAt(sent, 'key.id'));
    expect(textOf(received)).toBe('from the instance');
    expect(received.info).toMatchObject({ chat: shop.lid, senderAlt: shop.jid, isFromMe: false, pushName: 'Shop' });
  });

  it('that was linked by pairing code exchanges texts with the instance', async () => {
    const bob = await createAccount(stage.platform, 'Bob');
    const guest = await newGuest();
    await guest.event('qr');
    const pairingCode = await guest.engine.requestPairingCode(bob.number);
    expect(pairingCode).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/);
    await control(stage.platform, 'POST', `/phones/${bob.number}/link`, { pairingCode });
    await guest.event('connected');
    const id = await guest.send(stage.shop.jid, { conversation: 'by code' });
    expect(at(await stage.message(id), 'data')).toMatchObject({ key: { remoteJid: bob.jid }, pushName: 'Bob' });
    const sent = await stage.call('POST', '/message/sendText/shop', { number: bob.number, text: 'welcome' });
    expect(textOf(await guest.message(textAt(sent, 'key.id')))).toBe('welcome');
  });

  it('is not linked by a wrong pairing code, and then by the right one', async () => {
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

  it('that is linked while others talk gets every message from then on', async () => {
    await stage.fromClient({ conversation: 'before the other device' });
    const guest = await linkClient(stage.platform, stage.ada);
    guests.push(guest);
    for (const text of ['first', 'second']) {
      const { info } = await stage.fromShop('sendText', { text });
      expect(textOf(await guest.message(info.id))).toBe(text);
    }
    const own = await stage.client.send(stage.shop.jid, { conversation: 'from the first device' });
    expect((await guest.message(own)).info.isFromMe).toBe(true);
  });

  it('knows its number, its LID and the name of its account', async () => {
    const { engine } = stage.client;
    expect(await engine.getJid()).toBe(stage.ada.jid);
    expect(await engine.getLid()).toBe(stage.ada.lid);
    expect(await engine.getPushName()).toBe('Ada');
    await engine.validateKeyBundle();
  });

  it('cannot be linked with a QR code that was scanned already', async () => {
    const bob = await createAccount(stage.platform, 'Bob');
    const guest = await newGuest();
    const { data } = await guest.event('qr');
    await scan(stage.platform, bob, data.code);
    await guest.event('connected');
    const eve = await createAccount(stage.platform, 'Eve');
    const again = await stage.platform.control('POST', `/phones/${eve.number}/scan`, { code: data.code });
    expect(again.status).toBe(404);
    const id = await sendAs(stage.platform, eve, bob.number, { text: 'hi Bob' });
    expect(textOf(await guest.message(id))).toBe('hi Bob');
  });
});

describe('people', () => {
  it('are found by number, with their LID', async () => {
    const found = await stage.client.engine.isOnWhatsApp([stage.shop.number, '15550000000']);
    expect(found.find(({ jid }) => jid === stage.shop.jid)).toMatchObject({ isRegistered: true });
    expect(found.some(({ jid, isRegistered }) => jid.startsWith('15550000000') && isRegistered)).toBe(false);
    const numbers = { numbers: [stage.ada.number, '15550000000'] };
    const checked = await stage.call('POST', '/chat/whatsappNumbers/shop', numbers);
    expect(checked).toMatchObject([{ exists: true, jid: stage.ada.jid }, { exists: false }]);
  });

  it('show their status text and picture to both', async () => {
    const picture = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64');
    await control(stage.platform, 'POST', `/phones/${stage.shop.number}/profile`, { status: 'Open', picture });
    expect(await stage.client.engine.fetchStatus([stage.shop.jid])).toMatchObject([{ status: 'Open' }]);
    const shown = await stage.client.engine.profilePictureUrl(stage.shop.jid, 'image');
    expect(shown?.url).toMatch(/^https:/);
    const asked = { number: stage.shop.number };
    const read = await stage.call('POST', '/chat/fetchProfilePictureUrl/shop', asked);
    expect(textAt(read, 'profilePictureUrl')).toMatch(/^https:/);
  });

  it('can be blocked by both', async () => {
    const { engine } = stage.client;
    await engine.updateBlockStatus(stage.shop.jid, 'block');
    expect(JSON.stringify(await engine.fetchBlocklist())).toContain(stage.shop.lid.split('@')[0]);
    await engine.updateBlockStatus(stage.shop.jid, 'unblock');
    expect(await engine.fetchBlocklist()).toEqual([]);
    expect(textOf(await stage.fromShop('sendText', { text: 'friends again' }))).toBe('friends again');
  });
});
