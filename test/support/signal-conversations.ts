// A device with each kind of Signal key: late messages, unanswered and replaced sessions, groups.
import { proto } from '@whiskeysockets/baileys';
import type { BaileysKey } from '../../src/session-bundle/baileys.ts';
import { linkedParty, newAccount, Party, phoneOf } from './signal-party.ts';

export const GROUP = '120363000000000001@g.us';
export const OLD_GROUP = '4915550001001-1600000000@g.us';

/**
 * Creates a device in the middle of conversations. Returns it with its contacts and the messages that it has not
 * received.
 */
export async function createConversations(version: 6 | 7 = 7) {
  const account = newAccount();
  const device = linkedParty(version, account);
  const [phone, bob, carol, dave] = [phoneOf(account), linkedParty(), linkedParty(), linkedParty()];
  // The own phone started a session.
  await phone.greet(device);
  await device.receive(await phone.send(device, 'from the phone'));
  // Bob: both directions, three skipped messages in two chains, one of which is closed.
  await bob.greet(device);
  await device.receive(await bob.send(device, 'hello'));
  await bob.receive(await device.send(bob, 'hello Bob'));
  const lateMessages = [await bob.send(device, 'late 1'), await bob.send(device, 'late 2')];
  await device.receive(await bob.send(device, 'in time'));
  await bob.receive(await device.send(bob, 'answer'));
  lateMessages.push(await bob.send(device, 'late 3'));
  await device.receive(await bob.send(device, 'in time too'));
  // Carol has not answered yet.
  await device.greet(carol);
  const unanswered = await device.send(carol, 'hello Carol');
  // Dave linked again: a closed state and an open one.
  await dave.greet(device);
  await device.receive(await dave.send(device, 'old state'));
  await dave.receive(await device.send(dave, 'answer'));
  const oldState = await dave.send(device, 'sent with the old state');
  await dave.greet(device);
  await device.receive(await dave.send(device, 'new state'));
  // A pre-key that the server still has.
  await linkedParty().greet(device);
  // Groups: the own key, Bob's key with skipped messages, and two generations of Dave's key.
  const ownGroupMessage = await device.sendToGroup(GROUP, 'to all');
  await bob.join(GROUP, device, ownGroupMessage.senderKeyDistributionMessage);
  const first = await bob.sendToGroup(GROUP, 'late in the group');
  await device.join(GROUP, bob, first.senderKeyDistributionMessage);
  await device.receiveFromGroup(GROUP, bob, (await bob.sendToGroup(GROUP, 'in time')).ciphertext);
  const dave2 = new Party(dave.creds);
  const daveMessages = [await dave.sendToGroup(OLD_GROUP, 'old key'), await dave2.sendToGroup(OLD_GROUP, 'new key')];
  for (const { senderKeyDistributionMessage } of daveMessages)
    await device.join(OLD_GROUP, dave, senderKeyDistributionMessage);
  return { account, device, phone, bob, carol, dave, lateMessages, unanswered, oldState, first, daveMessages };
}

/** Keys of the other types, as Baileys has them in memory. */
export function otherKeys(): BaileysKey[] {
  const data = { keyData: Buffer.alloc(32, 7), fingerprint: { rawId: 9, currentIndex: 2, deviceIndexes: [0, 2] } };
  const message = proto.Message.AppStateSyncKeyData.encode({ ...data, timestamp: 1_700_000_000_123 }).finish();
  return [
    { type: 'app-state-sync-key', id: 'AAAAAB/+', value: proto.Message.AppStateSyncKeyData.decode(message) },
    { type: 'lid-mapping', id: '4915550009001', value: '200000000000001' },
    { type: 'lid-mapping', id: '200000000000001_reverse', value: '4915550009001' },
    { type: 'device-list', id: '4915550009001', value: ['0', '3'] },
    { type: 'identity-key', id: '200000000000001_1.0', value: withTypeByte(1) },
    {
      type: 'tctoken',
      id: '200000000000001@lid',
      value: { token: Buffer.from('token'), timestamp: '1700000000', senderTimestamp: 1_700_000_001 },
    },
    { type: 'tctoken', id: '200000000000002@lid', value: { token: Buffer.alloc(0), senderTimestamp: 5 } },
    {
      type: 'tctoken',
      id: '__index',
      value: { token: Buffer.from(JSON.stringify(['200000000000001@lid', '200000000000002@lid'])) },
    },
  ];
}

const withTypeByte = (byte: number) => Buffer.concat([Buffer.from([5]), Buffer.alloc(32, byte)]);
