import { expect, it } from 'vitest';
import { FakeKeys } from '../../support/session-fakes.ts';
import { author, encryptText, group, inboundRows, openSession, stanza } from './buffer-session.ts';

it('a message stays in the buffer when a message of another chat or member with its id is stored', async () => {
  const keys = new FakeKeys();
  const usedCiphertexts = new Set<string>();
  const { auth, inbound, decrypt } = await openSession(keys, usedCiphertexts);
  // The phone sends the copies of a message to a broadcast list with one id.
  const phone = { from: '111:0@lid', recipient: '222@lid', participant: undefined };
  const sources = [{}, { participant: '333:2@lid' }, phone, { ...phone, recipient: '333@lid' }];
  for (const [index, source] of sources.entries()) {
    const content = encryptText(`text ${index}`);
    const node = stanza('A1', ['skmsg', content]);
    node.attrs = JSON.parse(JSON.stringify({ ...node.attrs, ...source }));
    inbound.onStanza(node);
    await decrypt(content);
  }
  const unstoredSenders = () =>
    inbound.listUnstoredMessages().map(([part]) => part?.stanza.recipient ?? part?.stanza.participant);
  inbound.markStored([{ key: { id: 'A1', remoteJid: '222@lid', fromMe: true } }]);
  expect(unstoredSenders()).toEqual([author, '333:2@lid', '333@lid']);
  inbound.markStored([{ key: { id: 'A1', remoteJid: group, participant: '333@lid' } }]);
  expect(unstoredSenders()).toEqual([author, '333@lid']);
  await auth.waitForWrites();
  const next = await openSession(keys, usedCiphertexts);
  expect((await next.resume()).map(([{ message }]) => message?.conversation)).toContain('text 3');
  inbound.markStored([{ key: { id: 'A1', remoteJid: '333@lid', fromMe: true } }]);
  inbound.markStored([{ key: { id: 'A1', remoteJid: group, participant: '222@lid' } }]);
  inbound.removeStoredRows();
  await auth.waitForWrites();
  expect(inboundRows(keys)).toEqual([]);
});
