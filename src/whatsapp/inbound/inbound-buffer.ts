// Keeps a copy of each decrypted message in the key store until the events of the message are stored. A message can be
// decrypted only once, so the copy is written in the transaction that advances the Signal ratchet (the chain of keys).
// Messages of one event-loop turn share rows of the key store. The next session reports the messages that a killed
// process left in the buffer (resume.ts).
import { hash } from 'node:crypto';
import { atTurnEnd } from '../../lib/event-loop-turn.ts';
import { userOf } from '../address/jid.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { LateWrite } from '../baileys/auth/key-writes.ts';
import { type DeviceMessage, decryptStored, loadSession } from '../baileys/auth/stored-session-decryption.ts';
import { type Decryption, hookDecryption } from '../baileys/patches/decryption-hook.ts';
import { MessageOrder } from '../baileys/patches/message-order.ts';
import { MessageTurns } from '../baileys/patches/message-turns.ts';
import { SenderKeys } from '../baileys/patches/sender-key-chats.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { SocketConfig, WireMessage } from '../baileys/types.ts';
import type { HistoryNotices } from './history-notices.ts';

/** One decrypted element of a message stanza. A stanza can have several encrypted elements. */
export interface Part {
  /**
   * Hash of the ciphertext and its sender. Absent in rows of older releases: the id of the part is then the id of the
   * row.
   */
  id?: string;
  /** Attributes of the stanza. */
  stanza: Record<string, string>;
  /** Attributes of the encrypted element. */
  enc: Record<string, string>;
  /** Index of the element among the encrypted elements of the stanza. */
  index: number;
  /** Number of encrypted elements in the stanza. */
  of: number;
  /** Base64. */
  plaintext: string;
  /**
   * Time of decryption, epoch ms. Unique within a session, so that messages can be sorted by it. Absent in rows of
   * older releases.
   */
  at?: number;
}

/** Key type of the rows in the key store. */
const KEY_TYPE = 'inbound';
/** Maximum number of parts in a row. */
const MAX_ROW_PARTS = 16;
/** Delay after which the rows of stored messages are removed, unless the write of a new row has removed them before. */
const REMOVAL_DELAY_MS = 5_000;

/** A row as JSON: the first part, and the other parts in `more`. Older releases read the first part only. */
interface RowJson extends Part {
  more?: Part[];
}

/** What is known of a part before its decryption. */
type Envelope = Omit<Part, 'id' | 'plaintext' | 'at'>;

/** A row in memory. The row is removed when the events of all its parts are stored. */
interface Row {
  readonly id: string;
  /** The parts as JSON. */
  readonly parts: string[];
  /** Ids of the parts whose events are not stored yet. */
  readonly unstored: Set<string>;
}

export class InboundBuffer {
  /** The messages that announce history. Such a message is marked as stored after its history is stored. */
  readonly historyNotices: HistoryNotices;
  readonly #auth: AuthState;
  /** The parts by id, without those that this session has marked as stored. */
  readonly #parts = new Map<string, Part>();
  /** Ids of parts by message id. */
  readonly #partsByMessage = new Map<string, Set<string>>();
  /** The rows of the parts whose events are not stored yet, by part id. */
  readonly #rowsByPart = new Map<string, Row>();
  /** The row to which the next part is added in this turn of the event loop. Undefined at the start of a turn. */
  #rowOfTurn: Row | undefined;
  /**
   * Ids of rows to remove, because the events of their messages are stored. The removal waits for the next write or
   * REMOVAL_DELAY_MS, because the receipt of a message may still be unsent. A message without a receipt is sent again
   * by WhatsApp, and is then read from its row.
   */
  #rowIdsToRemove: string[] = [];
  /** Attributes of the encrypted elements that have arrived, by ciphertext. */
  readonly #envelopes = new WeakMap<Uint8Array, Envelope>();
  /** `at` of the latest part, epoch ms. */
  #lastAt = 0;
  /** Keeps new messages behind the messages that WhatsApp held while the device was offline. */
  readonly #order = new MessageOrder();
  #removalTimer: NodeJS.Timeout | undefined;
  /** Records which parts belong to a message turn: Baileys' processing of one message, not an event-loop turn. */
  readonly messageTurns = new MessageTurns();
  /** Stores the sender keys (keys of group members) that arrive in messages. */
  readonly senderKeys = new SenderKeys();
  /**
   * Ids of rows that are not removed yet although all their messages are stored. All sessions of the instance in this
   * process share this set.
   */
  readonly #storedRowIds: Set<string>;

  private constructor(
    auth: AuthState,
    historyNotices: HistoryNotices,
    rows: ReadonlyMap<string, Uint8Array>,
    storedRowIds: Set<string>,
  ) {
    this.#auth = auth;
    this.historyNotices = historyNotices;
    this.#storedRowIds = storedRowIds;
    for (const [id, bytes] of rows) this.#loadRow(id, bytes);
    for (const id of storedRowIds) this.#markRowStored(id);
    // Baileys has acknowledged a dropped message without emitting it, so the message has no events.
    this.messageTurns.onDrop = ({ partIds }) => {
      for (const id of partIds) this.#markPartStored(id);
    };
  }

  /**
   * Reads the rows of earlier sessions. Pass the same set `storedRowIds` to all sessions of an instance. The buffer
   * keeps the ids of stored rows in this set until the rows are removed. Rejects when the rows cannot be read.
   */
  static async open(
    auth: AuthState,
    historyNotices: HistoryNotices,
    storedRowIds: Set<string>,
  ): Promise<InboundBuffer> {
    return new InboundBuffer(auth, historyNotices, await auth.readAll(KEY_TYPE), storedRowIds);
  }

  #loadRow(rowId: string, bytes: Uint8Array): void {
    const row: Row = { id: rowId, parts: [], unstored: new Set() };
    // The row needs no validation, because the gateway itself has written it.
    const { more = [], ...first } = JSON.parse(Buffer.from(bytes).toString()) as RowJson;
    for (const part of [first, ...more]) {
      const { id = rowId } = part;
      this.#parts.set(id, part);
      if (!this.#storedRowIds.has(rowId)) this.#indexPart(id, part, row);
    }
  }

  /** Returns the parts of the messages whose events are not stored, grouped by message. */
  listUnstoredMessages(): Part[][] {
    return this.#groupParts(() => true);
  }

  /** Returns the same as listUnstoredMessages(), limited to the parts with these ids. */
  listUnstoredMessagesOf(partIds: ReadonlySet<string>): Part[][] {
    return this.#groupParts((id) => partIds.has(id));
  }

  #groupParts(isWanted: (id: string) => boolean): Part[][] {
    const parts = [...this.#parts].flatMap(([id, part]) => (this.#rowsByPart.has(id) && isWanted(id) ? [part] : []));
    return [...Map.groupBy(parts, ({ stanza }) => JSON.stringify(stanza)).values()];
  }

  /**
   * Records the attributes of the encrypted elements in a message stanza, because Baileys does not pass them to the
   * decryption. Must be called before Baileys handles the stanza.
   */
  onStanza({ attrs, content }: Stanza): void {
    const encrypted = Array.isArray(content) ? content.filter(({ tag }) => tag === 'enc') : [];
    const first = encrypted[0]?.content;
    this.#order.onStanza(attrs, first);
    for (const [index, { attrs: enc, content: ciphertext }] of encrypted.entries()) {
      if (ciphertext instanceof Uint8Array)
        this.#envelopes.set(ciphertext, { stanza: attrs, enc, index, of: encrypted.length });
    }
  }

  /**
   * Wraps a factory of Signal repositories (objects that encrypt and decrypt messages for Baileys). The repositories
   * store each message that they decrypt. They read a repeated message from the buffer. They ignore a sender key in a
   * message when the key is for another chat.
   */
  wrapRepository(create: SocketConfig['makeSignalRepository']): SocketConfig['makeSignalRepository'] {
    const withSenderKeys = this.senderKeys.wrapRepository(create, () => this.messageTurns.current?.stanza?.from);
    return hookDecryption(withSenderKeys, (decryption) => this.#decryptOnce(decryption));
  }

  /**
   * Returns the plaintext of a ciphertext: from the buffer, or by decryption. This method opens a transaction named
   * `transaction`. decrypt() uses the same name and therefore joins this transaction, so that the ratchet and the
   * plaintext are written together.
   */
  async #decryptOnce({ keys, transaction, ciphertext, message, decrypt }: Decryption): Promise<Uint8Array> {
    this.#order.onDecrypt(ciphertext);
    const envelope = this.#envelopes.get(ciphertext);
    if (!envelope) return decrypt();
    const id = idOf(envelope, ciphertext);
    this.messageTurns.recordPart(id, envelope.stanza);
    const cached = this.#parts.get(id);
    if (cached) return Buffer.from(cached.plaintext, 'base64');
    // `message` is undefined if the message is encrypted with a sender key. Any other message is decrypted in memory if
    // possible, which needs no transaction.
    if (message) {
      await loadSession(this.#auth, message);
      const decrypted = this.#decryptInMemory(message, id, envelope);
      if (decrypted) return decrypted;
    }
    return keys.transaction(async () => {
      const plaintext = await decrypt();
      const { row, removedIds } = this.#addPart(id, envelope, plaintext);
      const rows: Record<string, (() => Uint8Array) | null> = { [row.id]: () => encodeRow(row) };
      for (const removedId of removedIds) rows[removedId] = null;
      // Baileys' types lack this key type, but its code passes on every type.
      const write: object = { [KEY_TYPE]: rows };
      await keys.set(write);
      return plaintext;
    }, transaction);
  }

  /**
   * Reads the Signal session of a message into memory. Returns undefined when the session is in memory already. Throws
   * or rejects when the WhatsApp session has ended.
   */
  loadSession(message: DeviceMessage): Promise<void> | undefined {
    return loadSession(this.#auth, message);
  }

  /**
   * Decrypts a message in memory and stores it as the repositories of wrapRepository() do. A repository returns the
   * same plaintext when it decrypts the message afterwards. Returns undefined for a message in the buffer, and for a
   * message that is not the next one of its Signal session. Throws Error when the WhatsApp session has ended.
   */
  decryptAndKeep(message: DeviceMessage): Buffer | undefined {
    const envelope = this.#envelopes.get(message.ciphertext);
    if (!envelope) return undefined;
    const id = idOf(envelope, message.ciphertext);
    return this.#parts.has(id) ? undefined : this.#decryptInMemory(message, id, envelope);
  }

  /**
   * Decrypts a message in memory. Returns undefined for a message that is not the next one of its Signal session. Does
   * not wait between the decryption and the write, so that no other message changes the session in between.
   */
  #decryptInMemory(message: DeviceMessage, id: string, envelope: Envelope): Buffer | undefined {
    const decrypted = decryptStored(this.#auth, message);
    if (!decrypted) return undefined;
    const { row, removedIds } = this.#addPart(id, envelope, decrypted.plaintext);
    this.#auth.putDecrypted(message.address, decrypted.record, [
      new LateWrite(KEY_TYPE, row.id, () => encodeRow(row)),
      ...removedIds.map((removedId) => ({ type: KEY_TYPE, id: removedId, value: null })),
    ]);
    return decrypted.plaintext;
  }

  /**
   * Adds a part to a row. Returns the row, which the caller must write, and the ids of rows that this write must
   * remove.
   */
  #addPart(id: string, envelope: Envelope, plaintext: Uint8Array): { row: Row; removedIds: string[] } {
    this.#lastAt = Math.max(this.#lastAt + 1, Date.now());
    const part = { ...envelope, id, plaintext: Buffer.from(plaintext).toString('base64'), at: this.#lastAt };
    const row = this.#rowForPart(part);
    const removedIds = this.#takeRowIdsToRemove();
    this.#parts.set(id, part);
    this.#indexPart(id, part, row);
    return { row, removedIds };
  }

  /** Adds a part to the row of this turn of the event loop, or to a new one. Returns the row. */
  #rowForPart(part: Part & { id: string }): Row {
    const json = JSON.stringify(part);
    const current = this.#rowOfTurn;
    if (current && current.parts.length < MAX_ROW_PARTS) {
      current.parts.push(json);
      return current;
    }
    const row: Row = { id: part.id, parts: [json], unstored: new Set() };
    this.#rowOfTurn = row;
    atTurnEnd(() => this.#closeRow(row));
    return row;
  }

  #closeRow(row: Row): void {
    if (this.#rowOfTurn === row) this.#rowOfTurn = undefined;
  }

  #indexPart(id: string, { stanza }: Part, row: Row): void {
    const messageId = stanza.id ?? '';
    this.#partsByMessage.set(messageId, (this.#partsByMessage.get(messageId) ?? new Set()).add(id));
    this.#rowsByPart.set(id, row);
    row.unstored.add(id);
  }

  /** Marks messages as stored: their events are stored, or they have no events. */
  markStored(messages: readonly Pick<WireMessage, 'key'>[]): void {
    for (const { key } of messages) for (const id of this.#partsOf(key)) this.#markPartStored(id);
  }

  /**
   * Returns the ids of the parts of a message. The chat and the author are compared only when several messages have the
   * message id, for example the copies of a message to a broadcast list.
   */
  #partsOf({ id, remoteJid, participant }: WireMessage['key']): string[] {
    const partIds = [...(this.#partsByMessage.get(id ?? '') ?? [])];
    const bySource = Map.groupBy(partIds, (partId) => {
      const { recipient, from, participant: author } = this.#parts.get(partId)?.stanza ?? {};
      return sourceOf(recipient ?? from, author);
    });
    return bySource.size > 1 ? (bySource.get(sourceOf(remoteJid, participant)) ?? []) : partIds;
  }

  #markPartStored(id: string): void {
    const row = this.#rowsByPart.get(id);
    const messageId = this.#parts.get(id)?.stanza.id ?? '';
    const partsOfMessage = this.#partsByMessage.get(messageId);
    partsOfMessage?.delete(id);
    if (partsOfMessage?.size === 0) this.#partsByMessage.delete(messageId);
    this.#parts.delete(id);
    this.#rowsByPart.delete(id);
    row?.unstored.delete(id);
    if (!row || row.unstored.size > 0) return;
    this.#closeRow(row);
    this.#markRowStored(row.id);
  }

  #markRowStored(id: string): void {
    this.#storedRowIds.add(id);
    this.#rowIdsToRemove.push(id);
    this.#removalTimer ??= setTimeout(() => this.removeStoredRows(), REMOVAL_DELAY_MS).unref();
  }

  #takeRowIdsToRemove(): string[] {
    const rowIds = this.#rowIdsToRemove;
    this.#rowIdsToRemove = [];
    for (const id of rowIds) this.#storedRowIds.delete(id);
    return rowIds;
  }

  /** Removes the rows of stored messages now. */
  removeStoredRows(): void {
    clearTimeout(this.#removalTimer);
    this.#removalTimer = undefined;
    // remove() returns false after the end of the session. The next session of this process then removes the rows,
    // whose ids are still in #storedRowIds.
    if (this.#auth.remove(KEY_TYPE, this.#rowIdsToRemove)) this.#takeRowIdsToRemove();
  }
}

/** Returns the id of a part. */
function idOf({ stanza, enc }: Envelope, ciphertext: Uint8Array): string {
  const origin = JSON.stringify([stanza.from, stanza.participant, enc.type]);
  return hash('sha256', Buffer.concat([Buffer.from(origin), ciphertext]));
}

/** Returns a text that identifies a chat and an author by their users, without servers and devices. */
const sourceOf = (chat?: string | null, author?: string | null): string =>
  `${userOf(chat ?? '')} ${userOf(author ?? '')}`;

/**
 * Returns the JSON of a row (RowJson). The parts are JSON already, so `more` is inserted before the closing brace of
 * the first part.
 */
function encodeRow({ parts: [first = '{}', ...more] }: Row): Buffer {
  return Buffer.from(more.length === 0 ? first : `${first.slice(0, -1)},"more":[${more.join(',')}]}`);
}
