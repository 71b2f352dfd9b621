// Wraps the store of Signal keys to replace the account's sender key of a group after a member has left. Baileys never
// replaces a sender key, so a former member could decrypt later messages. The wrapper also caches Baileys' lists
// of the devices that have the sender key (key type `sender-key-memory`), which Baileys reads and writes with every
// message to a group. Decision D-071.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import { jidDecode, jidNormalizedUser, type SignalDataSet, type SignalKeyStore } from '../library.ts';

/** The devices that have the account's sender key of a group. The value of each device is true. */
type DeviceList = Record<string, boolean>;
type Keys = Pick<SignalKeyStore, 'get' | 'set'>;

export interface Membership {
  /**
   * Returns all known addresses (phone numbers and LIDs) of all members of a group: the same object while the group
   * does not change, undefined when the group cannot be fetched.
   */
  members: (group: string) => Promise<ReadonlySet<string> | undefined>;
  /** Returns the account's own addresses, with the device part. */
  ownJids: () => readonly (string | undefined)[];
}

export interface SenderKeyMemory extends Keys {
  /**
   * Returns the devices that have the sender key of a group: the same object while they do not change. The caller must
   * not change this object. Undefined when the group needs a new sender key or cannot be fetched.
   */
  devicesOf(group: string): Promise<Readonly<DeviceList> | undefined>;
}

const LIST_TYPE = 'sender-key-memory';
/** Maximum number of cached lists per session. The least recently written lists are evicted. */
const MAX_GROUPS = 32;
/**
 * Maximum number of groups per session that need a new sender key. Baileys sends one message at a time, and each send
 * starts with read(), so an evicted group belongs to an earlier send that failed. The next send to the group marks it
 * as outdated again.
 */
const MAX_OUTDATED_GROUPS = 32;
/**
 * Maximum number of groups per session with accepted devices (see #accepted). An evicted group gets one more new sender
 * key with its next message.
 */
const MAX_ACCEPTED_GROUPS = 256;

/**
 * Returns a wrapper of `keys` that caches device lists, and drops writes that do not change a list. If the list of a
 * group contains a device of a former member, the wrapper hides the list and the account's sender key of the group.
 * Baileys then creates a new sender key and sends it to all members, as WhatsApp's own clients do. The wrapper also
 * hides the sender key of a group without a list, because a former member could have this key: an imported session has
 * sender keys and no lists.
 */
export function withSenderKeyMemory(keys: Keys, membership: Membership): SenderKeyMemory {
  const keyDevices = new SenderKeyDevices(keys, membership);
  return {
    get(type, ids) {
      // The cast is needed because the type of the result depends on the value of `type`.
      if (type === LIST_TYPE) return keyDevices.read(ids) as ReturnType<typeof keys.get<typeof type>>;
      if (type !== 'sender-key') return keys.get(type, ids);
      return keys.get(
        type,
        ids.filter((id) => !keyDevices.isOutdatedKey(id)),
      );
    },
    async set(data) {
      const changed = keyDevices.recordWrites(data);
      if (Object.keys(changed).length > 0) await keys.set(changed);
    },
    devicesOf: (group) => keyDevices.devicesOf(group),
  };
}

/** The cached device lists, and the groups whose sender key is outdated. */
class SenderKeyDevices {
  readonly #keys: Keys;
  readonly #membership: Membership;
  readonly #cached = new BoundedMap<string, DeviceList>(MAX_GROUPS);
  /** Lists that contain only members, each with the members that the list was compared with. */
  readonly #checked = new WeakMap<DeviceList, ReadonlySet<string>>();
  /** Groups that need a new sender key, each with its members. The members are undefined if they cannot be fetched. */
  readonly #outdatedGroups = new BoundedMap<string, ReadonlySet<string> | undefined>(MAX_OUTDATED_GROUPS);
  /**
   * The devices in the list of a new sender key whose address is none of the known addresses of the members. Baileys
   * can add a member's device under another address. Such devices are accepted until one of `members`, the members at
   * the time of the new key, has left. Groups without such devices have no entry.
   */
  readonly #accepted = new BoundedMap<string, { devices: ReadonlySet<string>; members: ReadonlySet<string> }>(
    MAX_ACCEPTED_GROUPS,
  );
  /** Number of writes of lists. */
  #writeCount = 0;

  constructor(keys: Keys, membership: Membership) {
    this.#keys = keys;
    this.#membership = membership;
  }

  /** Returns the usable lists by group (see #getUsableList). Marks the groups without a usable list as outdated. */
  async read(groups: readonly string[]): Promise<Record<string, DeviceList>> {
    const found: Record<string, DeviceList> = {};
    for (const group of groups) {
      const members = await this.#membership.members(group);
      const list = await this.#getUsableList(group, members);
      if (list) found[group] = { ...list };
      else this.#markOutdated(group, members);
    }
    return found;
  }

  /** See SenderKeyMemory. */
  async devicesOf(group: string): Promise<DeviceList | undefined> {
    const members = await this.#membership.members(group);
    return members && this.#getUsableList(group, members);
  }

  /** True when `id` is the id of the account's sender key in a group that needs a new sender key. */
  isOutdatedKey(id: string): boolean {
    // Usually no group is outdated, and `id` need not be parsed.
    const group = this.#outdatedGroups.size > 0 ? groupOf(id) : '';
    return this.#outdatedGroups.has(group) && this.#isOwn(group, id);
  }

  /** Updates the cached lists from `data`. Returns `data` without the lists that do not change. */
  recordWrites(data: SignalDataSet): SignalDataSet {
    const { [LIST_TYPE]: lists, ...rest } = data;
    // The list of an outdated group belongs to a new sender key, even if it has the same devices as the cached list.
    const changed = Object.entries(lists ?? {}).filter(
      ([group, list]) => this.#outdatedGroups.has(group) || !isSame(this.#cached.get(group), list),
    );
    for (const [group, list] of changed) {
      this.#writeCount += 1;
      const members = this.#outdatedGroups.get(group);
      if (members && list) this.#acceptUnmatched(group, list, members);
      this.#cache(group, list);
    }
    for (const id of Object.keys(data['sender-key'] ?? {})) {
      // The written key is the new sender key that the group needs.
      if (this.isOutdatedKey(id)) this.#outdatedGroups.delete(groupOf(id));
    }
    return changed.length > 0 ? { ...rest, [LIST_TYPE]: Object.fromEntries(changed) } : rest;
  }

  /**
   * Returns the list of a group. Undefined when the list contains a device of a former member, and while an outdated
   * group waits for its new sender key, which must reach all devices. Without `members` the list is not checked.
   */
  async #getUsableList(group: string, members: ReadonlySet<string> | undefined): Promise<DeviceList | undefined> {
    const list = await this.#getList(group);
    if (!list || this.#outdatedGroups.has(group)) return undefined;
    return !members || this.#hasOnlyMembers(group, list, members) ? list : undefined;
  }

  async #getList(group: string): Promise<DeviceList | undefined> {
    const cached = this.#cached.get(group);
    if (cached) return cached;
    const writeCount = this.#writeCount;
    const { [group]: stored } = await this.#keys.get(LIST_TYPE, [group]);
    // The result is outdated when a list was written during the read.
    if (writeCount === this.#writeCount) this.#cache(group, stored);
    return this.#cached.get(group) ?? stored;
  }

  #cache(group: string, list: DeviceList | null | undefined): void {
    this.#cached.delete(group);
    // The list is copied here and in read(), because Baileys adds devices to its list before they have the key.
    if (list) this.#cached.set(group, { ...list });
  }

  /** True when every device in the list belongs to a member or to the account, or is accepted (see #accepted). */
  #hasOnlyMembers(group: string, list: DeviceList, members: ReadonlySet<string>): boolean {
    if (this.#checked.get(list) === members) return true;
    const accepted = this.#accepted.get(group);
    const haveAllStayed = accepted !== undefined && [...accepted.members].every((member) => members.has(member));
    const unmatched = this.#unmatchedDevicesIn(list, members);
    const hasOnlyMembers = unmatched.every((device) => haveAllStayed && accepted.devices.has(device));
    if (hasOnlyMembers) this.#checked.set(list, members);
    return hasOnlyMembers;
  }

  /** Returns the devices in `list` whose address is neither in `members` nor an address of the account. */
  #unmatchedDevicesIn(list: DeviceList, members: ReadonlySet<string>): string[] {
    const own = new Set(this.#membership.ownJids().map((jid) => jidNormalizedUser(jid ?? '')));
    return Object.keys(list).filter((device) => {
      const jid = jidNormalizedUser(device);
      return !members.has(jid) && !own.has(jid);
    });
  }

  /** Accepts the devices in the list of a new sender key whose address is not in `members`. */
  #acceptUnmatched(group: string, list: DeviceList, members: ReadonlySet<string>): void {
    const unmatched = this.#unmatchedDevicesIn(list, members);
    this.#accepted.delete(group);
    if (unmatched.length > 0) this.#accepted.set(group, { devices: new Set(unmatched), members });
  }

  #markOutdated(group: string, members: ReadonlySet<string> | undefined): void {
    // BoundedMap evicts its oldest entry. Only an entry that is deleted and set again becomes the newest.
    this.#outdatedGroups.delete(group);
    this.#outdatedGroups.set(group, members);
  }

  /** True for the id of a sender key of the account itself. */
  #isOwn(group: string, id: string): boolean {
    return this.#membership.ownJids().some((jid) => {
      return jid !== undefined && id === senderKeyIdOf(group, jid);
    });
  }
}

/**
 * Returns the id of the sender key that a device has for a group: `<group>::<user>[_<domain type>]::<device>`. The
 * domain type is Baileys' number for the server of the JID: 1 for a LID, 0 (left out) for a phone number. Undefined
 * when `jid` is no address of a device.
 */
export function senderKeyIdOf(group: string, jid: string): string | undefined {
  const { user, device = 0, domainType = 0 } = jidDecode(jid) ?? {};
  return user ? `${group}::${domainType ? `${user}_${domainType}` : user}::${device}` : undefined;
}

const groupOf = (id: string): string => id.slice(0, id.indexOf('::'));

function isSame(cached: DeviceList | undefined, list: DeviceList | null | undefined): boolean {
  if (!cached || !list) return false;
  const devices = Object.keys(list);
  return devices.length === Object.keys(cached).length && devices.every((device) => cached[device] === list[device]);
}
