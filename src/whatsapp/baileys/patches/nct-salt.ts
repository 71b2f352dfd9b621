// Reads the salt of first-contact tokens (WhatsApp's name: NCT salt) from history and app state. Decision D-164.
// Why: the protobuf definitions of Baileys lack the fields of the salt. Without a token, WhatsApp can refuse the first
//   message to a person with the code 463.
// Upstream: WhiskeySockets/Baileys pull request #2438 (open).
// Applies to: Baileys 7.0.0-rc14.
// Remove when: WAProto has `HistorySync.nctSalt`, and `relayMessage` adds the element `cstoken`.
import { AsyncLocalStorage } from 'node:async_hooks';
import { proto, type WASocket } from '../library.ts';
import { readBytesField } from '../protobuf-fields.ts';

/** Called with a new salt, or with null when the phone removes the salt. */
type OnSalt = (salt: Uint8Array | null) => void;

// Numbers of protobuf fields.
/** In HistorySync: the salt. */
const HISTORY_SALT = 19;
/** In SyncActionData: the SyncActionValue. */
const CHANGE_VALUE = 2;
/** In SyncActionValue: the action with the salt. */
const VALUE_SALT_ACTION = 80;
/** In this action: the salt. */
const ACTION_SALT = 1;

/** Index of the salt in the app state. */
const SALT_INDEX = '["nct_salt_sync"]';
/** Maximum length of a salt, bytes. Phones send 32. */
const MAX_SALT_LENGTH = 256;

/** The callback of the session for which the running code decodes. It gets the salts. */
const currentOnSalt = new AsyncLocalStorage<OnSalt>();
let isInstalled = false;

/**
 * Makes the protobuf decoders of Baileys report salts to the session for which they run. Applies to the whole process.
 * Idempotent.
 */
export function installNctSalt(): void {
  if (isInstalled) return;
  isInstalled = true;
  const { HistorySync, SyncActionData } = proto;
  const { decode: decodeHistory } = HistorySync;
  // A replaced decoder needs as many parameters as the original: test/whatsapp/baileys/shapes.test.ts compares them.
  HistorySync.decode = (bytes, length, error?: unknown) => {
    const history: proto.HistorySync = Reflect.apply(decodeHistory, HistorySync, [bytes, length, error]);
    const salt = bytes instanceof Uint8Array ? readBytesField(bytes, HISTORY_SALT) : undefined;
    if (isSalt(salt)) currentOnSalt.getStore()?.(salt);
    return history;
  };
  const { decode: decodeChange } = SyncActionData;
  SyncActionData.decode = (bytes, length, error?: unknown) => {
    const change: proto.SyncActionData = Reflect.apply(decodeChange, SyncActionData, [bytes, length, error]);
    if (!(bytes instanceof Uint8Array && isSaltIndex(change.index))) return change;
    const salt = saltIn(bytes);
    if (salt === null || isSalt(salt)) currentOnSalt.getStore()?.(salt);
    return change;
  };
}

const isSalt = (bytes: Uint8Array | null | undefined): bytes is Uint8Array =>
  bytes != null && bytes.length > 0 && bytes.length <= MAX_SALT_LENGTH;

const isSaltIndex = (index: Uint8Array | null | undefined): boolean =>
  index?.length === SALT_INDEX.length && Buffer.from(index).toString() === SALT_INDEX;

/**
 * Returns the salt in a change of the app state. Null when the change has no salt: the phone then removes the salt.
 * Undefined when the change is malformed.
 */
function saltIn(change: Uint8Array): Uint8Array | null | undefined {
  let content: Uint8Array | null | undefined = change;
  for (const field of [CHANGE_VALUE, VALUE_SALT_ACTION, ACTION_SALT])
    content = content && readBytesField(content, field);
  return content;
}

/** Reports the salts that this socket receives to `onSalt`. */
export function patchNctSalt(
  socket: Pick<WASocket, 'ws' | 'appPatch' | 'chatModify' | 'resyncAppState' | 'upsertMessage'>,
  onSalt: OnSalt,
): void {
  const { ws, appPatch, chatModify, resyncAppState, upsertMessage } = socket;
  const { emit } = ws;
  // All work of a socket starts with an event of its WebSocket or with a call of one of these functions.
  // A frame causes about 30 events. Only the first emit() of a frame enters the context. The others run inside it.
  ws.emit = (event: string | symbol, ...args: unknown[]) =>
    currentOnSalt.getStore() === onSalt
      ? emit.call(ws, event, ...args)
      : currentOnSalt.run(onSalt, () => emit.call(ws, event, ...args));
  socket.appPatch = (patch) => currentOnSalt.run(onSalt, () => appPatch(patch));
  socket.chatModify = (change, jid) => currentOnSalt.run(onSalt, () => chatModify(change, jid));
  socket.resyncAppState = (names, isInitial) => currentOnSalt.run(onSalt, () => resyncAppState(names, isInitial));
  socket.upsertMessage = (message, type) => currentOnSalt.run(onSalt, () => upsertMessage(message, type));
}
