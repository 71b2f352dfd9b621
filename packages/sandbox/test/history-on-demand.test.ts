import { type BaileysEventMap, proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { lidJid, pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';

type History = BaileysEventMap['messaging-history.set'];

setUpClient();

it('a phone answers a request for older messages in the form of address that the request uses', async () => {
  const texts: string[] = [];
  for (let n = 0; n < 4; n++) texts.push(await peer.send(ownNumber, { text: `${n}` }));
  const anchor = await client.message(texts[3] ?? '');
  const answers: History[] = [];
  client.sock.ev.on('messaging-history.set', (history) => answers.push(history));
  const requestHistory = async (remoteJid: string, count: number, id = anchor.message.key.id) => {
    const requestId = await client.sock.fetchMessageHistory(count, { remoteJid, id, fromMe: false }, Date.now());
    return client.until(() => answers.find((history) => history.peerDataRequestSessionId === requestId));
  };
  const byLid = await requestHistory(lidJid(peer.account), 2);
  expect(byLid).toMatchObject({
    syncType: proto.HistorySync.HistorySyncType.ON_DEMAND,
    chats: [{ id: lidJid(peer.account), endOfHistoryTransferType: 2 }],
    messages: [{ key: { id: texts[2] } }, { key: { id: texts[1] } }],
  });
  const byNumber = await requestHistory(pnJid(peer.account), 2, texts[1]);
  expect(byNumber).toMatchObject({
    chats: [{ id: pnJid(peer.account), endOfHistoryTransferType: 1 }],
    messages: [{ key: { id: texts[0] } }],
  });
});

it('a phone answers a request for a negative number of messages without messages', async () => {
  const texts: string[] = [];
  for (let n = 0; n < 3; n++) texts.push(await peer.send(ownNumber, { text: `${n}` }));
  const { message } = await client.message(texts[2] ?? '');
  const answer = new Promise<History>((resolve) => client.sock.ev.on('messaging-history.set', resolve));
  await client.sock.fetchMessageHistory(-1, message.key, Date.now());
  expect((await answer).messages).toEqual([]);
});

it('a phone answers history requests once it is reachable, but none that begins at an unknown message', async () => {
  const phone = sandbox.phones.phone(ownNumber);
  const [first, second] = [await peer.send(ownNumber, { text: '1' }), await peer.send(ownNumber, { text: '2' })];
  await client.message(second);
  const answers: History[] = [];
  client.sock.ev.on('messaging-history.set', (history) => answers.push(history));
  const remoteJid = pnJid(peer.account);
  phone.setReachable(false);
  await client.sock.fetchMessageHistory(1, { remoteJid, id: 'UNKNOWN', fromMe: false }, 0);
  const requestId = await client.sock.fetchMessageHistory(1, { remoteJid, id: second, fromMe: false }, 0);
  // The server has handled both requests when it answers this one.
  await client.sock.fetchBlocklist();
  expect(answers).toEqual([]);
  // A second call must not lose the requests that wait already.
  phone.setReachable(false);
  phone.setReachable(true);
  await client.until(() => answers.length > 0);
  expect(answers).toMatchObject([{ peerDataRequestSessionId: requestId, messages: [{ key: { id: first } }] }]);
});
