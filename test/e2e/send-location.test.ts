import { describe, expect, it } from 'vitest';
import { textAt } from '../support/api.ts';
import { startWorld } from '../support/gateway.ts';

const mine = '15550009001';
const contact = '15550009002';
const place = { name: 'Sugarloaf', address: 'Rio de Janeiro', latitude: -22.9492, longitude: -43.1545 };

describe('POST /message/sendLocation', () => {
  it('sendLocation answers the sent location, and the phone receives it', async () => {
    const world = await startWorld();
    await world.link('sales', mine);
    const sent = await world.api('POST', '/message/sendLocation/sales', { number: contact, locationMessage: place });
    expect(sent).toMatchObject({
      status: 201,
      body: { status: 'PENDING', messageTimestamp: expect.stringMatching(/^\d+$/) },
    });
    expect(sent.body).toHaveProperty('message.locationMessage', {
      degreesLatitude: place.latitude,
      degreesLongitude: place.longitude,
      name: place.name,
      address: place.address,
    });
    const phone = world.sandbox.phones.phone(contact);
    const received = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(sent.body, 'key.id')));
    expect(received).toMatchObject({ kind: 'location', from: mine });
    expect(received.message).toHaveProperty('locationMessage.degreesLatitude', place.latitude);
  });

  it('sendLocation accepts a flat body and a coordinate as text', async () => {
    const world = await startWorld();
    await world.link('sales', mine);
    const flat = { number: contact, ...place, latitude: String(place.latitude) };
    const sent = await world.api('POST', '/message/sendLocation/sales', flat);
    expect(sent).toMatchObject({
      status: 201,
      body: { messageType: 'locationMessage', messageTimestamp: expect.any(Number) },
    });
  });

  it('sendLocation rejects an invalid location and names the field', async () => {
    const world = await startWorld();
    await world.link('sales', mine);
    const send = (locationMessage: object) =>
      world.api('POST', '/message/sendLocation/sales', { number: contact, locationMessage });
    for (const wrong of [{ ...place, latitude: 91 }, { ...place, latitude: 'north' }, { longitude: 1 }]) {
      const refused = await send(wrong);
      expect(refused.status).toBe(400);
      expect(JSON.stringify(refused.body)).toContain('latitude');
    }
  });
});
