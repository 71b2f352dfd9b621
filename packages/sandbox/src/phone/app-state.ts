// Writes and reads the app state (archived chats, pins, contact names, labels) as the phone of an account. The app
// state consists of collections of values. A patch is an encrypted change of a collection and consists of mutations,
// which set or remove one value each. The server (stanzas/app-state.ts) only stores patches.
import { randomBytes } from 'node:crypto';
import {
  type ChatModification,
  chatModificationToAppPatch,
  decodePatches,
  encodeSyncdPatch,
  type LTHashState,
  newLTHashState,
  proto,
  type WAPatchCreate,
  type WAPatchName,
} from '@whiskeysockets/baileys';
import { SALT_INDEX, withSaltAction } from '../crypto/first-contact.ts';
import { decryptFile } from '../crypto/media-cipher.ts';
import { element } from '../lib/binary-node.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import type { MediaHost } from '../media/media-host.ts';
import { type AppStatePatches, COLLECTIONS } from '../world/app-state.ts';
import type { Account, World } from '../world/model.ts';
import { isAccountName, notifyCompanions, pnJid } from '../world/world.ts';

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;

/**
 * The collection in which devices look for an action (a kind of value, such as a star), by name of the action. Devices
 * ignore the action in another collection. Baileys writes stars to a wrong collection (see createStarPatch).
 */
const REQUIRED_COLLECTIONS: ReadonlyMap<string | undefined, WAPatchName> = new Map([
  ['star', 'regular_high'],
  ['mute', 'regular_high'],
  ['pin_v1', 'regular_low'],
  ['archive', 'regular_low'],
]);

/** The collection that contains the account's name. */
const NAME_COLLECTION = 'critical_block';

/** A value in the app state. */
export interface SyncedEntry {
  collection: WAPatchName;
  /** Action and its target, such as `["archive", "<jid>"]`. */
  index: string[];
  value: proto.ISyncActionValue;
}

/** The content of one account's collection after the patches that are applied so far. */
interface Collection {
  /** Version and hash after the last patch, with which Baileys encodes and verifies the next one. */
  state: LTHashState;
  /** Number of patches that are applied to `state` and `entries`. */
  appliedPatches: number;
  /** By index, converted to text. */
  entries: Map<string, SyncedEntry>;
}

type SyncKey = proto.Message.IAppStateSyncKey & {
  keyId: { keyId: Uint8Array };
  keyData: proto.Message.IAppStateSyncKeyData;
};

export class PhoneAppState {
  readonly #world: World;
  readonly #patches: AppStatePatches;
  readonly #mediaHost: Pick<MediaHost, 'read'>;
  readonly #queue = new KeyedQueue();
  readonly #keys = new WeakMap<Account, SyncKey>();
  readonly #collections = new WeakMap<Account, Map<string, Collection>>();
  /** The checks of the calls of waitFor() that have not found an entry yet. */
  readonly #waiters = new WeakMap<Account, Set<() => void>>();

  /** A patch can have its mutations in a file on `mediaHost`. */
  constructor(world: World, patches: AppStatePatches, mediaHost: Pick<MediaHost, 'read'>) {
    this.#world = world;
    this.#patches = patches;
    this.#mediaHost = mediaHost;
    patches.onAppend((account, collection) => {
      // read() applies the new patch, which updates the name of the account.
      if (collection === NAME_COLLECTION) void this.read(account).catch(() => undefined);
      for (const check of this.#waiters.get(account) ?? []) check();
    });
  }

  /** The key that encrypts the account's app state. All devices of the account have this key. */
  syncKey(account: Account): SyncKey {
    const existing = this.#keys.get(account);
    if (existing) return existing;
    const fingerprint = { rawId: account.registrationId, currentIndex: 0, deviceIndexes: [0] };
    const keyData = { keyData: randomBytes(32), fingerprint, timestamp: this.#world.now() * 1000 };
    const created = { keyId: { keyId: randomBytes(6) }, keyData };
    this.#keys.set(account, created);
    return created;
  }

  /**
   * Writes a change by the phone and notifies the companions (linked devices). `jid` is the chat; changes that are not
   * about a chat ignore it.
   */
  change(account: Account, change: ChatModification | WAPatchCreate, jid = pnJid(account)): Promise<void> {
    return this.#queue.run(account.number, async () => {
      const patch =
        'syncAction' in change ? withTimestamp(change, this.#world.now()) : chatModificationToAppPatch(change, jid);
      const { state } = await this.#applyNewPatches(account, patch.type);
      const keyId = encodedKeyId(this.syncKey(account));
      const patchWithOperation = { ...patch, operation: patch.operation ?? SET };
      const encoded = await encodeSyncdPatch(patchWithOperation, keyId, state, this.#keyLookupOf(account));
      const version = this.#patches.append(account, patch.type, encoded.patch);
      const changed = element('collection', { name: patch.type, version: String(version) });
      await this.#applyNewPatches(account, patch.type);
      notifyCompanions(this.#world, account, 'server_sync', [changed]);
    });
  }

  /**
   * Writes the account's name, unless a device of the account has written one. Rejects with Error when a patch of the
   * collection is invalid.
   */
  async ensureName(account: Account): Promise<void> {
    const { entries } = await this.#queue.run(account.number, () => this.#applyNewPatches(account, NAME_COLLECTION));
    const hasName = [...entries.values()].some(({ value }) => value.pushNameSetting);
    if (!hasName) await this.change(account, { pushNameSetting: account.name });
  }

  /** Sets or removes the salt from which the account's clients compute first-contact tokens, and notifies them. */
  async setNctSalt(account: Account, salt: Buffer | undefined): Promise<void> {
    account.nctSalt = salt;
    const change: WAPatchCreate = {
      type: 'regular_high',
      index: SALT_INDEX,
      syncAction: {},
      apiVersion: 1,
      operation: SET,
    };
    // `syncAction` is empty, because Baileys cannot encode the salt: withSaltAction() adds it.
    await withSaltAction(salt, () => this.change(account, change));
  }

  /** Returns all values that the devices of the account have set. Rejects with Error when a patch is invalid. */
  read(account: Account): Promise<SyncedEntry[]> {
    return this.#queue.run(account.number, async () => {
      const entries: SyncedEntry[] = [];
      for (const name of COLLECTIONS) entries.push(...(await this.#applyNewPatches(account, name)).entries.values());
      return entries;
    });
  }

  /**
   * Resolves with the first entry that `matches`, now or after a change by any device. Has no timeout. Rejects with
   * Error when a patch is invalid.
   */
  waitFor(account: Account, matches: (entry: SyncedEntry) => boolean): Promise<SyncedEntry> {
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(account) ?? new Set();
      this.#waiters.set(account, waiters);
      const check = () => {
        this.read(account).then((entries) => {
          const found = entries.find(matches);
          if (!found) return;
          waiters.delete(check);
          resolve(found);
        }, reject);
      };
      waiters.add(check);
      check();
    });
  }

  /** Applies the patches that were appended since the last call, and returns the collection. */
  async #applyNewPatches(account: Account, name: WAPatchName): Promise<Collection> {
    const collections = this.#collections.get(account) ?? new Map<string, Collection>();
    this.#collections.set(account, collections);
    const collection = collections.get(name) ?? { state: newLTHashState(), appliedPatches: 0, entries: new Map() };
    collections.set(name, collection);
    const patches = this.#patches.list(account, name);
    while (collection.appliedPatches < patches.length) {
      const patch = proto.SyncdPatch.decode(patches[collection.appliedPatches] ?? new Uint8Array());
      collection.appliedPatches += 1;
      await this.#apply(account, name, collection, patch);
    }
    return collection;
  }

  /** Applies one patch. Rejects with Error when Baileys cannot verify or decrypt it. */
  async #apply(account: Account, name: WAPatchName, collection: Collection, patch: proto.SyncdPatch): Promise<void> {
    const complete = this.#withExternalMutations(patch);
    // Baileys does not return the operations of the mutations. So all mutations of a patch count as removals when the
    // patch sets no value, and otherwise as values that are set.
    const isRemoval = complete.mutations.every(({ operation }) => operation === REMOVE);
    const mutationCount = complete.mutations.length;
    const errors: string[] = [];
    const log = createErrorCollector(errors);
    const keyLookup = this.#keyLookupOf(account);
    const { state: previous } = collection;
    // The last arguments: options of downloads, minimum version, logger, and that MACs are verified.
    const { state, mutationMap } = await decodePatches(name, [complete], previous, keyLookup, {}, undefined, log, true);
    const mutations = Object.values(mutationMap);
    if (errors[0]) throw new Error(`${name}: ${errors[0]}`);
    if (mutations.length < mutationCount) throw new Error(`${name}: a mutation cannot be read`);
    collection.state = state;
    for (const { index, syncAction } of mutations) {
      const requiredCollection = REQUIRED_COLLECTIONS.get(index[0]);
      if (requiredCollection && requiredCollection !== name) continue;
      const value = syncAction.value ?? {};
      if (isRemoval) collection.entries.delete(String(index));
      else collection.entries.set(String(index), { collection: name, index, value });
      const accountName = value.pushNameSetting?.name;
      if (isAccountName(accountName)) account.name = accountName;
    }
  }

  /**
   * Adds the mutations that a patch has in an external file, if there is one. Baileys would download the file from the
   * real WhatsApp, or from any host that the path names. Throws Error when the media host does not have the file, or
   * when the file cannot be decrypted.
   */
  #withExternalMutations(patch: proto.SyncdPatch): proto.SyncdPatch {
    const { externalMutations: file, mutations } = patch;
    if (!file) return patch;
    const body = this.#mediaHost.read(file.directPath ?? '');
    const { mediaKey, fileSha256, fileEncSha256 } = file;
    if (!body || !mediaKey || !fileSha256 || !fileEncSha256)
      throw new Error('the media host has no file with these changes');
    const bytes = decryptFile(body, { mediaKey, fileSha256, fileEncSha256 }, 'md-app-state');
    const external = proto.SyncdMutations.decode(bytes).mutations;
    return proto.SyncdPatch.create({ ...patch, mutations: [...mutations, ...external], externalMutations: null });
  }

  /** The function with which Baileys looks up a key by its id. */
  #keyLookupOf(account: Account) {
    const key = this.syncKey(account);
    return async (id: string) => (id === encodedKeyId(key) ? key.keyData : undefined);
  }
}

/** Adds the time of the change; `now` is in epoch seconds. */
const withTimestamp = (patch: WAPatchCreate, now: number): WAPatchCreate => ({
  ...patch,
  syncAction: { ...patch.syncAction, timestamp: now * 1000 },
});

/** The patch that stars a message or removes its star, in the collection that devices read. */
export function createStarPatch(key: proto.IMessageKey, starred: boolean): WAPatchCreate {
  const { remoteJid, id, fromMe, participant } = key;
  // The author of another member's message in a group; `0` stands for own messages and for direct chats.
  const author = (!fromMe && participant) || '0';
  return {
    type: 'regular_high',
    index: ['star', remoteJid ?? '', id ?? '', fromMe ? '1' : '0', author],
    syncAction: { starAction: { starred } },
    apiVersion: 2,
    operation: SET,
  };
}

const encodedKeyId = ({ keyId: { keyId } }: SyncKey) => Buffer.from(keyId).toString('base64');

/** A logger that collects warnings and errors: decodePatches() of Baileys reports a wrong MAC only in its log. */
function createErrorCollector(errors: string[]): NonNullable<Parameters<typeof decodePatches>[6]> {
  const ignore = () => undefined;
  const collect = (_fields: unknown, message = 'not readable') => void errors.push(message);
  const log = { level: 'warn', trace: ignore, debug: ignore, info: ignore, warn: collect, error: collect };
  return { ...log, child: () => createErrorCollector(errors) };
}
