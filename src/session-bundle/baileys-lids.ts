// What Baileys 7 knows about phone numbers and LIDs, and what Baileys 6 does not: the map between them, device lists,
// and the addresses of LIDs.
import type { BundleKeys } from './bundle.ts';
import { countKeys, MAX_KEYS } from './bundle-schema.ts';
import { mergeLids } from './merge-lids.ts';

const REVERSE = '_reverse';
const USER = /^\d{1,20}$/;

/** Collects the keys of the type lid-mapping: phone number → LID, and LID with the suffix _reverse → phone number. */
export class LidMappings {
  readonly #lids = new Map<string, string>();
  readonly #numbers = new Map<string, string>();

  /** Returns false when the mapping is damaged. */
  add(id: string, value: unknown): boolean {
    const isReverse = id.endsWith(REVERSE);
    const from = isReverse ? id.slice(0, -REVERSE.length) : id;
    if (typeof value !== 'string' || !USER.test(from) || !USER.test(value)) return false;
    (isReverse ? this.#numbers : this.#lids).set(from, value);
    return true;
  }

  get size(): number {
    return this.#lids.size + this.#numbers.size;
  }

  /**
   * Returns phone numbers by LID, and the number of mappings that contradict another one. A mapping in both directions
   * is preferred. Baileys leaves one direction of an old mapping behind when a number or a LID changes.
   */
  resolve(): { lidMap: Record<string, string>; contradictions: number } {
    const lidMap: Record<string, string> = Object.create(null);
    const takenNumbers = new Set<string>();
    let contradictions = 0;
    const add = (lid: string, number: string) => {
      if (lidMap[lid] === number) return;
      if (lidMap[lid] !== undefined || takenNumbers.has(number)) {
        contradictions += 1;
        return;
      }
      lidMap[lid] = number;
      takenNumbers.add(number);
    };
    for (const [number, lid] of this.#lids) if (this.#numbers.get(lid) === number) add(lid, number);
    for (const [number, lid] of this.#lids) add(lid, number);
    for (const [lid, number] of this.#numbers) add(lid, number);
    return { lidMap, contradictions };
  }
}

/** LIDs have 12 to 15 digits, almost all of them at least 14. Very few phone numbers have as many. */
const MIN_LID_LENGTH = 14;

/** True when the keys are from Baileys 6, which knows neither LID maps nor device lists nor addresses with a domain. */
export const isBaileys6 = ({ sessions, lidMap, deviceLists }: BundleKeys): boolean =>
  [lidMap, deviceLists].every((record) => Object.keys(record).length === 0) &&
  Object.keys(sessions).length > 0 &&
  !Object.keys(sessions).some((id) => id.includes('_'));

/**
 * Adds what Baileys 7 needs to find the keys of Baileys 6, and returns warnings.
 *
 * A device list per user makes Baileys 7 move the sessions of the user to the LID, as soon as it learns the LID. The
 * address of a LID has no domain in Baileys 6, so that it looks like the address of a phone number: sessions and
 * sender keys of users that may be LIDs are copied to the address with the domain. Sessions of a LID whose phone number
 * is found are moved there instead, with those of the number: Baileys 7 would overwrite one with the other.
 */
export function upgradeBaileys6(keys: BundleKeys, ownLid: string | undefined): string[] {
  const deviceLists: BundleKeys['deviceLists'] = Object.create(null);
  for (const id of Object.keys(keys.sessions)) {
    const [user = '', device = ''] = id.split('.');
    const devices = deviceLists[user];
    if (devices) devices.push(device);
    else deviceLists[user] = [device];
  }
  const contacts = Object.keys(deviceLists).length;
  if (countKeys(keys) + contacts > MAX_KEYS)
    return [
      'The session is from Baileys 6 and has too many keys for device lists: LIDs and phone numbers stay separate.',
    ];
  keys.deviceLists = deviceLists;
  const warnings = [
    `The session is from Baileys 6, which stores no device lists: they were made from the Signal sessions with ${contacts} contacts.`,
  ];
  const mayBeLid = (user: string) => user === ownLid || user.length >= MIN_LID_LENGTH;
  const known = mergeLids(keys, mayBeLid);
  if (known > 0) {
    warnings.push(
      `Phone numbers of LIDs that were found by identity keys: ${known}. Their Signal sessions become one with those of the number.`,
    );
  }
  const hasNoDomain = (id: string) => !id.includes('_');
  const sessions = Object.entries(keys.sessions).filter(
    ([id]) => hasNoDomain(id) && mayBeLid(id.slice(0, id.indexOf('.'))),
  );
  const senderKeys = Object.entries(keys.senderKeys).filter(([id]) => mayBeLid(senderOf(id)));
  const copies = sessions.length + senderKeys.length;
  if (copies === 0 || countKeys(keys) + copies > MAX_KEYS) return warnings;
  for (const [id, session] of sessions) keys.sessions[id.replace('.', '_1.')] = session;
  for (const [id, states] of senderKeys) {
    const [group, user, device] = id.split('::');
    keys.senderKeys[`${group}::${user}_1::${device}`] = states;
  }
  warnings.push(
    `Baileys 6 does not distinguish phone numbers and LIDs. Keys that are taken for both: Signal sessions ${sessions.length}, sender keys ${senderKeys.length}.`,
  );
  return warnings;
}

const senderOf = (id: string): string => id.split('::')[1] ?? '';
