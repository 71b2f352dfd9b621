// xmlns `w:sync:app:state`: stores the app state of each account, which is a list of encrypted patches per collection.
// All devices of the account read and append patches.
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from '@whiskeysockets/baileys';
import { childBytes, element } from '../lib/binary-node.ts';
import type { Account, Companion, World } from '../world/model.ts';
import { notifyOtherCompanions } from '../world/world.ts';
import { type IqHandler, requestOf, StanzaError } from './router.ts';

const COLLECTIONS = new Set(['critical_block', 'critical_unblock_low', 'regular_high', 'regular_low', 'regular']);

export interface AppState {
  readonly handler: IqHandler;
  /** Encoded SyncdPatch messages, version 1 first. */
  patches(account: Account, collection: string): readonly Uint8Array[];
  /**
   * Appends a patch of the phone (encoded SyncdPatch without version) and returns name and new version of the
   * collection. Does not notify companions.
   */
  append(account: Account, collection: string, patch: Uint8Array): Record<string, string>;
  /** Calls `fn` after every patch that any device appends. */
  onAppend(fn: (account: Account, collection: string) => void): void;
}

export function createAppState(world: World): AppState {
  const listeners: ((account: Account, collection: string) => void)[] = [];
  const stored = new WeakMap<Account, Map<string, Uint8Array[]>>();

  function patchesOf(account: Account, collection: string): Uint8Array[] {
    const collections = stored.get(account) ?? new Map<string, Uint8Array[]>();
    stored.set(account, collections);
    const patches = collections.get(collection) ?? [];
    collections.set(collection, patches);
    return patches;
  }

  function append(account: Account, name: string, patch: Uint8Array): BinaryNode {
    const patches = patchesOf(account, name);
    const version = patches.length + 1;
    patches.push(proto.SyncdPatch.encode({ ...decode(patch), version: { version } }).finish());
    for (const listener of listeners) listener(account, name);
    return element('collection', { name, version: String(version) });
  }

  /** The answer to a patch for an old version: an error for this collection, with the patches that the client lacks. */
  function conflict(companion: Companion, name: string, clientVersion: number): BinaryNode {
    const { attrs, content } = serve(companion, name, clientVersion);
    const missed = Array.isArray(content) ? content : [];
    return element('collection', { ...attrs, type: 'error' }, [new StanzaError(409).node, ...missed]);
  }

  function serve(companion: Companion, name: string, clientVersion: number): BinaryNode {
    const patches = patchesOf(companion.account, name);
    const missing = patches.slice(clientVersion).map((patch) => element('patch', {}, patch));
    const attrs = { name, version: String(patches.length), has_more_patches: 'false' };
    return element('collection', attrs, missing.length > 0 ? [element('patches', {}, missing)] : []);
  }

  return {
    patches: patchesOf,
    append: (account, name, patch) => append(account, name, patch).attrs,
    onAppend: (fn) => void listeners.push(fn),
    handler: (companion, iq) => {
      const sync = requestOf(iq);
      if (sync?.tag !== 'sync') return undefined;
      const changed: BinaryNode[] = [];
      const answers = getBinaryNodeChildren(sync, 'collection').map((collection) => {
        const { name = '', version } = collection.attrs;
        const clientVersion = Number(version ?? 0);
        if (!COLLECTIONS.has(name) || !Number.isInteger(clientVersion)) throw new StanzaError(400);
        const patch = childBytes(collection, 'patch') ?? childBytes(getBinaryNodeChild(collection, 'patches'), 'patch');
        if (!patch) return serve(companion, name, clientVersion);
        const { account } = companion;
        if (clientVersion !== patchesOf(account, name).length) return conflict(companion, name, clientVersion);
        const answer = append(account, name, patch);
        changed.push(answer);
        return answer;
      });
      return {
        content: [element('sync', {}, answers)],
        after: () => {
          for (const collection of changed) notifyOtherCompanions(world, companion, 'server_sync', [collection]);
        },
      };
    },
  };
}

/** Throws StanzaError 400 when the bytes are no patch. */
function decode(patch: Uint8Array): proto.SyncdPatch {
  try {
    return proto.SyncdPatch.decode(patch);
  } catch {
    throw new StanzaError(400);
  }
}
