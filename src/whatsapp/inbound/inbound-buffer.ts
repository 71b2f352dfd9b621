// Decrypted messages whose events are not stored yet: each is kept in the transaction of the ratchet step that made it readable.
// rc14 sends the receipt before we have stored anything, and nobody can decrypt a message twice; what a killed process leaves here
// is handed to the next session.
import { hash } from 'node:crypto';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { MessageTurns } from '../baileys/patches/message-turns.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type {
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  SocketConfig,
  WireMessage,
} from '../baileys/types.ts';
import type { HistoryNotices } from './history-notices.ts';

type MakeRepository = SocketConfig['makeSignalRepository'];

/** One decrypted part of a stanza: what the platform wrote on the envelope, and what was inside. */
export interface Part {
  /** Attributes of the stanza. */
  stanza: Record<string, string>;
  /** Attributes of the encrypted element, its place among those of the stanza, and how many there are. */
  enc: Record<string, string>;
  index: number;
  of: number;
  /** Base64. */
  plaintext: string;
  /** Place in the order in which parts became readable, across sessions; 0 in rows of older releases. */
  at?: number;
}

/** The type of its rows among the keys of the instance. */
const keyType = 'inbound';
/** ms after which rows of stored messages are removed when no message came that could have taken them along. */
const tidyDelay = 5_000;

export class InboundBuffer {
  readonly announced: HistoryNotices;
  readonly #auth: AuthState;
  /** Rows that a stored event does not cover yet. */
  readonly #parts: Map<string, Part>;
  /** Ids of rows by message id. */
  readonly #open = new Map<string, Set<string>>();
  /** Rows of stored messages: they go with the next write, because their receipt may still be on its way out. */
  #settled: string[] = [];
  readonly #envelopes = new WeakMap<Uint8Array, Omit<Part, 'plaintext' | 'at'>>();
  #lastAt = 0;
  /** Ciphertexts of messages that waited at the platform and did not have their turn yet. */
  readonly #waiting: Uint8Array[] = [];
  #tidying: NodeJS.Timeout | undefined;
  readonly turns = new MessageTurns();
  /** Rows of stored messages that are still there, of this session and of those before it in this process. */
  readonly #done: Set<string>;

  private constructor(auth: AuthState, announced: HistoryNotices, parts: Map<string, Part>, done: Set<string>) {
    this.#auth = auth;
    this.announced = announced;
    this.#parts = parts;
    this.#done = done;
    for (const [id, part] of parts) if (!done.has(id)) this.#expect(id, part);
    for (const id of done) this.#settle(id);
  }

  /**
   * Reads what earlier sessions of the instance left. `done` is shared by the sessions of the instance in this process: rows of messages
   * that are stored, and so not resumed. Rejects when the rows cannot be read.
   */
  static async open(auth: AuthState, announced: HistoryNotices, done: Set<string> = new Set()): Promise<InboundBuffer> {
    const left = await auth.all(keyType);
    return new InboundBuffer(
      auth,
      announced,
      new Map([...left].map(([id, bytes]) => [id, JSON.parse(Buffer.from(bytes).toString()) as Part])),
      done,
    );
  }

  /** Decrypted parts that no stored event covers, by message. */
  left(): Part[][] {
    return this.#messages((id) => !this.#done.has(id));
  }

  /** The same for some of the rows. */
  of(ids: ReadonlySet<string>): Part[][] {
    return this.#messages((id) => ids.has(id) && !this.#done.has(id));
  }

  #messages(isWanted: (id: string) => boolean): Part[][] {
    const parts = [...this.#parts].flatMap(([id, part]) => (isWanted(id) ? [part] : []));
    return [...Map.groupBy(parts, ({ stanza }) => JSON.stringify(stanza)).values()];
  }

  /**
   * Sees every message stanza before Baileys does: decrypting knows nothing of the envelope. rc14 handles what waited at the platform one by
   * one, and what is new at once: until the last that waited has its turn, new ones are marked as such, or they would overtake it.
   */
  notice({ attrs, content }: Stanza): void {
    const encrypted = Array.isArray(content) ? content.filter(({ tag }) => tag === 'enc') : [];
    const first = encrypted[0]?.content;
    if (this.#waiting.length > 0) attrs.offline ??= '0';
    if (attrs.offline !== undefined && first instanceof Uint8Array) this.#waiting.push(first);
    for (const [index, { attrs: enc, content: ciphertext }] of encrypted.entries()) {
      if (ciphertext instanceof Uint8Array)
        this.#envelopes.set(ciphertext, { stanza: attrs, enc, index, of: encrypted.length });
    }
  }

  /** A repository that keeps what it decrypts, and answers from what is kept: a message that comes again is readable again. */
  wrap(make: MakeRepository): MakeRepository {
    return (auth, logger, pnToLid): SignalRepositoryWithLIDStore => {
      const repository = make(auth, logger, pnToLid);
      const { keys } = auth;
      if (!('transaction' in keys)) throw new TypeError('keys without transactions');
      const { decryptMessage, decryptGroupMessage } = repository;
      repository.decryptMessage = (options) =>
        this.#once(keys, options.jid, options.ciphertext, () => decryptMessage.call(repository, options));
      repository.decryptGroupMessage = (options) =>
        this.#once(keys, options.group, options.msg, () => decryptGroupMessage.call(repository, options));
      return repository;
    };
  }

  /** `mutex` is the name of the transaction that `decrypt` opens: inside ours it joins it, so ratchet and plaintext are one write. */
  async #once(
    keys: SignalKeyStoreWithTransaction,
    mutex: string,
    ciphertext: Uint8Array,
    decrypt: () => Promise<Uint8Array>,
  ) {
    // They have their turns in order: whatever came before it had its own, or is passed over.
    this.#waiting.splice(0, this.#waiting.indexOf(ciphertext) + 1);
    const envelope = this.#envelopes.get(ciphertext);
    if (!envelope) return decrypt();
    const { stanza, enc } = envelope;
    const origin = JSON.stringify([stanza.from, stanza.participant, enc.type]);
    const id = hash('sha256', Buffer.concat([Buffer.from(origin), ciphertext]));
    this.turns.decrypted(id);
    const known = this.#parts.get(id);
    if (known) return Buffer.from(known.plaintext, 'base64');
    return keys.transaction(async () => {
      const plaintext = await decrypt();
      this.#lastAt = Math.max(this.#lastAt + 1, Date.now());
      const part = { ...envelope, plaintext: Buffer.from(plaintext).toString('base64'), at: this.#lastAt };
      const rows: Record<string, Uint8Array | null> = { [id]: Buffer.from(JSON.stringify(part)) };
      for (const settled of this.#takeSettled()) rows[settled] = null;
      // Baileys has no such type of key, and passes it on as it is.
      const write: object = { [keyType]: rows };
      await keys.set(write);
      this.#parts.set(id, part);
      this.#expect(id, part);
      return plaintext;
    }, mutex);
  }

  #expect(id: string, { stanza }: Part): void {
    const message = stanza.id ?? '';
    this.#open.set(message, (this.#open.get(message) ?? new Set()).add(id));
  }

  /** The events of these messages are stored (or there is nothing to store of them). */
  settle(messages: readonly Pick<WireMessage, 'key'>[]): void {
    for (const { key } of messages) {
      for (const id of this.#open.get(key.id ?? '') ?? []) {
        this.#parts.delete(id);
        this.#settle(id);
      }
      this.#open.delete(key.id ?? '');
    }
  }

  #settle(id: string): void {
    this.#done.add(id);
    this.#settled.push(id);
    this.#tidying ??= setTimeout(() => this.tidy(), tidyDelay).unref();
  }

  #takeSettled(): string[] {
    const settled = this.#settled;
    this.#settled = [];
    for (const id of settled) this.#done.delete(id);
    return settled;
  }

  /** Removes the rows of stored messages now. */
  tidy(): void {
    clearTimeout(this.#tidying);
    this.#tidying = undefined;
    // When the session is over, its successor in this process removes them.
    if (this.#auth.remove(keyType, this.#settled)) this.#takeSettled();
  }
}
