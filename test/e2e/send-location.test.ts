import { describe, expect, it } from 'vitest';
import { textAt } from '../support/api.ts';
import { startWorld } from '../support/gateway.ts';

const mine = '15550009001';
const theirs = '15550009002';
const place = { name: 'Sugarloaf', address: 'Rio de Janeiro', latitude: -22.9492, longitude: -43.1545 };

describe('POST /message/sendLocation', () => {
  it('answers the interface’s result, and the phone receives the pin', async () => {
    const world = await startWorld();
    await world.link('sales', mine);
    const sent = await world.api('POST', '/message/sendLocation/sales', { number: theirs, locationMessage: place });
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
    const phone = world.sandbox.phones.phone(theirs);
    const received = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(sent.body, 'key.id')));
    expect(received).toMatchObject({ kind: 'location', from: mine });
    expect(received.message).toHaveProperty('locationMessage.degreesLatitude', place.latitude);
  });

  it('speaks the flat dialect and takes numbers as text', async () => {
    const world = await startWorld();
    await world.link('sales', mine);
    const flat = { number: theirs, ...place, latitude: String(place.latitude) };
    const sent = await world.api('POST', '/message/sendLocation/sales', flat);
    expect(sent).toMatchObject({
      status: 201,
      body: { messageType: 'locationMessage', messageTimestamp: expect.any(Number) },
    });
  });

  it('refuses what is no place, naming the field', async () => {
    const world = await startWorld();
    await world.link('sales', mine);
    const send = (locationMessage: object) =>
      world.api('POST', '/message/sendLocation/sales', { number: theirs, locationMessage });
    for (const wrong of [{ ...place, latitude: 91 }, { ...place, latitude: 'north' }, { longitude: 1 }]) {
      const refused = await send(wrong);
      expect(refused.status).toBe(400);
      expect(JSON.stringify(refused.body)).toContain('latitude');
    }
  });
});
