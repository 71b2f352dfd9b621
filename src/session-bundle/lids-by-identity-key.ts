// Finds the phone numbers of LIDs (account ids that hide the phone number) in sessions of Baileys 6, which stores no
// LID map, and merges the Signal sessions of the LID and of the number. Each Signal session contains the identity key
// of the remote device: equal keys mean that a LID and a phone number are the same person.
import type { BundleKeys, BundleSession, BundleSessionState } from './bundle.ts';

/** The Signal sessions with the devices of a user, by device number. A user is a phone number or a LID, in digits. */
type Devices = Map<string, BundleSession>;

/** Returns the state that was used last, of all states of a session; undefined for a session without states. */
const lastUsedOf = ({ _sessions }: BundleSession): BundleSessionState | undefined =>
  Object.values(_sessions).reduce<BundleSessionState | undefined>(
    (lastUsed, state) => (lastUsed && lastUsed.indexInfo.used >= state.indexInfo.used ? lastUsed : state),
    undefined,
  );

function devicesByUser(sessions: BundleKeys['sessions']): Map<string, Devices> {
  const users = new Map<string, Devices>();
  for (const [id, session] of Object.entries(sessions)) {
    // The id is `<user>.<device>`.
    const [user = '', device = ''] = id.split('.');
    const devices = users.get(user) ?? new Map<string, BundleSession>();
    users.set(user, devices.set(device, session));
  }
  return users;
}

/** The device number and the identity key of the remote device; undefined for a session without states. */
function deviceIdentityOf(device: string, session: BundleSession): string | undefined {
  const identity = lastUsedOf(session)?.indexInfo.remoteIdentityKey;
  return identity && `${device} ${identity}`;
}

/**
 * Finds pairs of LID and phone number with the same identity keys, and changes the members of BundleKeys in place. Adds
 * the pairs to `lidMap`, and updates `deviceLists`. Moves the sessions of a pair to the address of the LID, where
 * Baileys 7 looks for them. `isLid` returns whether a user is a LID. Returns the number of LIDs whose phone number was
 * found.
 */
export function mergeLids({ sessions, lidMap, deviceLists }: BundleKeys, isLid: (user: string) => boolean): number {
  const users = devicesByUser(sessions);
  const numbersByIdentity = new Map<string, Set<string>>();
  for (const [user, devices] of users) {
    if (isLid(user)) continue;
    for (const [device, session] of devices) {
      const identity = deviceIdentityOf(device, session);
      if (identity) numbersByIdentity.set(identity, (numbersByIdentity.get(identity) ?? new Set()).add(user));
    }
  }
  const usedNumbers = new Set<string>();
  let count = 0;
  for (const [lid, lidDevices] of users) {
    if (!isLid(lid)) continue;
    const identities = Array.from(lidDevices, ([device, session]) => deviceIdentityOf(device, session) ?? '');
    const candidates = new Set(identities.flatMap((identity) => [...(numbersByIdentity.get(identity) ?? [])]));
    const [number] = candidates;
    // A LID is skipped when its identity keys fit several phone numbers, or a number that already has a LID. With a
    // wrong number, messages would reach another person.
    if (number === undefined || candidates.size > 1 || usedNumbers.has(number)) continue;
    usedNumbers.add(number);
    lidMap[lid] = number;
    const merged = mergeDevices(lidDevices, users.get(number) ?? new Map());
    for (const [device, session] of merged) {
      delete sessions[`${lid}.${device}`];
      delete sessions[`${number}.${device}`];
      // In Signal addresses, `_1` is the domain of LIDs.
      sessions[`${lid}_1.${device}`] = session;
    }
    deviceLists[lid] = [...merged.keys()];
    deviceLists[number] = [...merged.keys()];
    count += 1;
  }
  return count;
}

function mergeDevices(one: Devices, other: Devices): Devices {
  const merged = new Map(one);
  for (const [device, session] of other) {
    const existing = merged.get(device);
    merged.set(device, existing ? mergeSessions(existing, session) : session);
  }
  return merged;
}

/** Returns one session with the states of both. Of the open states, only the one that was used last stays open. */
function mergeSessions(one: BundleSession, other: BundleSession): BundleSession {
  const _sessions: BundleSession['_sessions'] = { ...one._sessions, ...other._sessions };
  const open = lastUsedOf({ version: one.version, _sessions: pickOpen(_sessions) });
  for (const [key, state] of Object.entries(_sessions)) {
    const { indexInfo } = state;
    if (state === open || indexInfo.closed !== -1) continue;
    _sessions[key] = { ...state, indexInfo: { ...indexInfo, closed: indexInfo.used } };
  }
  return { version: one.version, _sessions };
}

/** Returns the open states. In these, `closed` is -1 and not a time. */
const pickOpen = (states: BundleSession['_sessions']): BundleSession['_sessions'] =>
  Object.fromEntries(Object.entries(states).filter(([, { indexInfo }]) => indexInfo.closed === -1));
