// Determines the address of a message to one person, and fetches the devices and keys of a chat before its message
// enters the send queue of Baileys. The query for the devices also asks for the LID (id that hides the number).
import { GatewayError, hasCode } from '../../errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { toGroupError } from '../group/query.ts';
import { notOpenError, toCertain } from '../query.ts';
import type { ChatAddress, Session } from '../session.ts';
import { toCertainFailure } from './send-failure.ts';

/**
 * Maximum age of the known restrictions that WhatsApp puts on the account, such as a temporary ban on new chats.
 * prepareAddress() refreshes older ones.
 */
const RESTRICTIONS_TTL_MS = 3_600_000;

/**
 * Returns the address of the chat with a person, after fetching the devices of this address. Uses the phone number when
 * the LID stays unknown or WhatsApp refuses to list the devices of the LID. Throws the errors of fetchDevices().
 */
export async function prepareAddress(session: Session, chat: string): Promise<ChatAddress> {
  const { addresses, devices } = session;
  const address = await addresses.find(chat);
  if (devices.isPrefetched(address.jid)) return address;
  // Refreshes the restrictions for later messages. WhatsApp reports changes of restrictions, but not the
  // initial state.
  void session.restrictions.refresh(RESTRICTIONS_TTL_MS);
  try {
    await fetchDevices(session, address.jid);
  } catch (error) {
    if (address.form !== 'lid' || !isRefusal(error)) throw error;
    // For a LID, findOther() returns the phone number of the same person.
    const numberAddress = await addresses.findOther(address);
    if (!numberAddress) throw error;
    session.log.warn({ err: error }, 'message.lid.refused');
    // Makes find() return the phone number from now on.
    addresses.setForm(numberAddress);
    return prepareAddress(session, chat);
  }
  // The query can have revealed the LID. Both addresses have the same devices, so the LID needs no second query.
  const currentAddress = await addresses.find(chat);
  if (currentAddress.jid !== address.jid) await devices.copy(address.jid, currentAddress.jid);
  return currentAddress;
}

const isRefusal = (error: unknown): boolean => hasCode(error, 'SEND_REFUSED');

/**
 * Fetches the devices and keys for a message to `jid`. All errors have `certain: true` (nothing was sent):
 * PLATFORM_TIMEOUT after session.sendTimeout, SEND_REFUSED, the refusals of getGroup(), notOpenError() when the
 * connection is lost, and INTERNAL for an unexpected error.
 */
export async function fetchDevices(session: Session, jid: string): Promise<void> {
  await withDeadline(session.devices.prefetch(jid), {
    timeoutMs: session.sendTimeout,
    toTimeoutError: () =>
      new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer. Nothing was sent.', { certain: true }),
    signal: session.ended,
    toAbortError: () => notOpenError(session),
  }).catch((error: unknown) => {
    throw toPrefetchFailure(session, error);
  });
}

/** Converts an error of the query for devices. Nothing was sent, because no message was written. */
function toPrefetchFailure(session: Session, error: unknown): GatewayError {
  // In a group, WhatsApp can refuse the query for the members. The error then has this text and HTTP status.
  const failure = toGroupError(error, { text: 'Error sending to group', status: 400 });
  if (failure instanceof GatewayError) return toCertain(failure);
  // The end of the session closes the key store, so that later reads of keys fail with other errors.
  if (session.ended.aborted) return notOpenError(session, error);
  const certain = toCertainFailure(session, error);
  if (certain) return certain;
  session.log.warn({ err: error }, 'message.devices.failed');
  return new GatewayError('INTERNAL', 'Internal Server Error', { certain: true, cause: error });
}
