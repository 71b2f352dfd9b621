// Translates batches of Baileys events to domain events: looks up the data that the mapping needs, and splits history
// into portions, so that live events are handled in between.
import type { Logger } from 'pino';
import type { Contact, DomainEvent, MessageKey } from '../../events/events.ts';
import type { MessageOrigin, Storage } from '../../storage/storage.ts';
import { authorJidsOf } from '../address/author.ts';
import { type LidCache, lookupLidPairs } from '../address/lid-map.ts';
import type { KnownJids } from '../address/message-key.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import type { SessionErrors } from '../baileys/patches/error-containment.ts';
import type { WireMessage } from '../baileys/types.ts';
import { type TargetMessages, targetKey } from '../content/target-messages.ts';
import type { GroupPermissions } from '../group/permissions.ts';
import type { Account, SessionOptions } from '../session.ts';
import type { Batch } from './batch.ts';
import { jidsToUnarchive } from './chat.ts';
import { ReportedNames } from './contact.ts';
import { GroupCalls } from './group-calls.ts';
import { ReceiptFilter } from './group-receipts.ts';
import { type History, splitHistory } from './history.ts';
import { historySentAt } from './history-notices.ts';
import { HistoryProgress } from './history-progress.ts';
import { jidsMissingAlt, mapEvents, messagesNeedingPermissions, referencesIn } from './map-events.ts';
import { findRevealed } from './revealed-numbers.ts';
import type { PermissionsByMessage } from './sender-permissions.ts';
import { splitBatch } from './split-batch.ts';
import { toUnprocessable } from './unprocessable-event.ts';

export interface TranslatorDeps {
  options: Pick<SessionOptions, 'instanceId' | 'settings'>;
  auth: AuthState;
  lidCache: LidCache;
  permissions: Pick<GroupPermissions, 'memberPermissions'>;
  storage: { messages: Pick<Storage['messages'], 'get' | 'originsByMessageId'> } & Pick<Storage, 'contacts' | 'chats'>;
  errors: SessionErrors;
  log: Logger;
  me: () => Account | undefined;
  /** Resolves when all earlier events are stored or have failed to be stored. */
  whenStored: () => Promise<void>;
  ended: AbortSignal;
  /** Called when the translation of a history failed. */
  onFailure: (err: unknown) => void;
}

/** An item that WhatsApp sent cannot be mapped. A failed lookup throws a different error. */
class MappingError extends Error {
  override name = 'MappingError';
}

/** Runs `work` and converts its error to a MappingError. */
function withMappingError<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new MappingError('an item cannot be mapped', { cause });
  }
}

/**
 * True when `origins` (by message id) contains the message of `key`: the chat and the author are the same, under one of
 * the addresses in `key`. A missing author matches any author.
 */
function isKnown(origins: ReadonlyMap<string, readonly MessageOrigin[]>, key: MessageKey): boolean {
  const { id, remoteJid, remoteJidAlt, fromMe, participant, participantAlt } = key;
  return (origins.get(id) ?? []).some((origin) => {
    if (origin.fromMe !== fromMe || (origin.chat !== remoteJid && origin.chat !== remoteJidAlt)) return false;
    return fromMe || !participant || !origin.participant || [participant, participantAlt].includes(origin.participant);
  });
}

export class Translator {
  readonly #deps: TranslatorDeps;
  readonly #reportedNames = new ReportedNames();
  readonly #receiptFilter = new ReceiptFilter();
  readonly #groupCalls = new GroupCalls();
  readonly #progress = new HistoryProgress();
  /** The latest result of publishHistory(). */
  #lastHistory: Promise<boolean> = Promise.resolve(true);

  constructor(deps: TranslatorDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the domain events of a batch. An item that cannot be mapped is left out and reported. Rejects when a lookup
   * fails.
   */
  async translate(input: Batch): Promise<DomainEvent[]> {
    const batch = this.#withoutRedundantReceipts(input);
    // All events of the batch were redundant receipts.
    if (batch !== input && Object.keys(batch).length === 0) return [];
    return this.#withoutRepeatedMessages(await this.#mapOrSplit(batch));
  }

  /** Drops receipts that change no status. Leaves unreadable receipts to the mapping, which reports them. */
  #withoutRedundantReceipts(input: Batch): Batch {
    try {
      return this.#receiptFilter.withoutRedundant(input);
    } catch {
      return input;
    }
  }

  /** Maps the batch as a whole, or item by item when that fails. */
  async #mapOrSplit(batch: Batch): Promise<DomainEvent[]> {
    try {
      return await this.#map(batch);
    } catch (err) {
      if (!(err instanceof MappingError)) throw err;
      const items = splitBatch(batch);
      if (items.length === 1) return this.#reportUnmappable(err.cause, batch);
      const events: DomainEvent[] = [];
      for (const item of items) events.push(...(await this.#mapOrSplit(item)));
      return events;
    }
  }

  async #map(input: Batch): Promise<DomainEvent[]> {
    const { options, log } = this.#deps;
    const batch = withMappingError(() => this.#groupCalls.withGroups(input));
    const jids = withMappingError(() => jidsMissingAlt(batch));
    let knownJids = await this.lookupJids(jids);
    // The targets are the messages that votes and encrypted add-ons refer to.
    const references = withMappingError(() => referencesIn(batch, knownJids));
    const targets: TargetMessages = references.length > 0 ? await this.#findTargets(references) : new Map();
    // Decryption with a target's secret also needs all addresses of the target's author.
    for (const { key } of targets.values()) jids.add(key.participant ?? key.remoteJid);
    if (targets.size > 0) knownJids = await this.lookupJids(jids);
    const messagesToCheck = withMappingError(() => messagesNeedingPermissions(batch, knownJids));
    const permissions: PermissionsByMessage =
      messagesToCheck.length > 0 ? await this.#permissionsOf(messagesToCheck, knownJids) : new Map();
    const onSkipped = (what: string, why: string) => log.debug({ what, why }, 'event.skipped');
    const chatJids = withMappingError(() => jidsToUnarchive(batch['chats.update'] ?? [], knownJids));
    const archivedChats =
      chatJids.length > 0 ? await this.#deps.storage.chats.findArchived(options.instanceId, chatJids) : new Map();
    const reported: Contact[] = [];
    const recordIfNew = (contact: Contact) => {
      const isNew = this.#reportedNames.recordIfNew(contact);
      if (isNew) reported.push(contact);
      return isNew;
    };
    const context = {
      ...knownJids,
      settings: options.settings,
      now: Date.now(),
      targets,
      permissions,
      archivedChats,
      recordIfNew,
      onSkipped,
    };
    try {
      return withMappingError(() => mapEvents(batch, context));
    } catch (err) {
      // The contacts of this batch are not reported now, so a later batch must report them.
      for (const contact of reported) this.#reportedNames.forget(contact);
      throw err;
    }
  }

  /** Logs an item that cannot be mapped. Returns an event if the item is a message. */
  async #reportUnmappable(err: unknown, item: Batch): Promise<DomainEvent[]> {
    const [message] = item['messages.upsert']?.messages ?? item['messaging-history.set']?.messages ?? [];
    this.#deps.errors.skip(err, message ? 'message' : 'event');
    const report = message && toUnprocessable(message, { me: this.#deps.me(), lidPairs: new Map() });
    return report ? [report] : [];
  }

  /**
   * Removes the events messages.undecryptable of messages that were already received: they are stored, or `events`
   * contains them as messages.upsert. WhatsApp repeats a message when the receipt was lost, and the message cannot be
   * decrypted twice. Decision D-103.
   */
  async #withoutRepeatedMessages(events: DomainEvent[]): Promise<DomainEvent[]> {
    const { options, storage, whenStored, log } = this.#deps;
    const ids = events.flatMap((event) => (event.type === 'messages.undecryptable' ? [event.key.id] : []));
    if (ids.length === 0) return events;
    await whenStored();
    const origins = await storage.messages.originsByMessageId(options.instanceId, ids);
    for (const event of events) {
      if (event.type !== 'messages.upsert') continue;
      const { id, remoteJid: chat, fromMe, participant = null } = event.message.key;
      origins.set(id, [...(origins.get(id) ?? []), { chat, fromMe, participant }]);
    }
    const remaining = events.filter((event) => event.type !== 'messages.undecryptable' || !isKnown(origins, event.key));
    const repeatedCount = events.length - remaining.length;
    if (repeatedCount > 0) log.debug({ messages: repeatedCount }, 'message.repeated');
    return remaining;
  }

  /**
   * Translates the history and passes it to `publish` in portions, one after the other. `publish` must resolve with
   * false when the events could not be stored. publishHistory() resolves with true when the whole history is stored. It
   * resolves with false when `publish` does, when the translation fails, and when the session ends first. `messages`
   * contains the messages with which the phone announced the history.
   */
  publishHistory(
    history: History,
    messages: readonly WireMessage[],
    publish: (events: DomainEvent[]) => Promise<boolean>,
  ): Promise<boolean> {
    const sentAt = historySentAt(messages);
    const published = this.#lastHistory.then(async () => {
      // A live message of the same batch can be in the history too. The live message is stored first, and the history
      // then skips the message.
      await this.#deps.whenStored();
      let processedCount = 0;
      for (const portion of splitHistory(history)) {
        if (this.#deps.ended.aborted) return false;
        const events = await this.#translatePortion(portion, sentAt);
        processedCount += portion.messages.length;
        const progress = this.#progress.onPortion(history, processedCount, events);
        if (!(await publish([...events, ...progress]))) return false;
      }
      const finalEvents = this.#progress.onEnd(history);
      if (finalEvents.length === 0) return true;
      return this.#deps.ended.aborted ? false : publish(finalEvents);
    });
    this.#lastHistory = published.catch((err: unknown) => {
      this.#deps.onFailure(err);
      return false;
    });
    return this.#lastHistory;
  }

  /** Resolves when no history is being processed. */
  async whenHistoryDone(): Promise<void> {
    await this.#lastHistory;
  }

  /**
   * Translates a portion. Leaves out the messages that are already stored. `sentAt`: when the phone sent the history,
   * seconds since the epoch.
   */
  async #translatePortion(portion: History, sentAt: number | undefined): Promise<DomainEvent[]> {
    const { options, storage } = this.#deps;
    const events = await this.translate({ 'messaging-history.set': portion });
    const ids = events.flatMap((event) =>
      event.type === 'messages.set' ? event.messages.map(({ key }) => key.id) : [],
    );
    const origins = await storage.messages.originsByMessageId(options.instanceId, ids);
    return events.flatMap((event): DomainEvent[] => {
      if (event.type === 'chats.set') return [{ ...event, historySentAt: sentAt }];
      if (event.type !== 'messages.set') return [event];
      const messages = event.messages.filter(({ key }) => !isKnown(origins, key));
      return messages.length > 0 ? [{ ...event, messages }] : [];
    });
  }

  /**
   * Returns the event about people who were stored by their LID (an id that hides the number) and whose number is now
   * known. `numberJidsByLid` contains their phone-number JIDs, and may contain those of other people.
   */
  async translateRevealed(numberJidsByLid: ReadonlyMap<string, string>): Promise<DomainEvent[]> {
    const { options, storage, whenStored } = this.#deps;
    await whenStored();
    const revealed = await findRevealed(storage, options.instanceId, numberJidsByLid);
    const contacts = revealed.filter((contact) => this.#reportedNames.recordIfNew(contact));
    return contacts.length > 0 ? [{ type: 'contacts.update', contacts }] : [];
  }

  /** Looks up the alternate addresses of `jids`: the LIDs of phone numbers and the phone numbers of LIDs. */
  async lookupJids(jids: Set<string>): Promise<KnownJids> {
    const { auth, ended, me, lidCache } = this.#deps;
    const lidPairs = await lookupLidPairs(auth, jids).catch((err: unknown) => {
      // An ending session cannot read keys. Its messages are still reported, without these addresses: WhatsApp may
      // already have the receipts, and then does not send the messages again.
      if (ended.aborted) return new Map<string, string>();
      throw err;
    });
    return { me: me(), lidPairs: lidCache.withCachedPairs(lidPairs, jids) };
  }

  /**
   * Reads the messages that votes and encrypted add-ons refer to. Finds a message only if it is in the same chat as the
   * vote or add-on.
   */
  async #findTargets(references: ReturnType<typeof referencesIn>): Promise<TargetMessages> {
    const targets: TargetMessages = new Map();
    const { options, storage, whenStored } = this.#deps;
    const { messages } = storage;
    await whenStored();
    for (const { key, targetId: id } of references) {
      const { remoteJid, remoteJidAlt } = key;
      const keyOfTarget = targetKey({ remoteJid, id });
      if (targets.has(keyOfTarget)) continue;
      let target = await messages.get(options.instanceId, id, remoteJid);
      if (!target && remoteJidAlt !== undefined) target = await messages.get(options.instanceId, id, remoteJidAlt);
      if (target) targets.set(keyOfTarget, target);
    }
    return targets;
  }

  async #permissionsOf(
    messagesToCheck: ReturnType<typeof messagesNeedingPermissions>,
    knownJids: KnownJids,
  ): Promise<PermissionsByMessage> {
    const lookups = messagesToCheck.map(async ({ message, key }) => {
      const addresses = withMappingError(() => authorJidsOf(key, knownJids));
      return [message, await this.#deps.permissions.memberPermissions(key.remoteJid, addresses)] as const;
    });
    return new Map(await Promise.all(lookups));
  }
}
