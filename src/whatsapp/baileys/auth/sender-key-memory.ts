// Who has our sender key in which group (rc14's `sender-key-memory`): kept as objects, because every send to a group reads the whole list
// and writes it again although it hardly ever changes; and compared with the members, because rc14 never replaces a key that somebody
// who is gone still has. Holds nothing that the store does not.
import { jidDecode, jidNormalizedUser, type SignalDataSet, type SignalKeyStore } from '@whiskeysockets/baileys';

type Readers = Record<string, boolean>;
type Keys = Pick<SignalKeyStore, 'get' | 'set'>;

export interface Membership {
  /** Everybody in the group, in every form of address that is known; the same object while nothing changed. Undefined: nobody knows. */
  members: (group: string) => Promise<ReadonlySet<string> | undefined>;
  /** Own addresses with their device. */
  own: () => readonly (string | undefined)[];
}

const type = 'sender-key-memory';
/** Groups kept per socket; those written longest ago go first. */
const groupsMax = 32;

/**
 * `keys` with the lists of readers in memory; writes that change none do not get through. When somebody on a group's list is no member any
 * more, or there is no list (rc14 drops it with every message that is sent again: nobody knows who has the key), the group has no readers
 * and we have no key there until a new one is written: rc14 then makes one and gives it to all members, as the platform's own clients do.
 */
export function withSenderKeyMemory(keys: Keys, membership: Membership): Keys {
  const readers = new ReaderLists(keys, membership);
  return {
    // What is asked for decides the type of the answer: lists here, and below sender keys.
    get: (asked, ids) =>
      asked === type
        ? (readers.read(ids) as ReturnType<typeof keys.get<typeof asked>>)
        : keys.get(asked, asked === 'sender-key' ? ids.filter((id) => !readers.isOutdated(id)) : ids),
    async set(data) {
      const written = readers.write(data);
      if (Object.keys(written).length > 0) await keys.set(written);
    },
  };
}

class ReaderLists {
  readonly #keys: Keys;
  readonly #membership: Membership;
  readonly #known = new Map<string, Readers>();
  /** Groups whose list was found to name members only, and the two that were compared. */
  readonly #checked = new WeakMap<Readers, ReadonlySet<string>>();
  /** Groups in which we need a new key, and their members. */
  readonly #outdated = new Map<string, ReadonlySet<string>>();
  /** By group, the readers that rc14 made of its members: whatever their form of address, they are nobody who is gone while all stay. */
  readonly #made = new Map<string, { readers: Readers; members: ReadonlySet<string> }>();
  #writes = 0;

  constructor(keys: Keys, membership: Membership) {
    this.#keys = keys;
    this.#membership = membership;
  }

  async read(groups: readonly string[]): Promise<Record<string, Readers>> {
    const found: Record<string, Readers> = {};
    for (const group of groups) {
      const list = await this.#list(group);
      const members = await this.#membership.members(group);
      if (list && (!members || this.#isCurrent(group, list, members))) found[group] = { ...list };
      else this.#outdated.set(group, members ?? new Set());
    }
    return found;
  }

  /** Whether `id` names an own key that somebody has who is gone. */
  isOutdated(id: string): boolean {
    const group = this.#outdated.size > 0 ? groupOf(id) : '';
    return this.#outdated.has(group) && this.#isOwn(group, id);
  }

  /** What is left to write of `data`. */
  write(data: SignalDataSet): SignalDataSet {
    const { [type]: lists, ...others } = data;
    const changed = Object.entries(lists ?? {}).filter(
      ([group, list]) => this.#outdated.has(group) || !isSame(this.#known.get(group), list),
    );
    for (const [group, list] of changed) {
      this.#writes += 1;
      const members = this.#outdated.get(group);
      if (members && list) this.#made.set(group, { readers: { ...list }, members });
      this.#keep(group, list);
    }
    for (const id of Object.keys(data['sender-key'] ?? {})) if (this.isOutdated(id)) this.#outdated.delete(groupOf(id));
    return changed.length > 0 ? { ...others, [type]: Object.fromEntries(changed) } : others;
  }

  async #list(group: string): Promise<Readers | undefined> {
    const known = this.#known.get(group);
    if (known) return known;
    const before = this.#writes;
    const { [group]: stored } = await this.#keys.get(type, [group]);
    if (before === this.#writes) this.#keep(group, stored);
    return this.#known.get(group) ?? stored;
  }

  #keep(group: string, list: Readers | null | undefined): void {
    this.#known.delete(group);
    // A copy here and in read(): a send marks its readers before it is certain that they get the key.
    if (list) this.#known.set(group, { ...list });
    const [oldest] = this.#known.size > groupsMax ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  #isCurrent(group: string, list: Readers, members: ReadonlySet<string>): boolean {
    if (this.#checked.get(list) === members) return true;
    const own = new Set(this.#membership.own().map((jid) => jidNormalizedUser(jid ?? '')));
    const made = this.#made.get(group);
    const others = made && [...made.members].every((member) => members.has(member)) ? made.readers : {};
    const isCurrent = Object.keys(list).every(
      (name) => members.has(jidNormalizedUser(name)) || own.has(jidNormalizedUser(name)) || Object.hasOwn(others, name),
    );
    if (isCurrent) this.#checked.set(list, members);
    return isCurrent;
  }

  /** Own keys are named `<group>::<user>[_<domain>]::<device>`. */
  #isOwn(group: string, id: string): boolean {
    return this.#membership.own().some((jid) => {
      const { user, device = 0, domainType = 0 } = (jid && jidDecode(jid)) || {};
      return user !== undefined && id === `${group}::${domainType ? `${user}_${domainType}` : user}::${device}`;
    });
  }
}

const groupOf = (id: string): string => id.slice(0, id.indexOf('::'));

function isSame(known: Readers | undefined, list: Readers | null | undefined): boolean {
  if (!known || !list) return false;
  const names = Object.keys(list);
  return names.length === Object.keys(known).length && names.every((name) => known[name] === list[name]);
}
