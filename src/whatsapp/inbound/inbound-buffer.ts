// Stores decrypted messages until their events are stored, in the transaction that advances the ratchet. Baileys rc14
// sends the receipt before the events are stored, and a message can be decrypted only once. The next session reports
// what a killed process left here.
import { hash } from 'node:crypto';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { type Decryption, hookDecryption } from '../baileys/patches/decryption-hook.ts';
import { MessageOrder } from '../baileys/patches/message-order.ts';
import { MessageTurns } from '../baileys/patches/message-turns.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { SocketConfig, WireMessage } from '../baileys/types.ts';
import type { HistoryNotices } from './history-notices.ts';

/** One decrypted part of a stanza with its envelope. */
export interface Part {
  /** Attributes of the stanza. */
  stanza: Record<string, string>;
  /** Attributes of the encrypted element, its index in the stanza, and the number of such elements. */
  enc: Record<string, string>;
  index: number;
  of: number;
  /** Base64. */
  plaintext: string;
  /** Position in the order of decryption, across sessions. 0 in rows of older releases. */
  at?: number;
}

/** Key type of the rows. */
const KEY_TYPE = 'inbound';
/**
 * Milliseconds after which the rows of stored messages are removed when no new message removes them in its own write.
 */
const REMOVAL_DELAY = 5_000;

export class InboundBuffer {
  readonly historyNotices: HistoryNotices;
  readonly #auth: AuthState;
  /** Rows without a stored event. */
  readonly #parts: Map<string, Part>;
  /** Ids of rows by message id. */
  readonly #rowsByMessage = new Map<string, Set<string>>();
  /**
   * Rows of stored messages. The next write removes them and not an own one, because their receipt may still be unsent.
   */
  #rowsToRemove: string[] = [];
  readonly #envelopes = new WeakMap<Uint8Array, Omit<Part, 'plaintext' | 'at'>>();
  #lastAt = 0;
  readonly #order = new MessageOrder();
  #removalTimer: NodeJS.Timeout | undefined;
  readonly turns = new MessageTurns();
  /** Ids of rows whose messages are stored, of this session and of earlier sessions in this process. */
  readonly #storedRowIds: Set<string>;

  private constructor(
    auth: AuthState,
    historyNotices: HistoryNotices,
    parts: Map<string, Part>,
    storedIds: Set<string>,
  ) {
    this.#auth = auth;
    this.historyNotices = historyNotices;
    this.#parts = parts;
    this.#storedRowIds = storedIds;
    for (const [id, part] of parts) if (!storedIds.has(id)) this.#indexRow(id, part);
    for (const id of storedIds) this.#markRowStored(id);
  }

  /**
   * Reads the rows of earlier sessions. `storedIds` has the ids of rows whose messages are stored; all sessions of the
   * instance in this process share it. Rejects when the rows cannot be read.
   */
  static async open(
    auth: AuthState,
    historyNotices: HistoryNotices,
    storedIds: Set<string> = new Set(),
  ): Promise<InboundBuffer> {
    const rows = await auth.all(KEY_TYPE);
    return new InboundBuffer(
      auth,
      historyNotices,
      new Map([...rows].map(([id, bytes]) => [id, JSON.parse(Buffer.from(bytes).toString()) as Part])),
      storedIds,
    );
  }

  /** Returns the decrypted parts without a stored event, grouped by message. */
  unstoredMessages(): Part[][] {
    return this.#groupParts((id) => !this.#storedRowIds.has(id));
  }

  /** Returns the same for some of the rows. */
  unstoredMessagesOf(ids: ReadonlySet<string>): Part[][] {
    return this.#groupParts((id) => ids.has(id) && !this.#storedRowIds.has(id));
  }

  #groupParts(isWanted: (id: string) => boolean): Part[][] {
    const parts = [...this.#parts].flatMap(([id, part]) => (isWanted(id) ? [part] : []));
    return [...Map.groupBy(parts, ({ stanza }) => JSON.stringify(stanza)).values()];
  }

  /** Call it for each message stanza before Baileys handles it: the decryption does not get the stanza's attributes. */
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
   * Returns a factory of repositories that store what they decrypt and answer repeated messages from the stored rows.
   */
  wrapRepository(create: SocketConfig['makeSignalRepository']): SocketConfig['makeSignalRepository'] {
    return hookDecryption(create, (decryption) => this.#decryptOnce(decryption));
  }

  /** Runs decrypt() in its own transaction, so that the ratchet step and the plaintext are one write. */
  async #decryptOnce({ keys, transaction, ciphertext, decrypt }: Decryption): Promise<Uint8Array> {
    this.#order.onDecrypt(ciphertext);
    const envelope = this.#envelopes.get(ciphertext);
    if (!envelope) return decrypt();
    const { stanza, enc } = envelope;
    const origin = JSON.stringify([stanza.from, stanza.participant, enc.type]);
    const id = hash('sha256', Buffer.concat([Buffer.from(origin), ciphertext]));
    this.turns.addDecrypted(id);
    const cached = this.#parts.get(id);
    if (cached) return Buffer.from(cached.plaintext, 'base64');
    return keys.transaction(async () => {
      const plaintext = await decrypt();
      this.#lastAt = Math.max(this.#lastAt + 1, Date.now());
      const part = { ...envelope, plaintext: Buffer.from(plaintext).toString('base64'), at: this.#lastAt };
      const rows: Record<string, Uint8Array | null> = { [id]: Buffer.from(JSON.stringify(part)) };
      for (const stored of this.#takeRowsToRemove()) rows[stored] = null;
      // Baileys does not know this key type and passes it on.
      const write: object = { [KEY_TYPE]: rows };
      await keys.set(write);
      this.#parts.set(id, part);
      this.#indexRow(id, part);
      return plaintext;
    }, transaction);
  }

  #indexRow(id: string, { stanza }: Part): void {
    const message = stanza.id ?? '';
    this.#rowsByMessage.set(message, (this.#rowsByMessage.get(message) ?? new Set()).add(id));
  }

  /** Marks messages whose events are stored, or that have none. */
  markStored(messages: readonly Pick<WireMessage, 'key'>[]): void {
    for (const { key } of messages) {
      for (const id of this.#rowsByMessage.get(key.id ?? '') ?? []) {
        this.#parts.delete(id);
        this.#markRowStored(id);
      }
      this.#rowsByMessage.delete(key.id ?? '');
    }
  }

  #markRowStored(id: string): void {
    this.#storedRowIds.add(id);
    this.#rowsToRemove.push(id);
    this.#removalTimer ??= setTimeout(() => this.removeStoredRows(), REMOVAL_DELAY).unref();
  }

  #takeRowsToRemove(): string[] {
    const stored = this.#rowsToRemove;
    this.#rowsToRemove = [];
    for (const id of stored) this.#storedRowIds.delete(id);
    return stored;
  }

  /** Removes the rows of stored messages now. */
  removeStoredRows(): void {
    clearTimeout(this.#removalTimer);
    this.#removalTimer = undefined;
    // When this session has ended, the next one in this process removes them.
    if (this.#auth.remove(KEY_TYPE, this.#rowsToRemove)) this.#takeRowsToRemove();
  }
}
