// The devices that have the account's sender key, by group (Baileys' key type `sender-key-memory`). Keeps the lists in
// memory, and replaces the sender key of a group after a member has left. Baileys reads and writes the list with every
// message to a group, and never replaces a sender key, so that a member who left could decrypt later messages. This
// file keeps no state that the store does not have.
import { jidDecode, jidNormalizedUser, type SignalDataSet, type SignalKeyStore } from '@whiskeysockets/baileys';

/** Devices that have the sender key: the value is true for each. */
type DeviceList = Record<string, boolean>;
type Keys = Pick<SignalKeyStore, 'get' | 'set'>;

export interface Membership {
  /**
   * All known addresses of all members. Returns the same object while the group does not change; undefined when the
   * group is unknown.
   */
  members: (group: string) => Promise<ReadonlySet<string> | undefined>;
  /** The account's own addresses with the device part. */
  ownJids: () => readonly (string | undefined)[];
}

const LIST_TYPE = 'sender-key-memory';
/** Maximum number of groups per socket; the least recently written are evicted. */
const MAX_GROUPS = 32;

/**
 * Returns `keys` with cached device lists. It drops writes that do not change a list. A group whose list contains a
 * device of a former member, or that has no list, is reported to have neither a list nor an own sender key. Baileys
 * then creates a new key and sends it to all members, as WhatsApp's own clients do. A list is absent after a retry,
 * because Baileys removes it.
 */
export function withSenderKeyMemory(keys: Keys, membership: Membership): Keys {
  const lists = new DeviceLists(keys, membership);
  return {
    // The type of the result depends on `type`: device lists here, other keys below.
    get: (type, ids) =>
      type === LIST_TYPE
        ? (lists.read(ids) as ReturnType<typeof keys.get<typeof type>>)
        : keys.get(type, type === 'sender-key' ? ids.filter((id) => !lists.isOutdatedKey(id)) : ids),
    async set(data) {
      const changed = lists.filterWrites(data);
      if (Object.keys(changed).length > 0) await keys.set(changed);
    },
  };
}

class DeviceLists {
  readonly #keys: Keys;
  readonly #membership: Membership;
  readonly #cached = new Map<string, DeviceList>();
  /** Lists that contain only members, and the members that they were compared with. */
  readonly #checked = new WeakMap<DeviceList, ReadonlySet<string>>();
  /** Groups that need a new sender key, and their members. */
  readonly #outdatedGroups = new Map<string, ReadonlySet<string>>();
  /**
   * The list that Baileys made for a new key, and the members at that time, by group. The list can contain addresses in
   * a form that `members` does not have. They belong to members as long as none of these members has left.
   */
  readonly #created = new Map<string, { list: DeviceList; members: ReadonlySet<string> }>();
  #writeCount = 0;

  constructor(keys: Keys, membership: Membership) {
    this.#keys = keys;
    this.#membership = membership;
  }

  async read(groups: readonly string[]): Promise<Record<string, DeviceList>> {
    const found: Record<string, DeviceList> = {};
    for (const group of groups) {
      const list = await this.#getList(group);
      const members = await this.#membership.members(group);
      if (list && (!members || this.#hasOnlyMembers(group, list, members))) found[group] = { ...list };
      else this.#outdatedGroups.set(group, members ?? new Set());
    }
    return found;
  }

  /** True when `id` is the own sender key of a group that needs a new one. */
  isOutdatedKey(id: string): boolean {
    const group = this.#outdatedGroups.size > 0 ? groupOf(id) : '';
    return this.#outdatedGroups.has(group) && this.#isOwn(group, id);
  }

  /** Returns the part of `data` that has to be written. */
  filterWrites(data: SignalDataSet): SignalDataSet {
    const { [LIST_TYPE]: lists, ...others } = data;
    const changed = Object.entries(lists ?? {}).filter(
      ([group, list]) => this.#outdatedGroups.has(group) || !isSame(this.#cached.get(group), list),
    );
    for (const [group, list] of changed) {
      this.#writeCount += 1;
      const members = this.#outdatedGroups.get(group);
      if (members && list) this.#created.set(group, { list: { ...list }, members });
      this.#cache(group, list);
    }
    for (const id of Object.keys(data['sender-key'] ?? {}))
      if (this.isOutdatedKey(id)) this.#outdatedGroups.delete(groupOf(id));
    return changed.length > 0 ? { ...others, [LIST_TYPE]: Object.fromEntries(changed) } : others;
  }

  async #getList(group: string): Promise<DeviceList | undefined> {
    const cached = this.#cached.get(group);
    if (cached) return cached;
    const count = this.#writeCount;
    const { [group]: stored } = await this.#keys.get(LIST_TYPE, [group]);
    if (count === this.#writeCount) this.#cache(group, stored);
    return this.#cached.get(group) ?? stored;
  }

  #cache(group: string, list: DeviceList | null | undefined): void {
    this.#cached.delete(group);
    // Copied here and in read(): Baileys adds devices to the list before it has sent them the key.
    if (list) this.#cached.set(group, { ...list });
    const [oldest] = this.#cached.size > MAX_GROUPS ? this.#cached.keys() : [];
    if (oldest !== undefined) this.#cached.delete(oldest);
  }

  #hasOnlyMembers(group: string, list: DeviceList, members: ReadonlySet<string>): boolean {
    if (this.#checked.get(list) === members) return true;
    const own = new Set(this.#membership.ownJids().map((jid) => jidNormalizedUser(jid ?? '')));
    const created = this.#created.get(group);
    const isComplete = created && [...created.members].every((member) => members.has(member));
    const accepted = isComplete ? created.list : {};
    const hasOnlyMembers = Object.keys(list).every((device) => {
      const jid = jidNormalizedUser(device);
      return members.has(jid) || own.has(jid) || Object.hasOwn(accepted, device);
    });
    if (hasOnlyMembers) this.#checked.set(list, members);
    return hasOnlyMembers;
  }

  /** The id of an own sender key is `<group>::<user>[_<domain type>]::<device>`. */
  #isOwn(group: string, id: string): boolean {
    return this.#membership.ownJids().some((jid) => {
      const { user, device = 0, domainType = 0 } = (jid && jidDecode(jid)) || {};
      return user !== undefined && id === `${group}::${domainType ? `${user}_${domainType}` : user}::${device}`;
    });
  }
}

const groupOf = (id: string): string => id.slice(0, id.indexOf('::'));

function isSame(cached: DeviceList | undefined, list: DeviceList | null | undefined): boolean {
  if (!cached || !list) return false;
  const devices = Object.keys(list);
  return devices.length === Object.keys(cached).length && devices.every((device) => cached[device] === list[device]);
}
