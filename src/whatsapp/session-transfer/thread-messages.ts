// What the gateway and its conversion thread send each other. Keys travel in batches, so that neither side handles many
// of them at once.
import type { BundleInstance } from '../../session-bundle/bundle.ts';
import type { StoredKey } from '../../storage/storage.ts';

/** The body of an import: the text of a JSON body, or of the file in a form with these other fields. */
export interface ImportBody {
  text: Uint8Array;
  formFields?: Readonly<Record<string, string>> | undefined;
}

/** A checked session without its keys, which `next` returns. */
export interface ReadSession {
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
  creds: Uint8Array;
  /** Number of keys by type. */
  taken: Record<string, number>;
  warnings: string[];
}

/** Keys in one block of memory, which moves between threads without a copy. */
export interface KeyBatch {
  types: string[];
  ids: string[];
  /** End of each value in `bytes`. */
  ends: number[];
  bytes: Uint8Array;
}

/** A session to export, without its keys. */
export interface ExportRequest {
  instance: BundleInstance;
  creds: Uint8Array;
  /** Name and version of this program. */
  source: string;
  passphrase: string;
}

export type Request =
  /** Begins another import or export. Answer: null. */
  | { type: 'begin' }
  /** Adds bytes to the body. Answer: null. */
  | { type: 'receive'; bytes: Uint8Array }
  /** Reads the body. Answer: ReadSession. */
  | { type: 'read'; formFields: ImportBody['formFields'] }
  /** Answer: the next keys of the bundle that was read, or null after the last. */
  | { type: 'next' }
  /** Adds keys to the bundle. Answer: null. */
  | { type: 'add'; keys: KeyBatch }
  /** Encrypts the bundle. Answer: its text. */
  | { type: 'write'; head: ExportRequest };

/** The values of the replies, by type of request. */
export interface Answers {
  begin: null;
  receive: null;
  read: ReadSession;
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

export type Reply<T = unknown> = { value: T } | { failure: Failure };

export interface Failure {
  code: FailureCode;
  message: string;
  /** Where an unexpected error occurred, without its message, which can contain parts of a session. */
  trace?: string;
}

/** Joins keys. Returns the batch, whose bytes can be transferred. */
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
