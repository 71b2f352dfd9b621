// Wraps the store of Signal keys, so that the version of an app-state collection is written only after the changes up
// to this version are stored. The app state is the data about chats and contacts that all devices of an account share,
// in several collections. WhatsApp sends only the changes after the stored version, and Baileys writes the version
// before it emits the changes. A crash between the two would lose the changes. With the version written last, the sync
// after a crash reports the changes again. Decision D-143.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SignalDataTypeMap, SignalKeyStore } from '../library.ts';

type Keys = Pick<SignalKeyStore, 'get' | 'set'>;

const TYPE = 'app-state-sync-version';
/** Versions by collection; null removes the version. */
type Versions = Record<string, SignalDataTypeMap[typeof TYPE] | null>;

/**
 * Returns a wrapper of `keys` that delays the writes of versions. Reads see the delayed versions. `waitForEvents`
 * returns a promise that resolves when all events that Baileys emitted so far are stored, and that stays pending when
 * they cannot be stored.
 */
export function withLateVersions(keys: Keys, waitForEvents: () => Promise<void>): Keys {
  const delayed = new Map<string, Versions[string]>();

  async function writeLater(versions: Versions): Promise<void> {
    // Baileys emits the changes in the turn of the event loop in which it writes the version. waitForEvents() covers
    // only events that Baileys has emitted before the call.
    await nextTurn();
    await waitForEvents();
    // A later version of the same collection is written by its own call of writeLater().
    const latest = Object.entries(versions).filter(([name, version]) => delayed.get(name) === version);
    if (latest.length === 0) return;
    const written = keys.set({ [TYPE]: Object.fromEntries(latest) });
    // After the call of keys.set(), keys.get() returns these versions, even before the write is committed.
    for (const [name] of latest) delayed.delete(name);
    await written;
  }

  async function readVersions(names: string[]): Promise<Versions> {
    const late = [...delayed].filter(([name]) => names.includes(name));
    const versions: Versions = { ...(await keys.get(TYPE, names)) };
    for (const [name, version] of late) {
      if (version) versions[name] = version;
      else delete versions[name];
    }
    return versions;
  }

  return {
    get(type, ids) {
      // The cast is needed because the type of the result depends on the value of `type`.
      if (type === TYPE && delayed.size > 0) return readVersions(ids) as ReturnType<typeof keys.get<typeof type>>;
      return keys.get(type, ids);
    },
    async set(data) {
      const { [TYPE]: versions, ...others } = data;
      if (versions) {
        for (const [name, version] of Object.entries(versions)) delayed.set(name, version);
        // After the end of the session, no key can be written. The next session then repeats the sync.
        void writeLater(versions).catch(() => undefined);
      }
      if (!versions || Object.keys(others).length > 0) await keys.set(others);
    },
  };
}
