// Sessions of Baileys 6 with one person under two addresses: it answers to the number of a person who writes from a LID.
import { describe, expect, it } from 'vitest';
import { fromBaileys, toBaileys } from '../../src/session-bundle/baileys.ts';
import { silenceConsole } from '../support/console.ts';
import { linkedParty, Party } from './party.ts';

const LID = '200000000000001';
const userOf = (party: Party): string => party.jid.split(/[:@]/, 1)[0] ?? '';
const deviceOf = (party: Party): string => party.jid.split(/[:@]/)[1] ?? '0';

// libsignal prints the sessions that it closes.
silenceConsole();

/** Bob has written from his LID, and the device has written to his number. `late` is still on its way. */
async function talk() {
  const [device, bob] = [linkedParty(6), linkedParty()];
  const lidJid = `${LID}:${deviceOf(bob)}@lid`;
  await bob.greet(device);
  await device.receive(await bob.send(device, 'from the LID'), lidJid);
  const late = await bob.send(device, 'late');
  await device.greet(bob);
  await bob.receive(await device.send(bob, 'to the number'));
  return { device, bob, lidJid, late };
}

/** The device with Baileys 7, after the conversion. */
function move(device: Party) {
  const moved = fromBaileys({ creds: device.creds, keys: device.keys() });
  return { ...moved, device: new Party(device.creds, toBaileys(moved).keys) };
}

describe('a person with a number and a LID in Baileys 6', () => {
  it('has one record of sessions after the move, which decrypts the messages of both', async () => {
    const { device: old, bob, lidJid, late } = await talk();
    const { device, keys, warnings } = move(old);
    const id = `${LID}_1.${deviceOf(bob)}`;
    expect(Object.keys(keys.sessions)).toEqual([id]);
    const states = Object.values(keys.sessions[id]?._sessions ?? {});
    expect(states.filter(({ indexInfo }) => indexInfo.closed === -1)).toHaveLength(1);
    expect(keys.lidMap).toEqual({ [LID]: userOf(bob) });
    expect(keys.deviceLists).toEqual({ [LID]: [deviceOf(bob)], [userOf(bob)]: [deviceOf(bob)] });
    expect(warnings).toContain(
      'Phone numbers of LIDs that were found by identity keys: 1. Their Signal sessions become one with those of the number.',
    );
    expect(await device.receive(late, lidJid)).toBe('late');
    expect(await device.receive(await bob.send(device, 'new'), lidJid)).toBe('new');
    expect(await bob.receive(await device.send(bob.jid, 'answer'))).toBe('answer');
  });

  it('has its devices in ascending order, regardless of the order of the sessions', async () => {
    const { device: old, bob } = await talk();
    const session = old.keys().find(({ type, id }) => type === 'session' && id.startsWith(LID));
    for (const number of [90, 8]) old.set('session', `${LID}.${number}`, session?.value);
    const expected = [deviceOf(bob), '8', '90'].sort((one, other) => Number(one) - Number(other));
    for (const keys of [old.keys(), old.keys().toReversed()]) {
      const { deviceLists } = fromBaileys({ creds: old.creds, keys }).keys;
      expect(deviceLists).toEqual({ [LID]: expected, [userOf(bob)]: expected });
    }
  });

  it('is not mapped when the identity key is that of another number too', async () => {
    const { device: old, bob } = await talk();
    const session = old.keys().find(({ type, id }) => type === 'session' && id.startsWith(userOf(bob)));
    old.set('session', `4915550000007.${deviceOf(bob)}`, session?.value);
    const { keys } = move(old);
    expect(keys.lidMap).toEqual({});
    expect(Object.keys(keys.sessions)).toContain(`${LID}_1.${deviceOf(bob)}`);
  });

  it('keeps each session when the LID belongs to another person', async () => {
    const device = linkedParty(6);
    const [bob, carol] = [linkedParty(), linkedParty()];
    await bob.greet(device);
    await device.receive(await bob.send(device, 'from the LID'), `${LID}:${deviceOf(bob)}@lid`);
    await carol.greet(device);
    await device.receive(await carol.send(device, 'from the number'));
    const { keys } = move(device);
    expect(keys.lidMap).toEqual({});
    expect(Object.keys(keys.sessions)).toContain(`${userOf(carol)}.${deviceOf(carol)}`);
  });
});
