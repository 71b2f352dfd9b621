import { expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { patchMissingKeys } from '../../../../src/whatsapp/baileys/patches/missing-keys.ts';
import { childOf, childrenOf, type Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { FakeKeys, linkedCreds } from '../../../support/session-fakes.ts';
import { createDevice, toKeyNode } from '../contact-device.ts';
import { openRecordedSocket, useSilentServer } from '../recorded-socket.ts';

useSilentServer();

const UNLINKED = '222:1@lid';

/** Returns WhatsApp's answer to a query for keys, without keys for UNLINKED. */
function answerTo(query: Stanza): Stanza {
  const error: Stanza = { tag: 'error', attrs: { code: '404', text: 'item-not-found' } };
  const users = childrenOf(childOf(query, 'key'), 'user').map(({ attrs }): Stanza => {
    return attrs.jid === UNLINKED ? { tag: 'user', attrs, content: [error] } : toKeyNode(attrs.jid, createDevice());
  });
  return { tag: 'iq', attrs: { type: 'result' }, content: [{ tag: 'list', attrs: {}, content: users }] };
}

it('patchMissingKeys() lets Baileys create the sessions with the other devices when one device has no keys', async () => {
  const stored = new FakeKeys();
  stored.credsRow = encodeCreds(linkedCreds());
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const { state } = await AuthState.open({ keys: stored, instanceId: 'one', onFailure });
  const { socket, close } = openRecordedSocket({ auth: state }, answerTo);
  try {
    patchMissingKeys(socket);
    await socket.assertSessions([UNLINKED, '222@lid', '333@lid']);
    const sessions = await state.keys.get('session', ['222_1.0', '222_1.1', '333_1.0']);
    expect(Object.keys(sessions)).toEqual(['222_1.0', '333_1.0']);
  } finally {
    await close();
  }
});
