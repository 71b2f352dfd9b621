import { proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { firstContactToken } from '../src/crypto/first-contact.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';

const { ERROR, DELIVERY_ACK } = proto.WebMessageInfo.Status;

onStage();

const token = (content: Uint8Array, tag = 'cstoken') => [{ tag, attrs: {}, content }];

async function statusAfter(additionalNodes: ReturnType<typeof token>): Promise<number> {
  const id = await client.sock.relayMessage(pnJid(peer.account), { conversation: 'hello' }, { additionalNodes });
  await client.until(() => client.updates.some(({ key }) => key.id === id));
  return client.status(id);
}

it('a message with a wrong token for first contacts is refused, one with the right token is delivered', async () => {
  const { nctSalt } = sandbox.world.account(mine);
  if (!nctSalt) throw new Error('the account has no salt');
  expect(await statusAfter(token(firstContactToken(nctSalt, lidJid(peer.account))))).toBe(DELIVERY_ACK);
  expect(await statusAfter(token(firstContactToken(nctSalt, lidJid(sandbox.world.account(mine)))))).toBe(ERROR);
});

it('the fault noToken refuses messages without a token', async () => {
  sandbox.faults.add({ kind: 'noToken', number: mine });
  expect(await statusAfter(token(Buffer.from('received'), 'tctoken'))).toBe(DELIVERY_ACK);
  expect(await statusAfter([])).toBe(ERROR);
  expect(await statusAfter([])).toBe(DELIVERY_ACK);
});
