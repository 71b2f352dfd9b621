import { EventEmitter } from 'node:events';
import { MessageRetryManager, proto, type WAMessageKey, type WASocket } from '@whiskeysockets/baileys';
import { expect, it, vi } from 'vitest';
import { createCaches } from '../../../../src/whatsapp/baileys/caches.ts';
import { PlaceholderRequests } from '../../../../src/whatsapp/baileys/patches/placeholder-requests.ts';
import { silent } from '../../../support/session-fakes.ts';
import { waitFor } from '../../../support/wait-for.ts';

const { CIPHERTEXT } = proto.WebMessageInfo.StubType;

const keyOf = (id: string): WAMessageKey => ({ remoteJid: '4915112345678@s.whatsapp.net', id });

/**
 * Creates a patched socket that requests messages from the phone as Baileys rc14 does. Each request lasts until the
 * test calls its `answer()`. With `messageRetryManager`, the socket caches recent messages.
 */
function setUp(messageRetryManager: MessageRetryManager | null = null) {
  const requests = new PlaceholderRequests();
  const { msgRetryCounterCache: retries, placeholderResendCache: placeholders } = requests.wrapCaches(
    createCaches()('one'),
  );
  const ev = new EventEmitter();
  const pending: { id: string; answer: () => void }[] = [];
  const requestPlaceholderResend = vi.fn(async ({ id }: WAMessageKey) => {
    if (!id || (await placeholders.get(id))) return undefined;
    await placeholders.set(id, true);
    await new Promise<void>((answer) => pending.push({ id, answer }));
    return 'asked';
  });
  const messageMutex = { mutex: (task: () => Promise<unknown>) => task() };
  const socket = { ev, messageMutex, messageRetryManager, requestPlaceholderResend } as unknown as WASocket;
  const ended = new AbortController();
  const failures: unknown[] = [];
  requests.patch(socket, ended.signal, (err) => failures.push(err));
  const emitMessage = (id: string, isReadable = false) =>
    ev.emit('messages.upsert', {
      messages: [{ key: keyOf(id), messageStubType: isReadable ? undefined : CIPHERTEXT, pushName: 'Ada' }],
    });
  /** Does the steps of Baileys rc14 in the turn of a message that it cannot decrypt. */
  const receiveUndecryptable = (id: string) =>
    messageMutex.mutex(async () => {
      await retries.set(`${id}:undefined`, 1);
      if (messageRetryManager)
        messageRetryManager.schedulePhoneRequest(id, () => void requestPlaceholderResend(keyOf(id)));
      else await requestPlaceholderResend(keyOf(id));
      emitMessage(id);
    });
  const requestedIds = () => pending.map(({ id }) => id);
  return {
    ...{ receiveUndecryptable, emitMessage, requestedIds, pending, placeholders, messageMutex, ended, failures },
    requestPlaceholderResend,
  };
}

it('PlaceholderRequests does not delay the turn of an undecryptable message, and sends one request at a time', async () => {
  const { receiveUndecryptable, requestedIds, pending } = setUp();
  for (const id of ['A', 'B', 'C']) await receiveUndecryptable(id);
  await waitFor(() => expect(requestedIds()).toEqual(['A']));
  pending[0]?.answer();
  await waitFor(() => expect(requestedIds()).toEqual(['A', 'B']));
  pending[1]?.answer();
  await waitFor(() => expect(requestedIds()).toEqual(['A', 'B', 'C']));
});

it('PlaceholderRequests sends one request at a time also with the cache of recent messages', async () => {
  const { receiveUndecryptable, emitMessage, requestedIds, pending } = setUp(new MessageRetryManager(silent, 5));
  for (const id of ['A', 'B', 'C']) await receiveUndecryptable(id);
  await waitFor(() => expect(requestedIds()).toEqual(['A']));
  emitMessage('B', true);
  pending[0]?.answer();
  await waitFor(() => expect(requestedIds()).toEqual(['A', 'C']));
});

it('PlaceholderRequests sends one request for a message that is undecryptable twice', async () => {
  const { receiveUndecryptable, requestedIds, pending } = setUp();
  for (const id of ['A', 'A', 'B']) await receiveUndecryptable(id);
  await waitFor(() => expect(requestedIds()).toEqual(['A']));
  pending[0]?.answer();
  await waitFor(() => expect(requestedIds()).toEqual(['A', 'B']));
});

it('PlaceholderRequests does not change cache reads in a turn without a retry request', async () => {
  const { messageMutex, placeholders } = setUp();
  await placeholders.set('B', { pushName: 'x' });
  const found = await messageMutex.mutex(async () => [await placeholders.get('A'), await placeholders.get('B')]);
  expect(found).toEqual([undefined, { pushName: 'x' }]);
});

it('PlaceholderRequests cancels the request for a message that its sender has sent again', async () => {
  const { receiveUndecryptable, emitMessage, requestedIds, pending, placeholders, requestPlaceholderResend } = setUp();
  for (const id of ['A', 'B', 'C']) await receiveUndecryptable(id);
  await waitFor(() => expect(requestedIds()).toEqual(['A']));
  expect(requestPlaceholderResend).toHaveBeenCalledWith(keyOf('A'), expect.objectContaining({ pushName: 'Ada' }));
  emitMessage('A', true);
  emitMessage('B', true);
  // Baileys rc14 ends a request whose id is no longer in the cache.
  expect(await placeholders.get('A')).toBeUndefined();
  pending[0]?.answer();
  await waitFor(() => expect(requestedIds()).toEqual(['A', 'C']));
});

it('PlaceholderRequests keeps at most 50 requests waiting', async () => {
  const { receiveUndecryptable, requestedIds, pending } = setUp();
  for (let n = 1; n <= 80; n++) await receiveUndecryptable(`M${n}`);
  for (let count = 1; count <= 50; count++) {
    await vi.waitFor(() => expect(requestedIds()).toHaveLength(count), { interval: 1, timeout: 60_000 });
    pending.at(-1)?.answer();
  }
  await receiveUndecryptable('later');
  await vi.waitFor(() => expect(requestedIds()).toHaveLength(51), { interval: 1, timeout: 60_000 });
  expect(requestedIds().slice(-2)).toEqual(['M50', 'later']);
});

it('PlaceholderRequests continues after a failed request, and stops at the end of the session', async () => {
  const { receiveUndecryptable, requestedIds, pending, requestPlaceholderResend, failures, ended } = setUp();
  await receiveUndecryptable('A');
  await waitFor(() => expect(requestedIds()).toEqual(['A']));
  await receiveUndecryptable('B');
  requestPlaceholderResend.mockRejectedValueOnce(new Error('Connection Closed'));
  pending[0]?.answer();
  await waitFor(() => expect(failures).toHaveLength(1));
  await receiveUndecryptable('C');
  await waitFor(() => expect(requestedIds()).toEqual(['A', 'C']));
  ended.abort();
  await receiveUndecryptable('D');
  pending[1]?.answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(requestedIds()).toEqual(['A', 'C']);
});
