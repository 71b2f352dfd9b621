// Determines the address of a message to one person, and fetches the devices and keys of a chat before its message
// enters the send queue of Baileys. At the first contact, the query for the devices also asks for the LID (id that
// hides the number).
import { GatewayError } from '../../errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { notOpenError } from '../query.ts';
import type { ChatAddress, Session } from '../session.ts';
import { toFailure } from './send-failure.ts';

/** Maximum age of the known account restrictions. prepareAddress() refreshes older ones. */
const RESTRICTIONS_TTL_MS = 3_600_000;

/**
 * Returns the address of the chat with a person, after fetching the devices of this address. Uses the phone number when
 * the LID stays unknown or WhatsApp refuses to list its devices. All errors have `certain: true`: PLATFORM_TIMEOUT
 * after session.sendTimeout, SEND_REFUSED, INSTANCE_NOT_OPEN.
 */
export async function prepareAddress(session: Session, chat: string): Promise<ChatAddress> {
  const { addresses, devices } = session;
  const address = await addresses.find(chat);
  if (devices.isPrefetched(address.jid)) return address;
  // Refreshes the restrictions for later messages, because WhatsApp sends changes of them but not the initial state.
  void session.restrictions.refresh(RESTRICTIONS_TTL_MS);
  try {
    await fetchDevices(session, address.jid);
  } catch (error) {
    const other = await addresses.findOther(address);
    if (address.form !== 'lid' || !other || !isRefusal(error)) throw error;
    session.log.warn({ err: error }, 'message.lid.refused');
    addresses.setForm(other);
    return prepareAddress(session, chat);
  }
  // The query can have revealed the LID.
  const currentAddress = await addresses.find(chat);
  if (currentAddress.jid !== address.jid) await devices.copy(address.jid, currentAddress.jid);
  return currentAddress;
}

const isRefusal = (error: unknown): boolean => error instanceof GatewayError && error.code === 'SEND_REFUSED';

/** Fetches the devices and keys for a message to `jid`. All errors have `certain: true`. */
export async function fetchDevices(session: Session, jid: string): Promise<void> {
  await withDeadline(session.devices.prefetch(jid), {
    timeoutMs: session.sendTimeout,
    toTimeoutError: () =>
      new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer. Nothing was sent.', { certain: true }),
    signal: session.ended,
    toAbortError: notOpenError,
  }).catch((error: unknown) => {
    if (error instanceof GatewayError) throw error;
    const failure = toFailure(session, error, '');
    // A lost connection leaves the result of a send uncertain, but no message was written here.
    throw failure.certain ? failure : notOpenError(error);
  });
}
