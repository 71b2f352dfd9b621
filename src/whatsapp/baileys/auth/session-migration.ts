// Moves the Signal sessions that are stored under phone numbers to the LIDs (ids that hide the number) of the same
// people. Baileys stores a session under the number while the LID is unknown. Imported WhatsApp sessions can also have
// Signal sessions under numbers.
import type { AuthState } from './auth-state.ts';
import { isSessionRecord, mergeSessions } from './session-record.ts';

/** A person whose LID is known. */
export interface KnownLid {
  /** User part of the number's JID. */
  number: string;
  /** User part of the LID. */
  lidUser: string;
  /** A device whose session is moved even if the stored device list lacks it. */
  device?: number | undefined;
}

/** Device number of a business account that Meta hosts. */
const HOSTED_DEVICE = '99';

/** The key store without transactions. */
export type SessionStore = Pick<AuthState, 'get' | 'peek' | 'putSession' | 'set' | 'waitForWrites'>;

/**
 * Moves the sessions of people. If sessions are already stored under the LID of a person, merges the moved sessions
 * with these: the session that was created last stays open. Returns the number of devices whose sessions were moved.
 * Rejects when the WhatsApp session has ended.
 */
export async function moveSessions(store: SessionStore, people: readonly KnownLid[]): Promise<number> {
  const deviceLists = await store.get(
    'device-list',
    people.map(({ number }) => number),
  );
  /** The Signal address with the LID, by the Signal address with the number. */
  const targetsBySource = new Map<string, string>();
  for (const { number, lidUser, device = 0 } of people) {
    // Device 0 is the phone.
    for (const id of new Set(['0', String(device), ...(deviceLists[number] ?? [])])) {
      const isHosted = id === HOSTED_DEVICE;
      // The suffixes stand for servers (DOMAINS in device-sessions.ts): _1 lid, _128 hosted, _129 hosted.lid.
      targetsBySource.set(`${number}${isHosted ? '_128' : ''}.${id}`, `${lidUser}${isHosted ? '_129' : '_1'}.${id}`);
    }
  }
  const sources = await store.get('session', [...targetsBySource.keys()]);
  const moves = [...targetsBySource].filter(([source]) => isSessionRecord(sources[source]));
  if (moves.length === 0) return 0;
  const targets = await store.get(
    'session',
    moves.map(([, target]) => target),
  );
  for (const [source, target] of moves) {
    // A value in memory is newer than the result of the read. Null in memory is a removal, undefined is no value.
    const [sourceInMemory, targetInMemory] = [store.peek('session', source), store.peek('session', target)];
    const from: unknown = sourceInMemory === undefined ? sources[source] : sourceInMemory;
    const to: unknown = targetInMemory === undefined ? targets[target] : targetInMemory;
    if (isSessionRecord(from)) store.putSession(target, isSessionRecord(to) ? mergeSessions(from, to) : from);
  }
  // Removes the sessions of the numbers only when the sessions of the LIDs are stored. After a crash in between, the
  // next move merges the same sessions again, which changes nothing.
  if (await store.waitForWrites())
    await store.set({ session: Object.fromEntries(moves.map(([source]) => [source, null])) });
  return moves.length;
}
