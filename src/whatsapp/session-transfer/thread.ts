// Thread that reads and writes session bundles, so that the event loop is not blocked. It converts one session at a
// time.
import { parentPort } from 'node:worker_threads';
import type { BundleKeys, SessionBundle } from '../../session-bundle/bundle.ts';
import { BundleError } from '../../session-bundle/bundle-error.ts';
import { encryptBundle } from '../../session-bundle/envelope.ts';
import { parseBundle } from '../../session-bundle/parse.ts';
import type { StoredKey } from '../../storage/storage.ts';
import { readImportBody, TransferFailure, toFailure } from './import-body.ts';
import { toBundle, toStored } from './session-conversion.ts';
import { assertSigned } from './signatures.ts';
import {
  type ExportRequest,
  fromBatch,
  type ImportBody,
  type KeyBatch,
  type ReadSession,
  type Reply,
  type Request,
  toBatch,
} from './thread-messages.ts';

/** Keys per batch. The gateway handles a batch in about 1 ms. */
const BATCH_SIZE = 250;
/** Age of a bundle, ms, from which its session may be behind. */
const OLD_AGE = 24 * 3_600_000;

/** The bytes of the body so far. */
let received: Uint8Array[] = [];
/** Keys of the bundle that was read. */
let unread: Iterator<StoredKey> | undefined;
/** Keys for the bundle that is written. */
let added: StoredKey[] = [];

function begin(): null {
  received = [];
  unread = undefined;
  added = [];
  return null;
}

async function read(formFields: ImportBody['formFields']): Promise<ReadSession> {
  const text = Buffer.concat(received);
  received = [];
  const { bundle, instanceName, token } = await readImportBody({ text, formFields });
  const { instance, credentials, keys } = bundle;
  assertSigned(credentials);
  const { creds, keys: stored } = toStored(bundle);
  unread = stored[Symbol.iterator]();
  const { id, lid, name } = credentials.me;
  return {
    instanceName,
    token,
    instance,
    account: { deviceJid: id, lid: lid ?? null, name: name ?? null },
    creds,
    taken: countKeys(keys),
    warnings: warningsOf(bundle),
  };
}

/** The number of keys by type; types without keys are left out. */
function countKeys({ nctSalt, ...keys }: BundleKeys): Record<string, number> {
  const counts = Object.entries(keys).map(([type, values]) => [type, Object.keys(values).length] as const);
  return Object.fromEntries([...counts, ['nctSalt', nctSalt ? 1 : 0] as const].filter(([, count]) => count > 0));
}

function warningsOf({ createdAt, instance }: SessionBundle): string[] {
  const age = Date.now() - Date.parse(createdAt);
  const isOld = age > OLD_AGE;
  return [
    ...(isOld ? [`The bundle was made at ${createdAt}. If the session was used since then, messages are lost.`] : []),
    ...(instance.proxy ? ['The proxy was not tested.'] : []),
  ];
}

function next(): KeyBatch | null {
  const batch: StoredKey[] = [];
  while (batch.length < BATCH_SIZE) {
    const result = unread?.next();
    if (!result || result.done) break;
    batch.push(result.value);
  }
  if (batch.length > 0) return toBatch(batch);
  unread = undefined;
  return null;
}

async function write({ passphrase, ...head }: ExportRequest): Promise<Uint8Array> {
  const keys = added;
  added = [];
  const bundle = toBundle(head, keys);
  // A bundle that no program can read is noticed while its session still exists here.
  parseBundle(bundle);
  return new TextEncoder().encode(JSON.stringify(await encryptBundle(bundle, passphrase)));
}

async function handle(request: Request): Promise<unknown> {
  switch (request.type) {
    case 'begin':
      return begin();
    case 'receive':
      received.push(request.bytes);
      return null;
    case 'read':
      return read(request.formFields);
    case 'next':
      return next();
    case 'add':
      added.push(...fromBatch(request.keys));
      return null;
    case 'write':
      return write(request.head);
  }
}

function failureOf(error: unknown): Reply {
  const known = error instanceof BundleError ? toFailure(error) : error;
  if (known instanceof TransferFailure) return { failure: { code: known.code, message: known.message } };
  return { failure: { code: 'INTERNAL', message: 'Internal Server Error', trace: traceOf(error) } };
}

/** The type of the error and its stack frames. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const frames = error.stack?.split('\n').filter((line) => /^ +at /.test(line)) ?? [];
  return [error.name, ...frames].join('\n');
}

/** The memory of a reply that moves to the gateway without a copy. */
function transferOf(value: unknown): ArrayBuffer[] {
  const bytes =
    value instanceof Uint8Array ? value : value && typeof value === 'object' && 'bytes' in value && value.bytes;
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

parentPort?.on('message', (request: Request) => {
  void handle(request).then(
    (value) => parentPort?.postMessage({ value } satisfies Reply, transferOf(value)),
    (error: unknown) => {
      begin();
      parentPort?.postMessage(failureOf(error));
    },
  );
});
