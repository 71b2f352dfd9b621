import { expect, it } from 'vitest';
import type { StatusChange } from '../../../src/events/event-batch.ts';
import { runWithIdentity } from '../../../src/whatsapp/outbound/message-id.ts';
import { PendingMessages } from '../../../src/whatsapp/outbound/pending-messages.ts';
import { waitForStatus } from '../../../src/whatsapp/outbound/send-outcome.ts';
import { fakeSession } from '../fakes.ts';

const key = { remoteJid: '4915112345678@s.whatsapp.net', fromMe: true, id: 'A1' };
const failed: StatusChange = { key, status: 'ERROR', at: 1, code: 'SEND_INTERRUPTED', reason: 'unconfirmed' };
const accepted: StatusChange = { key, status: 'SERVER_ACK', at: 2 };

/** Waits for the status of a message whose stored statuses are `statuses`; `accepted` follows. */
async function waitWith(statuses: StatusChange[], isRepeat: boolean): Promise<StatusChange | undefined> {
  const pendingMessages = new PendingMessages(60_000, () => undefined);
  const session = fakeSession({}, { pendingMessages });
  session.storage.messages.statuses = async () => statuses;
  const status = runWithIdentity({ messageId: key.id, isRepeat }, () => waitForStatus(session, key, 60_000));
  pendingMessages.onStored([{ type: 'messages.update', ...accepted }]);
  return status;
}

it('waitForStatus returns the stored status of a message', async () => {
  expect(await waitWith([failed], false)).toBe(failed);
  expect(await waitWith([failed, accepted], true)).toBe(accepted);
});

it('waitForStatus does not return the error of an earlier attempt for a message that is sent again', async () => {
  expect(await waitWith([failed], true)).toMatchObject({ status: 'SERVER_ACK' });
});

it('waitForStatus returns the refusal of a repeated message that arrived before the wait', async () => {
  const pendingMessages = new PendingMessages(60_000, () => undefined);
  const session = fakeSession({}, { pendingMessages });
  const refused: StatusChange = { key, status: 'ERROR', at: 3, code: '479', reason: 'rejected' };
  const statuses = [failed];
  session.storage.messages.statuses = async () => statuses;
  const wait = () => runWithIdentity({ messageId: key.id, isRepeat: true }, () => waitForStatus(session, key, 60_000));
  pendingMessages.add(key, Promise.resolve(true));
  pendingMessages.acknowledge(key.id, false);
  pendingMessages.onStored([{ type: 'messages.update', ...refused }]);
  expect(await wait()).toMatchObject(refused);
  // The next attempt has a status of its own.
  pendingMessages.add(key, Promise.resolve(true));
  const status = wait();
  pendingMessages.onStored([{ type: 'messages.update', ...accepted }]);
  expect(await status).toMatchObject({ status: 'SERVER_ACK' });
});
