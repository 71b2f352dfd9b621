// Handles queries of the xmlns `w:sync:app:state`: the app state (archived chats, contact names, …), which the devices
// of an account share. The app state consists of collections. A collection is a list of encrypted patches (changes).
// Clients read the patches and append their own.
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from '@whiskeysockets/baileys';
import { childBytes, element } from '../lib/binary-node.ts';
import { type AppStatePatches, COLLECTIONS } from '../world/app-state.ts';
import type { Companion, World } from '../world/model.ts';
import { notifyCompanions } from '../world/world.ts';
import { type IqHandler, requestOf, StanzaError } from './router.ts';

/** Size in bytes of each MAC (message authentication code) in a patch. */
const MAC_SIZE = 32;

export function createAppState(world: World, patches: AppStatePatches): IqHandler {
  /**
   * `<collection>` with the patches that follow `clientVersion`. The version of a collection is the number of its
   * patches. When the client asks for a snapshot and one exists that is newer than `clientVersion`, the element
   * contains the snapshot and only the patches after it.
   */
  function collectionNode(
    { account }: Companion,
    name: string,
    clientVersion: number,
    { wantsSnapshot = false } = {},
  ): BinaryNode {
    const stored = patches.list(account, name);
    const newestSnapshot = wantsSnapshot ? patches.snapshot(account, name) : undefined;
    const snapshot = newestSnapshot && newestSnapshot.version > clientVersion ? newestSnapshot : undefined;
    const missing = stored.slice(snapshot?.version ?? clientVersion).map((patch) => element('patch', {}, patch));
    const attrs = { name, version: String(stored.length), has_more_patches: 'false' };
    const content = snapshot ? [element('snapshot', {}, snapshot.reference)] : [];
    return element('collection', attrs, missing.length > 0 ? [...content, element('patches', {}, missing)] : content);
  }

  /** The answer to a patch that is not based on the current version: an error and the patches that the client lacks. */
  function conflictNode(companion: Companion, name: string, clientVersion: number): BinaryNode {
    const { attrs, content } = collectionNode(companion, name, clientVersion);
    const missed = Array.isArray(content) ? content : [];
    return element('collection', { ...attrs, type: 'error' }, [new StanzaError(409).node, ...missed]);
  }

  return (companion, iq) => {
    const sync = requestOf(iq);
    if (sync?.tag !== 'sync') return undefined;
    const changed: BinaryNode[] = [];
    const answers = getBinaryNodeChildren(sync, 'collection').map((collection) => {
      const { name = '', version, return_snapshot: returnSnapshot } = collection.attrs;
      const clientVersion = Number(version ?? 0);
      const isKnown = COLLECTIONS.some((known) => known === name);
      if (!isKnown || !Number.isInteger(clientVersion) || clientVersion < 0) throw new StanzaError(400);
      // Clients send a patch in the collection or in `<patches>`. Without a patch, the client only reads.
      const patch = childBytes(collection, 'patch') ?? childBytes(getBinaryNodeChild(collection, 'patches'), 'patch');
      if (!patch) return collectionNode(companion, name, clientVersion, { wantsSnapshot: returnSnapshot === 'true' });
      const { account } = companion;
      if (clientVersion !== patches.list(account, name).length) return conflictNode(companion, name, clientVersion);
      const nextVersion = patches.append(account, name, readPatch(patch));
      const answer = element('collection', { name, version: String(nextVersion) });
      changed.push(answer);
      return answer;
    });
    return {
      content: [element('sync', {}, answers)],
      after: () => {
        for (const collection of changed)
          notifyCompanions(world, companion.account, 'server_sync', [collection], companion);
      },
    };
  };
}

/**
 * Decodes a patch. Throws StanzaError 400 for invalid bytes, and for a patch without key id, MACs or mutations. Clients
 * need these fields to verify the patch, and snapshots are built from them. The MACs are not verified, because the
 * sandbox, like WhatsApp's server, does not have the key.
 */
function readPatch(bytes: Uint8Array): proto.SyncdPatch {
  const patch = decode(bytes);
  const { keyId, snapshotMac, patchMac, mutations, externalMutations } = patch;
  const hasMacs = snapshotMac?.length === MAC_SIZE && patchMac?.length === MAC_SIZE;
  const hasMutations = mutations.length > 0 || Boolean(externalMutations);
  if (!keyId?.id?.length || !hasMacs || !hasMutations) throw new StanzaError(400);
  return patch;
}

function decode(bytes: Uint8Array): proto.SyncdPatch {
  try {
    return proto.SyncdPatch.decode(bytes);
  } catch {
    throw new StanzaError(400);
  }
}
