// The platform's acks of our messages, which are each the beginning or the end of what becomes of one.
import type { Logger } from 'pino';
import type { DomainEvent } from '../../events/events.ts';
import type { KnownJids } from '../address/message-key.ts';
import type { AccountRestrictions } from '../outbound/account-restrictions.ts';
import type { DevicePrefetch } from '../outbound/device-prefetch.ts';
import type { PendingMessages } from '../outbound/pending-messages.ts';
import { fromAck } from './message-status.ts';

export interface AcksDeps {
  sent: Pick<PendingMessages, 'acknowledge'>;
  standing: Pick<AccountRestrictions, 'isRestricted'>;
  devices: Pick<DevicePrefetch, 'forget'>;
  log: Logger;
  lookupJids: (jids: Set<string>) => Promise<KnownJids>;
  publish: (events: DomainEvent[]) => void;
  /** Runs `work` after everything that the platform said before. */
  inTurn: (work: () => Promise<void>) => void;
}

/** The code of a refusal that means a restriction of the account, or a token that is missing; only the account's standing tells. */
const CODE_RESTRICTED_OR_TOKEN_MISSING = '463';
/** Of one that mostly means a session with a device that is not what it was. */
const CODE_STALE_DEVICE = '479';

export class Acks {
  readonly #deps: AcksDeps;
  readonly #lookups = new Set<Promise<void>>();

  constructor(parts: AcksDeps) {
    this.#deps = parts;
  }

  /** `<ack class="message">` */
  handle(attrs: Record<string, string>): void {
    const { sent, standing, devices, log, lookupJids, publish, inTurn } = this.#deps;
    const { id = '', from, error } = attrs;
    if (!sent.acknowledge(id)) {
      log.debug({ id, error }, 'ack.unexpected');
      return;
    }
    if (error) log.warn({ id, code: error }, 'message.refused');
    if (error === CODE_STALE_DEVICE && from) devices.forget(from);
    const tell = async (isRestricted?: boolean) => {
      const event = fromAck(attrs, await lookupJids(new Set(from ? [from] : [])), Date.now(), isRestricted);
      if (event) publish([event]);
    };
    if (error !== CODE_RESTRICTED_OR_TOKEN_MISSING) {
      inTurn(tell);
      return;
    }
    // Not in its turn: nobody else waits for the platform's answer.
    const looked: Promise<void> = standing
      .isRestricted()
      .then(tell)
      .catch((err: unknown) => log.debug({ err }, 'ack.untold'))
      .finally(() => this.#lookups.delete(looked));
    this.#lookups.add(looked);
  }

  /** Resolves when nothing is being looked into any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#lookups);
  }
}
