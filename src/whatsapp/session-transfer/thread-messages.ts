// The messages between the gateway and the conversion thread (thread.ts), which reads and writes session bundles. Keys
// are sent in batches, so that neither side is busy for long with one message.
import type { BundleInstance } from '../../session-bundle/bundle.ts';
import type { StoredKey } from '../../storage/storage.ts';

/** The body of an import. `text` is a JSON body or the file of a form; `formFields` are the form's other fields. */
export interface ImportBody {
  text: Uint8Array;
  formFields?: Readonly<Record<string, string>> | undefined;
}

/** The head of an import: the checked session without its keys. The request `next` returns the keys. */
export interface ImportHead {
  /** Fields of the request. */
  instanceName: string | undefined;
  token: string | undefined;
  instance: BundleInstance;
  account: {
    /** JID with the device. */
    deviceJid: string;
    lid: string | null;
    name: string | null;
  };
  /** The encoded credentials, as the store keeps them. */
  creds: Uint8Array;
  /** Number of keys that were taken from the bundle, by type. */
  taken: Record<string, number>;
  warnings: string[];
}

/** Keys whose values are in one block of memory, so that they can move between threads without a copy. */
export interface KeyBatch {
  types: string[];
  ids: string[];
  /** End of the value of each key in `bytes`. */
  ends: number[];
  bytes: Uint8Array;
}

/** The head of an export: the session without its keys. The request `add` sends the keys. */
export interface ExportHead {
  instance: BundleInstance;
  creds: Uint8Array;
  /** Name and version of this program. */
  source: string;
  passphrase: string;
}

export type Request =
  /** Starts an import or export, and discards the data of an earlier one. Reply: null. */
  | { type: 'begin' }
  /** Adds bytes to the body of an import. Reply: null. */
  | { type: 'receive'; bytes: Uint8Array }
  /** Reads the body. Reply: ImportHead. */
  | { type: 'read'; formFields: ImportBody['formFields'] }
  /** Reply: the next keys of the bundle that was read, or null after the last. */
  | { type: 'next' }
  /** Adds keys to an export. Reply: null. */
  | { type: 'add'; keys: KeyBatch }
  /** Creates the bundle from `head` and the added keys, and encrypts it. Reply: the encrypted bundle as JSON text. */
  | { type: 'write'; head: ExportHead };

/** The values of the replies, by type of request. */
export interface ReplyValues {
  begin: null;
  receive: null;
  read: ImportHead;
  next: KeyBatch | null;
  add: null;
  write: Uint8Array;
}

export type FailureCode =
  | 'INVALID_REQUEST'
  | 'MALFORMED_JSON'
  | 'SESSION_BUNDLE_INVALID'
  | 'SESSION_BUNDLE_PASSPHRASE'
  | 'INTERNAL';

export type Reply<T = unknown> = { value: T } | { failure: ThreadFailure };

export interface ThreadFailure {
  code: FailureCode;
  message: string;
  /** Where an unexpected error occurred, without its message, which can contain parts of a session. */
  trace?: string;
}

/** Joins keys to a batch, whose `bytes` can be transferred to another thread. */
export function toBatch(keys: readonly StoredKey[]): KeyBatch {
  const bytes = new Uint8Array(keys.reduce((sum, { value }) => sum + value.length, 0));
  let end = 0;
  const ends = keys.map(({ value }) => {
    bytes.set(value, end);
    end += value.length;
    return end;
  });
  return { types: keys.map(({ type }) => type), ids: keys.map(({ id }) => id), ends, bytes };
}

/** The keys of a batch. Their values are views of its bytes. */
export function fromBatch({ types, ids, ends, bytes }: KeyBatch): StoredKey[] {
  return ends.map((end, index) => ({
    type: types[index] ?? '',
    id: ids[index] ?? '',
    value: bytes.subarray(ends[index - 1] ?? 0, end),
  }));
}
