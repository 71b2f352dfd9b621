// Retries a message that WhatsApp has refused with the error 463. The retry goes to the other address of the chat: to
// the phone number when the message went to the LID (id that hides the number), and the reverse. WhatsApp has certainly
// not delivered a message that it refused, so the recipient gets the message once. Decision D-167.
import { GatewayError } from '../../errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { proto } from '../baileys/proto.ts';
import { notOpenError } from '../query.ts';
import type { AddressRetry, AddressRetryOutcome, ChatAddress, Session } from '../session.ts';
import { fetchDevices } from './chat-address.ts';
import { type RelayOptions, relay } from './relay.ts';
import { interruptedError, toFailure } from './send-failure.ts';

/** The message to send again: the address to which it was sent first, its content, and its options. */
export interface RelayedMessage {
  address: ChatAddress;
  content: proto.IMessage;
  options: RelayOptions;
}

/**
 * Creates the retry of a message to one person. `send` resolves with false when the message was certainly not sent
 * again. `send` reports the outcome of a retry that failed, and `onAck` reports WhatsApp's answer to a retry.
 */
export function createAddressRetry(session: Session, message: RelayedMessage): AddressRetry {
  const report = (outcome: AddressRetryOutcome) => session.observer?.onAddressRetry?.(outcome);
  const { id } = message.options;
  let other: ChatAddress | undefined;
  return {
    async send() {
      other = await session.addresses.findOther(message.address);
      if (!other) {
        report('no_other_address');
        return false;
      }
      session.log.info({ message: id, form: other.form }, 'message.address.retried');
      const failure = await sendTo(session, other, message);
      if (!failure) return true;
      if (failure.certain) {
        report('not_sent');
        return false;
      }
      report('interrupted');
      session.log.warn({ message: id, code: failure.code }, 'message.interrupted');
      // The message may have been sent.
      return true;
    },
    onAck(isAccepted) {
      report(isAccepted ? 'accepted' : 'refused');
      // Later messages of the chat go to the accepted address and need no retry.
      if (isAccepted && other) session.addresses.setForm(other);
    },
    // Called instead of send() when WhatsApp restricts the account.
    reportRestricted: () => report('restricted'),
  };
}

/**
 * Resolves with undefined when the message was written, otherwise with the failure. The query for the devices and the
 * send each take at most session.sendTimeout.
 */
async function sendTo(
  session: Session,
  other: ChatAddress,
  { address, content, options }: RelayedMessage,
): Promise<GatewayError | undefined> {
  const uncertain = { certain: false, messageId: options.id };
  try {
    // Both addresses have the same devices.
    await session.devices.copy(address.jid, other.jid);
    if (!session.devices.isPrefetched(other.jid)) await fetchDevices(session, other.jid);
    if (session.ended.aborted) throw notOpenError(session);
    await withDeadline(relay(session, other, content, options), {
      timeoutMs: session.sendTimeout,
      toTimeoutError: () => new GatewayError('SEND_TIMEOUT', 'The message was not confirmed in time.', uncertain),
      signal: session.ended,
      toAbortError: () => interruptedError(uncertain),
    });
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? error : toFailure(session, error, options.id);
  }
}
