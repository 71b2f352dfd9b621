// Sessions of Baileys 6 that contain one person under two addresses. Baileys 6 answers to the phone number of a person
// who writes from a LID.
import { describe, expect, it } from 'vitest';
import { fromBaileys, toBaileys } from '../../src/session-bundle/baileys.ts';
import { silenceConsole } from '../support/console.ts';
import { linkedParty, Party } from '../support/signal-party.ts';

const LID = '200000000000001';
const userOf = (party: Party): string => party.jid.split(/[:@]/, 1)[0] ?? '';
const deviceOf = (party: Party): string => party.jid.split(/[:@]/)[1] ?? '0';

// libsignal prints the sessions that it closes.
silenceConsole();

/** Creates a conversation. Bob writes from his LID, and the device writes to his number. `late` is not received yet. */
async function createConversation() {
  const [device, bob] = [linkedParty(6), linkedParty()];
  const lidJid = `${LID}:${deviceOf(bob)}@lid`;
  await bob.greet(device);
  await device.receive(await bob.send(device, 'from the LID'), lidJid);
  const late = await bob.send(device, 'late');
  await device.greet(bob);
  await bob.receive(await device.send(bob, 'to the number'));
  return { device, bob, lidJid, late };
}

/** Converts the device to Baileys 7. Returns the result of the conversion and the new device. */
function convert(device: Party) {
  const converted = fromBaileys({ creds: device.creds, keys: device.keys() });
  return { ...converted, device: new Party(device.creds, toBaileys(converted).keys) };
}

describe('people with a number and a LID in Baileys 6', () => {
  it('fromBaileys() merges the sessions of a number and its LID into one that decrypts the messages of both', async () => {
    const { device: old, bob, lidJid, late } = await createConversation();
    const { device, keys, warnings } = convert(old);
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

  it('fromBaileys() lists the devices of a person in ascending order, regardless of the order of the sessions', async () => {
    const { device: old, bob } = await createConversation();
    const session = old.keys().find(({ type, id }) => type === 'session' && id.startsWith(LID));
    for (const number of [90, 8]) old.set('session', `${LID}.${number}`, session?.value);
    const expected = [deviceOf(bob), '8', '90'].sort((one, other) => Number(one) - Number(other));
    for (const keys of [old.keys(), old.keys().toReversed()]) {
      const { deviceLists } = fromBaileys({ creds: old.creds, keys }).keys;
      expect(deviceLists).toEqual({ [LID]: expected, [userOf(bob)]: expected });
    }
  });

  it('fromBaileys() maps no LID whose identity key also belongs to another number', async () => {
    const { device: old, bob } = await createConversation();
    const session = old.keys().find(({ type, id }) => type === 'session' && id.startsWith(userOf(bob)));
    old.set('session', `4915550000007.${deviceOf(bob)}`, session?.value);
    const { keys } = convert(old);
    expect(keys.lidMap).toEqual({});
    expect(Object.keys(keys.sessions)).toContain(`${LID}_1.${deviceOf(bob)}`);
  });

  it('fromBaileys() keeps each session when the LID belongs to another person', async () => {
    const device = linkedParty(6);
    const [bob, carol] = [linkedParty(), linkedParty()];
    await bob.greet(device);
    await device.receive(await bob.send(device, 'from the LID'), `${LID}:${deviceOf(bob)}@lid`);
    await carol.greet(device);
    await device.receive(await carol.send(device, 'from the number'));
    const { keys } = convert(device);
    expect(keys.lidMap).toEqual({});
    expect(Object.keys(keys.sessions)).toContain(`${userOf(carol)}.${deviceOf(carol)}`);
  });
});
