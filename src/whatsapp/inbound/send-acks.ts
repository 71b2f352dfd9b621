// Handles acks, with which WhatsApp accepts or refuses a sent message: publishes the status of the message. Some
// refusals can mean that the account is restricted. After such a refusal, the restriction is checked first. If the
// account is not restricted and the message can be sent to the other address of its chat (phone number or LID), it is
// sent to that address. Otherwise, the refusal is published.
import type { Logger } from 'pino';
import type { DomainEvent } from '../../events/events.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import { STATUS_JID } from '../address/jid.ts';
import type { KnownJids } from '../address/message-key.ts';
import type { AccountRestrictions } from '../outbound/account-restrictions.ts';
import type { DevicePrefetch } from '../outbound/device-prefetch.ts';
import type { PendingMessages } from '../outbound/pending-messages.ts';
import type { SessionGroups } from '../session.ts';
import { fromAck } from './message-status.ts';

export interface SendAcksDeps {
  pendingMessages: Pick<
    PendingMessages,
    'acknowledge' | 'writingOf' | 'markStanzaRefused' | 'markRefused' | 'isRefused' | 'takeRetry' | 'drop'
  >;
  restrictions: Pick<AccountRestrictions, 'isRestricted'>;
  devices: Pick<DevicePrefetch, 'evict'>;
  groups: Pick<SessionGroups, 'delete'>;
  log: Logger;
  /** Aborts when the session ends. */
  ended: AbortSignal;
  lookupJids: (jids: Set<string>) => Promise<KnownJids>;
  publish: (events: DomainEvent[]) => void;
  /** Runs `task` after the earlier events of the session have been handled. */
  enqueue: (task: () => Promise<void>) => void;
}

/**
 * Refusal code for a restricted account, a missing privacy token, or an address (phone number, or LID: an id that hides
 * the number) that WhatsApp does not accept for this person. The code does not distinguish these causes.
 */
const CODE_AMBIGUOUS = '463';
/** Refusal code when the account has used up its quota of new chats. */
const CODE_QUOTA_USED = '475';
/** Refusal code for a group message in the wrong addressing mode: LIDs, but the group uses numbers, or the reverse. */
const CODE_STALE_GROUP = '421';
/** Refusal code that usually means an outdated Signal session with one of the recipient's devices. */
const CODE_STALE_DEVICE = '479';

export class SendAcks {
  readonly #deps: SendAcksDeps;
  /**
   * Runs the restriction checks of a chat in the order of the acks, so that messages that are sent again keep their
   * order.
   */
  readonly #restrictionChecks = new KeyedQueue();

  constructor(deps: SendAcksDeps) {
    this.#deps = deps;
  }

  /** Handles an `<ack class="message">` with these attributes. */
  handle(attrs: Record<string, string>): void {
    const { pendingMessages, devices, groups, log, ended, enqueue } = this.#deps;
    const { id = '', from, error } = attrs;
    const isAccepted = !error;
    const whenWritten = isAccepted ? undefined : pendingMessages.writingOf(id);
    if (whenWritten) {
      // Some stanzas of the message are still being written to the socket, and WhatsApp can accept one of them. If the
      // session ends first, the session publishes that the message is unconfirmed.
      void whenWritten.then(() => {
        if (!ended.aborted) this.handle(attrs);
      });
      return;
    }
    // True when the message can be sent again to another address.
    const isRetryPossible = error === CODE_AMBIGUOUS && pendingMessages.markRefused(id);
    // True while WhatsApp can still accept another stanza of the message.
    const hasOpenStanzas = !isAccepted && pendingMessages.markStanzaRefused(id);
    // True when the message was waiting for this ack.
    const isExpected =
      isRetryPossible ||
      hasOpenStanzas ||
      (!pendingMessages.isRefused(id) && pendingMessages.acknowledge(id, isAccepted));
    if (!isExpected) {
      // A status update (story) can be sent in several stanzas. When WhatsApp has accepted one of them, the refusal of
      // another one is only logged.
      if (error && from === STATUS_JID) log.warn({ id, code: error }, 'message.refused');
      else log.debug({ id, error }, 'ack.ignored');
      return;
    }
    if (error) log.warn({ id, code: error }, 'message.refused');
    // The cached devices or the cached group are outdated. The next message fetches them again.
    if (error === CODE_STALE_DEVICE && from) devices.evict(from);
    if (error === CODE_STALE_GROUP && from) groups.delete(from);
    if (hasOpenStanzas) return;
    if (error !== CODE_AMBIGUOUS && error !== CODE_QUOTA_USED) {
      enqueue(() => this.#publish(attrs));
      return;
    }
    // The check does not wait in the queue of the session's events, because the check may send a query, and no other
    // event depends on the result.
    void this.#restrictionChecks
      .run(from ?? '', () => this.#checkRestriction(attrs, isRetryPossible))
      .catch((err: unknown) => log.debug({ err }, 'ack.publish.failed'));
  }

  /** Sends the message again if that is possible and the account is not restricted. Otherwise publishes the refusal. */
  async #checkRestriction(attrs: Record<string, string>, isRetryPossible: boolean): Promise<void> {
    const { pendingMessages, restrictions } = this.#deps;
    const { id = '' } = attrs;
    const isRestricted = await restrictions.isRestricted();
    if (isRetryPossible) {
      const retry = pendingMessages.takeRetry(id);
      // A message of a restricted account would be refused again, and count against the account again. An account whose
      // state is unknown (undefined) counts as restricted. reportRestricted() only counts this outcome in the metrics.
      if (isRestricted !== false) retry?.reportRestricted();
      else if (await retry?.send()) return;
      pendingMessages.drop(id);
    }
    await this.#publish(attrs, isRestricted);
  }

  async #publish(attrs: Record<string, string>, isRestricted?: boolean): Promise<void> {
    const { lookupJids, publish } = this.#deps;
    const knownJids = await lookupJids(new Set(attrs.from ? [attrs.from] : []));
    const event = fromAck(attrs, knownJids, Date.now(), isRestricted);
    if (event) publish([event]);
  }

  /** Resolves when the running restriction checks have ended and have published their refusals. */
  async whenChecksDone(): Promise<void> {
    await this.#restrictionChecks.waitUntilIdle();
  }
}
