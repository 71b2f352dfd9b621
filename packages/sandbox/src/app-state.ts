// The phone's side of app state (archived chats, pins, contact names, labels): writes encrypted patches, and reads and
// verifies those of companions. The server (stanzas/appstate.ts) only stores them.
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
import { KeyedQueue } from './lib/keyed-queue.ts';
import type { Account, World } from './model.ts';
import { element } from './node.ts';
import type { AppState } from './stanzas/appstate.ts';
import { deliverNotification, pnJid } from './world.ts';

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;
const COLLECTIONS = ['critical_block', 'critical_unblock_low', 'regular_high', 'regular_low', 'regular'] as const;

/** Where devices look for an action; they ignore one that lies elsewhere, such as the stars that Baileys writes. */
const REQUIRED_COLLECTIONS: Readonly<Record<string, WAPatchName>> = {
  star: 'regular_high',
  mute: 'regular_high',
  pin_v1: 'regular_low',
  archive: 'regular_low',
};

export interface SyncedEntry {
  collection: WAPatchName;
  /** What it is about, such as `["archive", "<jid>"]`. */
  index: string[];
  value: proto.ISyncActionValue;
}

interface Collection {
  state: LTHashState;
  /** Patches read so far. */
  appliedPatches: number;
  /** By index. */
  entries: Map<string, SyncedEntry>;
}

type Key = proto.Message.IAppStateSyncKey & {
  keyId: { keyId: Uint8Array };
  keyData: proto.Message.IAppStateSyncKeyData;
};

export class PhoneAppState {
  readonly #world: World;
  readonly #appState: AppState;
  readonly #queue = new KeyedQueue();
  readonly #keys = new WeakMap<Account, Key>();
  readonly #collections = new WeakMap<Account, Map<string, Collection>>();
  readonly #watching = new WeakMap<Account, Set<() => void>>();

  constructor(world: World, appState: AppState) {
    this.#world = world;
    this.#appState = appState;
    appState.onAppend((account, collection) => {
      // A client renames its owner in this collection; the platform shows the new name at once.
      if (collection === 'critical_block') void this.read(account).catch(() => undefined);
      for (const look of this.#watching.get(account) ?? []) look();
    });
  }

  /** The account's key: one, so that every companion reads the same. */
  syncKey(account: Account): Key {
    const existing = this.#keys.get(account);
    if (existing) return existing;
    const fingerprint = { rawId: account.registrationId, currentIndex: 0, deviceIndexes: [0] };
    const keyData = { keyData: randomBytes(32), fingerprint, timestamp: this.#world.now() * 1000 };
    const created = { keyId: { keyId: randomBytes(6) }, keyData };
    this.#keys.set(account, created);
    return created;
  }

  /**
   * The phone changes something about the chat `jid` (or about itself: the JID is then ignored), and the companions
   * hear of it.
   */
  change(account: Account, change: ChatModification | WAPatchCreate, jid = pnJid(account)): Promise<void> {
    return this.#queue.run(account.number, async () => {
      const patch =
        'syncAction' in change ? withTimestamp(change, this.#world.now()) : chatModificationToAppPatch(change, jid);
      // Baileys writes the removal of a contact as one, and everything else as it stands.
      const { state } = await this.#catchUp(account, patch.type);
      const written = { ...patch, operation: patch.operation ?? SET };
      const encoded = await encodeSyncdPatch(written, keyId(this.syncKey(account)), state, this.#keysOf(account));
      const changed = this.#appState.append(account, patch.type, proto.SyncdPatch.encode(encoded.patch).finish());
      await this.#catchUp(account, patch.type);
      for (const companion of account.companions.values()) {
        deliverNotification(this.#world, companion, pnJid(account), 'server_sync', [element('collection', changed)]);
      }
    });
  }

  /**
   * Everything that the devices of the account have set. Rejects with Error when a patch is not what it claims to be.
   */
  read(account: Account): Promise<SyncedEntry[]> {
    return this.#queue.run(account.number, async () => {
      const entries: SyncedEntry[] = [];
      for (const name of COLLECTIONS) entries.push(...(await this.#catchUp(account, name)).entries.values());
      return entries;
    });
  }

  /** Resolves with the first entry that `matches`, now or after a change by whatever device. */
  waitFor(account: Account, matches: (entry: SyncedEntry) => boolean): Promise<SyncedEntry> {
    return new Promise((resolve, reject) => {
      const watching = this.#watching.get(account) ?? new Set();
      this.#watching.set(account, watching);
      const look = () => {
        this.read(account).then((entries) => {
          const found = entries.find(matches);
          if (!found) return;
          watching.delete(look);
          resolve(found);
        }, reject);
      };
      watching.add(look);
      look();
    });
  }

  async #catchUp(account: Account, name: WAPatchName): Promise<Collection> {
    const collections = this.#collections.get(account) ?? new Map<string, Collection>();
    this.#collections.set(account, collections);
    const existing = collections.get(name) ?? { state: newLTHashState(), appliedPatches: 0, entries: new Map() };
    collections.set(name, existing);
    const patches = this.#appState.patches(account, name);
    while (existing.appliedPatches < patches.length) {
      const patch = proto.SyncdPatch.decode(patches[existing.appliedPatches] ?? new Uint8Array());
      existing.appliedPatches += 1;
      await this.#apply(account, name, existing, patch);
    }
    return existing;
  }

  async #apply(account: Account, name: WAPatchName, existing: Collection, patch: proto.SyncdPatch): Promise<void> {
    const removes = patch.mutations.every(({ operation }) => operation === REMOVE);
    const count = patch.mutations.length;
    const complaints: string[] = [];
    const log = createErrorCollector(complaints);
    const keys = this.#keysOf(account);
    const { state, mutationMap } = await decodePatches(name, [patch], existing.state, keys, {}, undefined, log, true);
    const mutations = Object.values(mutationMap);
    if (complaints[0]) throw new Error(`${name}: ${complaints[0]}`);
    if (mutations.length < count) throw new Error(`${name}: a mutation cannot be read`);
    existing.state = state;
    for (const { index, syncAction } of mutations) {
      if ((REQUIRED_COLLECTIONS[index[0] ?? ''] ?? name) !== name) continue;
      const value = syncAction.value ?? {};
      if (removes) existing.entries.delete(String(index));
      else existing.entries.set(String(index), { collection: name, index, value });
      if (value.pushNameSetting?.name) account.name = value.pushNameSetting.name;
    }
  }

  #keysOf(account: Account) {
    const key = this.syncKey(account);
    return async (id: string) => (id === keyId(key) ? key.keyData : undefined);
  }
}

/** `now` is seconds since the epoch. */
const withTimestamp = (patch: WAPatchCreate, now: number): WAPatchCreate => ({
  ...patch,
  syncAction: { ...patch.syncAction, timestamp: now * 1000 },
});

/** A star on a message, or none; `key` as the chat names it. */
export function createStarPatch(key: proto.IMessageKey, starred: boolean): WAPatchCreate {
  const { remoteJid, id, fromMe, participant } = key;
  return {
    type: 'regular_high',
    index: ['star', remoteJid ?? '', id ?? '', fromMe ? '1' : '0', (!fromMe && participant) || '0'],
    syncAction: { starAction: { starred } },
    apiVersion: 2,
    operation: SET,
  };
}

const keyId = ({ keyId: { keyId } }: Key) => Buffer.from(keyId).toString('base64');

/** Baileys says only in its log that a MAC is wrong, and goes on. */
function createErrorCollector(complaints: string[]): NonNullable<Parameters<typeof decodePatches>[6]> {
  const ignore = () => undefined;
  const complain = (_fields: unknown, message = 'not readable') => void complaints.push(message);
  const log = { level: 'warn', trace: ignore, debug: ignore, info: ignore, warn: complain, error: complain };
  return { ...log, child: () => createErrorCollector(complaints) };
}
