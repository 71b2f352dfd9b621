import { EventEmitter } from 'node:events';
import { MessageRetryManager, proto, type WAMessageKey, type WASocket } from '@whiskeysockets/baileys';
import { expect, it, vi } from 'vitest';
import { createCaches } from '../../../../src/whatsapp/baileys/caches.ts';
import { PlaceholderRequests } from '../../../../src/whatsapp/baileys/patches/placeholder-requests.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { silent } from '../../fakes.ts';

const { CIPHERTEXT } = proto.WebMessageInfo.StubType;

const keyOf = (id: string): WAMessageKey => ({ remoteJid: '4915112345678@s.whatsapp.net', id });

/**
 * A socket that asks the phone as rc14 does, each time for as long as the test decides. A socket that caches recent
 * messages has a `messageRetryManager`.
 */
function open(messageRetryManager: MessageRetryManager | null = null) {
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
  const report = (id: string, isReadable = false) =>
    ev.emit('messages.upsert', {
      messages: [{ key: keyOf(id), messageStubType: isReadable ? undefined : CIPHERTEXT, pushName: 'Ada' }],
    });
  /** What rc14 does in the turn of a message that it cannot decrypt. */
  const unreadable = (id: string) =>
    messageMutex.mutex(async () => {
      await retries.set(`${id}:undefined`, 1);
      if (messageRetryManager)
        messageRetryManager.schedulePhoneRequest(id, () => void requestPlaceholderResend(keyOf(id)));
      else await requestPlaceholderResend(keyOf(id));
      report(id);
    });
  const asked = () => pending.map(({ id }) => id);
  return {
    ...{ unreadable, report, asked, pending, placeholders, messageMutex, ended, failures },
    requestPlaceholderResend,
  };
}

it('the turn of an undecryptable message ends at once, and the phone is asked afterwards, for one message at a time', async () => {
  const { unreadable, asked, pending } = open();
  for (const id of ['A', 'B', 'C']) await unreadable(id);
  await waitFor(() => expect(asked()).toEqual(['A']));
  pending[0]?.answer();
  await waitFor(() => expect(asked()).toEqual(['A', 'B']));
  pending[1]?.answer();
  await waitFor(() => expect(asked()).toEqual(['A', 'B', 'C']));
});

it('a socket that caches recent messages asks the phone in the same way', async () => {
  const { unreadable, report, asked, pending } = open(new MessageRetryManager(silent, 5));
  for (const id of ['A', 'B', 'C']) await unreadable(id);
  await waitFor(() => expect(asked()).toEqual(['A']));
  report('B', true);
  pending[0]?.answer();
  await waitFor(() => expect(asked()).toEqual(['A', 'C']));
});

it('the phone is asked once for a message that is undecryptable twice', async () => {
  const { unreadable, asked, pending } = open();
  for (const id of ['A', 'A', 'B']) await unreadable(id);
  await waitFor(() => expect(asked()).toEqual(['A']));
  pending[0]?.answer();
  await waitFor(() => expect(asked()).toEqual(['A', 'B']));
});

it('a turn without a retry request is unchanged', async () => {
  const { messageMutex, placeholders } = open();
  await placeholders.set('B', { pushName: 'x' });
  const found = await messageMutex.mutex(async () => [await placeholders.get('A'), await placeholders.get('B')]);
  expect(found).toEqual([undefined, { pushName: 'x' }]);
});

it('the phone is not asked for a message that the sender has sent again meanwhile', async () => {
  const { unreadable, report, asked, pending, placeholders, requestPlaceholderResend } = open();
  for (const id of ['A', 'B', 'C']) await unreadable(id);
  await waitFor(() => expect(asked()).toEqual(['A']));
  expect(requestPlaceholderResend).toHaveBeenCalledWith(keyOf('A'), expect.objectContaining({ pushName: 'Ada' }));
  report('A', true);
  report('B', true);
  // rc14 ends a request whose id is no longer in the cache.
  expect(await placeholders.get('A')).toBeUndefined();
  pending[0]?.answer();
  await waitFor(() => expect(asked()).toEqual(['A', 'C']));
});

it('at most fifty requests wait while the phone is asked', async () => {
  const { unreadable, asked, pending } = open();
  for (let n = 1; n <= 80; n++) await unreadable(`M${n}`);
  for (let count = 1; count <= 50; count++) {
    await vi.waitFor(() => expect(asked()).toHaveLength(count), { interval: 1, timeout: 60_000 });
    pending.at(-1)?.answer();
  }
  await unreadable('later');
  await vi.waitFor(() => expect(asked()).toHaveLength(51), { interval: 1, timeout: 60_000 });
  expect(asked().slice(-2)).toEqual(['M50', 'later']);
});

it('requests continue after a failed one, and end with the session', async () => {
  const { unreadable, asked, pending, requestPlaceholderResend, failures, ended } = open();
  await unreadable('A');
  await waitFor(() => expect(asked()).toEqual(['A']));
  await unreadable('B');
  requestPlaceholderResend.mockRejectedValueOnce(new Error('Connection Closed'));
  pending[0]?.answer();
  await waitFor(() => expect(failures).toHaveLength(1));
  await unreadable('C');
  await waitFor(() => expect(asked()).toEqual(['A', 'C']));
  ended.abort();
  await unreadable('D');
  pending[1]?.answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked()).toEqual(['A', 'C']);
});
