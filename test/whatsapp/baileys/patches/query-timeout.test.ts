import { expect, it, onTestFinished } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { patchQueryTimeout } from '../../../../src/whatsapp/baileys/patches/query-timeout.ts';
import { isUnanswered, requireAnswers } from '../../../../src/whatsapp/baileys/required-answers.ts';
import { FakeKeys, linkedCreds } from '../../../support/session-fakes.ts';
import { openRecordedSocket, useSilentServer } from '../recorded-socket.ts';

const QUERY = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' } };

useSilentServer();

/** Opens a patched socket whose queries are never answered. */
async function openSocket() {
  const stored = new FakeKeys();
  stored.credsRow = encodeCreds(linkedCreds());
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const { state } = await AuthState.open({ keys: stored, instanceId: 'one', onFailure });
  const { socket, close } = openRecordedSocket({ auth: state, defaultQueryTimeoutMs: undefined });
  onTestFinished(() => close());
  patchQueryTimeout(socket.ws, 50);
  return socket;
}

it('patchQueryTimeout() rejects an unanswered query that starts in requireAnswers()', async () => {
  const socket = await openSocket();
  const error = await requireAnswers(() => socket.query({ ...QUERY })).catch((reason: unknown) => reason);
  expect(isUnanswered(error)).toBe(true);
});

it('patchQueryTimeout() resolves other unanswered queries with undefined, as in Baileys', async () => {
  const socket = await openSocket();
  expect(await socket.query({ ...QUERY })).toBeUndefined();
});
