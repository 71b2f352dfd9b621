// First-contact tokens (`cstoken`) and the salt of an account (`nct_salt`) from which the account's clients compute the
// tokens. A client adds such a token to a message when the recipient has not given the account a privacy token
// (`tctoken`). The protobuf definitions of Baileys lack the fields of the salt, so this file encodes them.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';

/** Protobuf tags, by name of the field: the field number, and wire type 2 (length-delimited). */
const TAGS = {
  'HistorySync.nctSalt': (19 << 3) | 2,
  'SyncActionData.value': (2 << 3) | 2,
  'SyncActionValue.nctSaltSyncAction': (80 << 3) | 2,
  'NctSaltSyncAction.salt': (1 << 3) | 2,
} as const;

/** The index of the salt in the app state (data that the devices of an account share). */
export const SALT_INDEX = ['nct_salt_sync'];

/** Returns the token that an account with this salt adds to messages to the JID `lid`. */
export const firstContactToken = (salt: Uint8Array, lid: string): Buffer =>
  createHmac('sha256', salt).update(lid).digest();

/** Encodes a history sync with the salt, if there is one. */
export function encodeHistory(history: proto.IHistorySync, salt: Uint8Array | undefined): Uint8Array {
  const writer = proto.HistorySync.encode(proto.HistorySync.fromObject(history));
  return (salt ? writer.uint32(TAGS['HistorySync.nctSalt']).bytes(salt) : writer).finish();
}

/** The encoded value that the patched encoder appends to each change; set while the work of withSaltAction() runs. */
const appendedValue = new AsyncLocalStorage<Uint8Array>();
let isInstalled = false;

/**
 * Runs `work`, which encodes a change of the app state with Baileys. The action that `work` encodes is replaced: the
 * encoded change sets the salt or, without a salt, removes the stored salt.
 */
export function withSaltAction<T>(salt: Uint8Array | undefined, work: () => Promise<T>): Promise<T> {
  if (!isInstalled) installEncoder();
  const emptyWriter = () => proto.Message.encode({});
  const action = salt ? emptyWriter().uint32(TAGS['NctSaltSyncAction.salt']).bytes(salt).finish() : Buffer.alloc(0);
  const value = emptyWriter().uint32(TAGS['SyncActionValue.nctSaltSyncAction']).bytes(action).finish();
  return appendedValue.run(value, work);
}

/**
 * Patches the encoder of Baileys: the patched encoder appends `appendedValue`, if it is set, to the encoded change. The
 * change then has two value fields. The decoder of Baileys uses the last one. (Decoders that follow the protobuf
 * specification merge both.)
 */
function installEncoder(): void {
  isInstalled = true;
  const { SyncActionData } = proto;
  const { encode } = SyncActionData;
  SyncActionData.encode = (change, writer) => {
    const encoded = encode.call(SyncActionData, change, writer);
    const value = appendedValue.getStore();
    return value ? encoded.uint32(TAGS['SyncActionData.value']).bytes(value) : encoded;
  };
}
