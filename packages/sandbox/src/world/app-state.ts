// The app state of each account (archived chats, contact names, …) as WhatsApp's server stores it. It consists of
// collections. A collection is a list of encrypted patches (changes), which all devices of the account read and append.
import { proto } from '@whiskeysockets/baileys';
import type { Account } from './model.ts';

/** The names of the collections. */
export const COLLECTIONS = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const;

/** A file with the content of a collection, which a client can download instead of all patches. */
export interface Snapshot {
  /** Version of the collection that the file contains. */
  version: number;
  /** The encoded ExternalBlobReference: where the file is, and its keys. */
  reference: Uint8Array;
}

type Listener = (account: Account, collection: string) => void;

export class AppStatePatches {
  readonly #listeners: Listener[] = [];
  /** Encoded patches, by account and name of the collection. */
  readonly #patches = new WeakMap<Account, Map<string, Uint8Array[]>>();
  /** The newest snapshots, by account and name of the collection. */
  readonly #snapshots = new WeakMap<Account, Map<string, Snapshot>>();

  /** The patches (encoded SyncdPatch messages), oldest first. Their number is the version of the collection. */
  list(account: Account, collection: string): readonly Uint8Array[] {
    return this.#patchesOf(account, collection);
  }

  /**
   * Appends a patch, calls the listeners of onAppend(), and returns the new version of the collection. The caller
   * notifies the other devices of the account.
   */
  append(account: Account, collection: string, patch: proto.ISyncdPatch): number {
    const patches = this.#patchesOf(account, collection);
    const version = patches.length + 1;
    patches.push(proto.SyncdPatch.encode({ ...patch, version: { version } }).finish());
    for (const listener of this.#listeners) listener(account, collection);
    return version;
  }

  /** The newest snapshot of the collection, if there is one. */
  snapshot(account: Account, collection: string): Snapshot | undefined {
    return this.#snapshots.get(account)?.get(collection);
  }

  setSnapshot(account: Account, collection: string, snapshot: Snapshot): void {
    const snapshots = this.#snapshots.get(account) ?? new Map<string, Snapshot>();
    this.#snapshots.set(account, snapshots.set(collection, snapshot));
  }

  /** Calls `fn` after every patch that any device appends. */
  onAppend(fn: Listener): void {
    this.#listeners.push(fn);
  }

  #patchesOf(account: Account, collection: string): Uint8Array[] {
    const collections = this.#patches.get(account) ?? new Map<string, Uint8Array[]>();
    this.#patches.set(account, collections);
    const patches = collections.get(collection) ?? [];
    collections.set(collection, patches);
    return patches;
  }
}
