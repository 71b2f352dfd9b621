// Ends a sync of the app state when WhatsApp does not answer, or when its answers bring no new changes. The app state
// is the data about chats and contacts that all devices of an account share. Its parts are collections. Decision D-191.
// Why: Baileys repeats its query until the answer contains all changes of the requested collections, and an unanswered
//   query counts as an empty answer. Meanwhile the account handles no messages and no notifications.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `resyncAppState` rejects when its query is not answered, and when an answer changes no collection.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { WASocket } from '../library.ts';
import { requireAnswers, TIMED_OUT } from '../required-answers.ts';

type Keys = WASocket['authState']['keys'];

/**
 * Maximum number of times that a sync can read the same version of a collection. Baileys reads the version before each
 * query, and repeats a query once when it cannot decode an answer.
 */
const MAX_READS = 3;

/** How often a sync has read the current version of a collection. */
interface VersionReads {
  version: unknown;
  count: number;
}

/**
 * Makes a sync reject when WhatsApp does not answer, and when answers leave a collection at the same version.
 * isUnanswered() is true for both errors. Wraps all transactions of `keys`, because a sync runs in one. `keys` must be
 * the key store of a socket that patchQueryTimeout() patched: requireAnswers() has no effect on other sockets.
 */
export function patchAppStateSync(keys: Keys): void {
  const { get, transaction } = keys;
  /** The reads of the running sync, by collection. */
  const currentReads = new AsyncLocalStorage<Map<string, VersionReads>>();
  keys.transaction = (work, key) => transaction(() => currentReads.run(new Map(), () => requireAnswers(work)), key);
  keys.get = (type, ids) => {
    const found = get(type, ids);
    const reads = type === 'app-state-sync-version' ? currentReads.getStore() : undefined;
    return reads ? Promise.resolve(found).then((states) => countReads(reads, ids, states)) : found;
  };
}

/** Counts the reads of these collections. Returns `states`, their states by name. */
function countReads<States extends Record<string, unknown>>(
  reads: Map<string, VersionReads>,
  collections: readonly string[],
  states: States,
): States {
  for (const collection of collections) countRead(reads, collection, versionOf(states[collection]));
  return states;
}

function countRead(reads: Map<string, VersionReads>, collection: string, version: unknown): void {
  const last = reads.get(collection);
  const count = last && last.version === version ? last.count + 1 : 1;
  reads.set(collection, { version, count });
  if (count <= MAX_READS) return;
  const error = new Error(`WhatsApp's answers do not change the collection ${collection}`);
  // isUnanswered() recognizes an error with this code.
  throw Object.assign(error, { data: TIMED_OUT, output: { statusCode: 500 } });
}

const versionOf = (state: unknown): unknown =>
  typeof state === 'object' && state !== null && 'version' in state ? state.version : undefined;
