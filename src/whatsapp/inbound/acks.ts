// Handles WhatsApp's acks of sent messages: publishes the status of the message. When a refusal can have two causes,
// first checks whether the account is restricted.
import type { Logger } from 'pino';
import type { DomainEvent } from '../../events/events.ts';
import type { KnownJids } from '../address/message-key.ts';
import type { AccountRestrictions } from '../outbound/account-restrictions.ts';
import type { DevicePrefetch } from '../outbound/device-prefetch.ts';
import type { PendingMessages } from '../outbound/pending-messages.ts';
import { fromAck } from './message-status.ts';

export interface AcksDeps {
  pendingMessages: Pick<PendingMessages, 'acknowledge'>;
  restrictions: Pick<AccountRestrictions, 'isRestricted'>;
  devices: Pick<DevicePrefetch, 'evict'>;
  log: Logger;
  lookupJids: (jids: Set<string>) => Promise<KnownJids>;
  publish: (events: DomainEvent[]) => void;
  /** Runs `task` after the earlier events of the session have been handled. */
  enqueue: (task: () => Promise<void>) => void;
}

/** Refusal code for a restricted account or a missing privacy token. The code alone does not say which. */
const CODE_RESTRICTED_OR_TOKEN_MISSING = '463';
/** Refusal code that usually means an outdated Signal session with one of the recipient's devices. */
const CODE_STALE_DEVICE = '479';

export class Acks {
  readonly #deps: AcksDeps;
  readonly #restrictionChecks = new Set<Promise<void>>();

  constructor(deps: AcksDeps) {
    this.#deps = deps;
  }

  /** Handles an `<ack class="message">` with these attributes. */
  handle(attrs: Record<string, string>): void {
    const { pendingMessages, restrictions, devices, log, lookupJids, publish, enqueue } = this.#deps;
    const { id = '', from, error } = attrs;
    if (!pendingMessages.acknowledge(id)) {
      log.debug({ id, error }, 'ack.unexpected');
      return;
    }
    if (error) log.warn({ id, code: error }, 'message.refused');
    if (error === CODE_STALE_DEVICE && from) devices.evict(from);
    const publishAck = async (isRestricted?: boolean) => {
      const event = fromAck(attrs, await lookupJids(new Set(from ? [from] : [])), Date.now(), isRestricted);
      if (event) publish([event]);
    };
    if (error !== CODE_RESTRICTED_OR_TOKEN_MISSING) {
      enqueue(publishAck);
      return;
    }
    // Not enqueued, because the check may send a query, and no other event depends on this one.
    const check: Promise<void> = restrictions
      .isRestricted()
      .then(publishAck)
      .catch((err: unknown) => log.debug({ err }, 'ack.publish.failed'))
      .finally(() => this.#restrictionChecks.delete(check));
    this.#restrictionChecks.add(check);
  }

  /** Resolves when the running restriction checks have ended and their acks are published. */
  async whenChecksDone(): Promise<void> {
    await Promise.all(this.#restrictionChecks);
  }
}
