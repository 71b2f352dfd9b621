import { expect, it } from 'vitest';
import type { StatusChange } from '../../../src/events/event-batch.ts';
import { runWithIdentity } from '../../../src/whatsapp/outbound/message-id.ts';
import { PendingMessages } from '../../../src/whatsapp/outbound/pending-messages.ts';
import { waitForStatus } from '../../../src/whatsapp/outbound/send-outcome.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const key = { remoteJid: '4915112345678@s.whatsapp.net', fromMe: true, id: 'A1' };
const failedStatus: StatusChange = { key, status: 'ERROR', at: 1, code: 'SEND_INTERRUPTED', reason: 'unconfirmed' };
const acceptedStatus: StatusChange = { key, status: 'SERVER_ACK', at: 2 };

/**
 * Waits for the status of a message with the stored statuses `statuses`. `acceptedStatus` is stored during the wait.
 */
async function waitWith(statuses: StatusChange[], isRepeat: boolean): Promise<StatusChange | undefined> {
  const pendingMessages = new PendingMessages(60_000, () => undefined);
  const session = fakeSession({}, { pendingMessages });
  session.storage.messages.statuses = async () => statuses;
  const status = runWithIdentity({ messageId: key.id, isRepeat }, () => waitForStatus(session, key, 60_000));
  pendingMessages.onStored([{ type: 'messages.update', ...acceptedStatus }]);
  return status;
}

it('waitForStatus() returns the stored status of a message', async () => {
  expect(await waitWith([failedStatus], false)).toBe(failedStatus);
  expect(await waitWith([failedStatus, acceptedStatus], true)).toBe(acceptedStatus);
});

it('waitForStatus() ignores the error of an earlier attempt when the message is sent again', async () => {
  expect(await waitWith([failedStatus], true)).toMatchObject({ status: 'SERVER_ACK' });
});

it('waitForStatus() returns the refusal of a repeated message that arrives before the wait', async () => {
  const pendingMessages = new PendingMessages(60_000, () => undefined);
  const session = fakeSession({}, { pendingMessages });
  const refusedStatus: StatusChange = { key, status: 'ERROR', at: 3, code: '479', reason: 'rejected' };
  const statuses = [failedStatus];
  session.storage.messages.statuses = async () => statuses;
  const wait = () => runWithIdentity({ messageId: key.id, isRepeat: true }, () => waitForStatus(session, key, 60_000));
  pendingMessages.add(key, Promise.resolve(true));
  pendingMessages.acknowledge(key.id, false);
  pendingMessages.onStored([{ type: 'messages.update', ...refusedStatus }]);
  expect(await wait()).toMatchObject(refusedStatus);
  // The next attempt has its own status.
  pendingMessages.add(key, Promise.resolve(true));
  const status = wait();
  pendingMessages.onStored([{ type: 'messages.update', ...acceptedStatus }]);
  expect(await status).toMatchObject({ status: 'SERVER_ACK' });
});
