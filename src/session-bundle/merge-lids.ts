// Finds the phone numbers of LIDs in sessions of Baileys 6, which stores no map of them, and merges the Signal sessions
// of both addresses. A device has one identity key, and each session with the device contains it.
import type { BundleKeys, BundleSession, BundleSessionState } from './bundle.ts';

/** The devices of a user, by device number. */
type Devices = Map<string, BundleSession>;

/** The state that was used last. A record without states has none. */
const newestOf = ({ _sessions }: BundleSession): BundleSessionState | undefined =>
  Object.values(_sessions).reduce<BundleSessionState | undefined>(
    (newest, state) => (newest && newest.indexInfo.used >= state.indexInfo.used ? newest : state),
    undefined,
  );

function devicesByUser(sessions: BundleKeys['sessions']): Map<string, Devices> {
  const users = new Map<string, Devices>();
  for (const [id, session] of Object.entries(sessions)) {
    const [user = '', device = ''] = id.split('.');
    const devices = users.get(user) ?? new Map<string, BundleSession>();
    users.set(user, devices.set(device, session));
  }
  return users;
}

/** Identifies a device of a person; undefined for a record without states. */
function deviceKeyOf(device: string, session: BundleSession): string | undefined {
  const identity = newestOf(session)?.indexInfo.remoteIdentityKey;
  return identity && `${device} ${identity}`;
}

/**
 * Adds to `keys.lidMap` the phone numbers whose devices have the same identity keys as those of a LID, and moves their
 * sessions to the address of the LID, where Baileys 7 looks for them. Two sessions with one device become one record,
 * in which the session that was used last is open. `isLid` says whether a user of an address is a LID. Returns the
 * number of LIDs with a phone number.
 */
export function mergeLids({ sessions, lidMap, deviceLists }: BundleKeys, isLid: (user: string) => boolean): number {
  const users = devicesByUser(sessions);
  const numbers = new Map<string, Set<string>>();
  for (const [user, devices] of users) {
    if (isLid(user)) continue;
    for (const [device, session] of devices) {
      const key = deviceKeyOf(device, session);
      if (key) numbers.set(key, (numbers.get(key) ?? new Set()).add(user));
    }
  }
  const taken = new Set<string>();
  let count = 0;
  for (const [lid, lidDevices] of users) {
    if (!isLid(lid)) continue;
    const keys = Array.from(lidDevices, ([device, session]) => deviceKeyOf(device, session) ?? '');
    const candidates = new Set(keys.flatMap((key) => [...(numbers.get(key) ?? [])]));
    const [number] = candidates;
    // An identity key in several places is not trusted: a wrong number would receive messages of another person.
    if (number === undefined || candidates.size > 1 || taken.has(number)) continue;
    taken.add(number);
    lidMap[lid] = number;
    const merged = mergeDevices(lidDevices, users.get(number) ?? new Map());
    for (const [device, session] of merged) {
      delete sessions[`${lid}.${device}`];
      delete sessions[`${number}.${device}`];
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
    const same = merged.get(device);
    merged.set(device, same ? mergeSessions(same, session) : session);
  }
  return merged;
}

function mergeSessions(one: BundleSession, other: BundleSession): BundleSession {
  const _sessions: BundleSession['_sessions'] = { ...one._sessions, ...other._sessions };
  const open = newestOf({ version: one.version, _sessions: onlyOpen(_sessions) });
  for (const [key, state] of Object.entries(_sessions)) {
    const { indexInfo } = state;
    if (state === open || indexInfo.closed !== -1) continue;
    _sessions[key] = { ...state, indexInfo: { ...indexInfo, closed: indexInfo.used } };
  }
  return { version: one.version, _sessions };
}

const onlyOpen = (states: BundleSession['_sessions']): BundleSession['_sessions'] =>
  Object.fromEntries(Object.entries(states).filter(([, { indexInfo }]) => indexInfo.closed === -1));
