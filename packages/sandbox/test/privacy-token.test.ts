import { proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { firstContactToken } from '../src/crypto/first-contact.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';

const { ERROR, SERVER_ACK, DELIVERY_ACK } = proto.WebMessageInfo.Status;

setUpClient();

const token = (content: Uint8Array, tag = 'cstoken') => [{ tag, attrs: {}, content }];

/** Sends a message and resolves with its status: refused by the server, or delivered to the peer. */
async function statusAfter(additionalNodes: ReturnType<typeof token>): Promise<unknown> {
  const id = await client.sock.relayMessage(pnJid(peer.account), { conversation: 'hello' }, { additionalNodes });
  // The receipt of the own phone has the status SERVER_ACK. It comes before that of the peer.
  const { update } = await client.until(() =>
    client.updates.find(({ key, update: { status } }) => key.id === id && status !== SERVER_ACK),
  );
  return update.status;
}

it('the server delivers a message with a valid token for first contacts, and refuses one with a wrong token', async () => {
  const { nctSalt } = sandbox.world.account(ownNumber);
  if (!nctSalt) throw new Error('the account has no salt');
  expect(await statusAfter(token(firstContactToken(nctSalt, lidJid(peer.account))))).toBe(DELIVERY_ACK);
  expect(await statusAfter(token(firstContactToken(nctSalt, lidJid(sandbox.world.account(ownNumber)))))).toBe(ERROR);
});

it('the fault noToken refuses one message without a token', async () => {
  sandbox.faults.add({ kind: 'noToken', number: ownNumber });
  expect(await statusAfter(token(Buffer.from('received'), 'tctoken'))).toBe(DELIVERY_ACK);
  expect(await statusAfter([])).toBe(ERROR);
  expect(await statusAfter([])).toBe(DELIVERY_ACK);
});
