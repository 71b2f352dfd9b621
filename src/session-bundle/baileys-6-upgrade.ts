// Upgrades keys of Baileys 6 to those of Baileys 7. Baileys 6 has no LID map (the phone numbers of LIDs, which are
// account ids that hide the number), no device lists, and no domain in the addresses of devices: `<user>.<device>`
// instead of `<user>_<domain>.<device>`.
import type { BundleKeys } from './bundle.ts';
import { MAX_KEYS } from './bundle-schema.ts';
import { countKeys } from './key-counts.ts';
import { mergeLids } from './lids-by-identity-key.ts';

/** A user with this number of digits or more may be a LID. Almost all LIDs, but few phone numbers, have 14 or 15. */
const MIN_LID_LENGTH = 14;

/**
 * True when the keys are from Baileys 6: sessions exist, their addresses have no domain, and there is neither a LID map
 * nor a device list.
 */
export const isBaileys6 = ({ sessions, lidMap, deviceLists }: BundleKeys): boolean =>
  [lidMap, deviceLists].every((record) => Object.keys(record).length === 0) &&
  Object.keys(sessions).length > 0 &&
  !Object.keys(sessions).some((id) => id.includes('_'));

/**
 * Changes keys of Baileys 6 in place, so that Baileys 7 finds them. `ownLid` is the account's LID, without domain and
 * device. Returns warnings for the operator.
 *
 * 1. Adds a device list for each user. When Baileys 7 learns the LID of a phone number, it moves the sessions of the
 *    devices in this list to the address of the LID.
 * 2. Merges the sessions of a LID with those of its phone number, if mergeLids() finds the number. Without the merge,
 *    Baileys 7 would overwrite the sessions of the LID when it moves the sessions of the number.
 * 3. Copies the sessions that step 2 did not merge, and the sender keys, to the address with the domain of LIDs ("_1")
 *    if their user may be a LID. An address of Baileys 6 does not show whether its user is a LID or a phone number.
 *
 * Leaves out a step whose result would exceed MAX_KEYS.
 */
export function upgradeBaileys6(keys: BundleKeys, ownLid: string | undefined): string[] {
  const deviceLists: BundleKeys['deviceLists'] = Object.create(null);
  for (const id of Object.keys(keys.sessions)) {
    const [user = '', device = ''] = id.split('.');
    const devices = deviceLists[user];
    if (devices) devices.push(device);
    else deviceLists[user] = [device];
  }
  const contactCount = Object.keys(deviceLists).length;
  if (countKeys(keys) + contactCount > MAX_KEYS)
    return [
      'The session is from Baileys 6 and has too many keys for device lists: LIDs and phone numbers stay separate.',
    ];
  keys.deviceLists = deviceLists;
  const warnings = [
    `The session is from Baileys 6, which stores no device lists: they were made from the Signal sessions with ${contactCount} contacts.`,
  ];
  const mayBeLid = (user: string) => user === ownLid || user.length >= MIN_LID_LENGTH;
  const mergedCount = mergeLids(keys, mayBeLid);
  // The sessions have the order of the source, which is arbitrary for some sources (a Redis hash).
  for (const devices of Object.values(keys.deviceLists)) devices.sort((one, other) => Number(one) - Number(other));
  if (mergedCount > 0) {
    warnings.push(
      `Phone numbers of LIDs that were found by identity keys: ${mergedCount}. Their Signal sessions become one with those of the number.`,
    );
  }
  const hasNoDomain = (id: string) => !id.includes('_');
  const sessions = Object.entries(keys.sessions).filter(
    ([id]) => hasNoDomain(id) && mayBeLid(id.slice(0, id.indexOf('.'))),
  );
  const senderKeys = Object.entries(keys.senderKeys).filter(([id]) => mayBeLid(senderOf(id)));
  const copyCount = sessions.length + senderKeys.length;
  if (copyCount === 0) return warnings;
  const counts = `Signal sessions ${sessions.length}, sender keys ${senderKeys.length}`;
  if (countKeys(keys) + copyCount > MAX_KEYS) {
    warnings.push(
      `The session has too many keys to take those for both phone numbers and LIDs that may belong to either: ${counts}. The gateway requests the first message of each such LID again.`,
    );
    return warnings;
  }
  for (const [id, session] of sessions) keys.sessions[id.replace('.', '_1.')] = session;
  for (const [id, states] of senderKeys) {
    const [group, user, device] = id.split('::');
    keys.senderKeys[`${group}::${user}_1::${device}`] = states;
  }
  warnings.push(`Baileys 6 does not distinguish phone numbers and LIDs. Keys that are taken for both: ${counts}.`);
  return warnings;
}

/** The user in the id of a sender key, `<group>::<user>::<device>`. */
const senderOf = (id: string): string => id.split('::')[1] ?? '';
