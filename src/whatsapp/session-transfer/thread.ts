// The thread that reads and writes session bundles, so that this work does not block the event loop of the gateway. It
// converts one session at a time.
import { parentPort } from 'node:worker_threads';
import type { SessionBundle } from '../../session-bundle/bundle.ts';
import { BundleError } from '../../session-bundle/bundle-error.ts';
import { encryptBundle } from '../../session-bundle/envelope.ts';
import { countKeysByType } from '../../session-bundle/key-counts.ts';
import { parseBundle } from '../../session-bundle/parse.ts';
import type { StoredKey } from '../../storage/storage.ts';
import { readImportBody, TransferFailure, toFailure } from './import-body.ts';
import { toBundle, toStored } from './session-conversion.ts';
import { assertSigned } from './signatures.ts';
import {
  type ExportHead,
  fromBatch,
  type ImportBody,
  type ImportHead,
  type KeyBatch,
  type Reply,
  type Request,
  toBatch,
} from './thread-messages.ts';

/** Keys per batch. The gateway handles a batch in about 1 ms. */
const BATCH_SIZE = 250;
/** Age of a bundle above which an import warns that messages may be lost. */
const OLD_AGE_MS = 24 * 3_600_000;

/** The chunks of the body that have arrived. */
let received: Uint8Array[] = [];
/** Keys of the bundle that was read, which `next` has not returned yet. */
let unread: Iterator<StoredKey> | undefined;
/** Keys that `add` has sent for the next `write`. */
let added: StoredKey[] = [];

/** Discards the data of the last import or export. */
function discard(): null {
  received = [];
  unread = undefined;
  added = [];
  return null;
}

/** Reads the received body, and keeps the keys of its bundle for `next`. */
async function read(formFields: ImportBody['formFields']): Promise<ImportHead> {
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
    taken: countKeysByType(keys),
    warnings: warningsOf(bundle),
  };
}

function warningsOf({ createdAt, instance }: SessionBundle): string[] {
  const age = Date.now() - Date.parse(createdAt);
  const isOld = age > OLD_AGE_MS;
  return [
    ...(isOld ? [`The bundle was made at ${createdAt}. If the session was used since then, messages are lost.`] : []),
    ...(instance.proxy ? ['The proxy was not tested.'] : []),
  ];
}

/** Returns the next keys of the bundle; null when none are left. */
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

/** Builds a bundle from the added keys and encrypts it. */
async function write({ passphrase, ...head }: ExportHead): Promise<Uint8Array> {
  const keys = added;
  added = [];
  const bundle = toBundle(head, keys);
  // Check the bundle now, as an import does: after the export, the operator may delete the instance.
  assertSigned(parseBundle(bundle).credentials);
  return new TextEncoder().encode(JSON.stringify(await encryptBundle(bundle, passphrase)));
}

async function handle(request: Request): Promise<unknown> {
  switch (request.type) {
    case 'begin':
      return discard();
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

/** The reply for a failed request. Only a BundleError and a TransferFailure keep their message. */
function toFailureReply(error: unknown): Reply {
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

/** The buffers of a reply (bytes, or a KeyBatch) that postMessage() moves to the gateway without a copy. */
function transferListOf(value: unknown): ArrayBuffer[] {
  const bytes =
    value instanceof Uint8Array ? value : value && typeof value === 'object' && 'bytes' in value && value.bytes;
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

parentPort?.on('message', (request: Request) => {
  void handle(request).then(
    (value) => parentPort?.postMessage({ value } satisfies Reply, transferListOf(value)),
    (error: unknown) => {
      discard();
      parentPort?.postMessage(toFailureReply(error));
    },
  );
});
