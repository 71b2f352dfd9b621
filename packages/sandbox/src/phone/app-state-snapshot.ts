// Creates snapshots of the app state (archived chats, contact names, …). A snapshot is a file with the current records
// of one collection, which clients download instead of all patches (changes) of the collection. The app state key is
// not needed: the snapshot copies the encrypted records of the patches, and its MAC is the `snapshotMac` of the last
// patch.
import { proto } from '@whiskeysockets/baileys';
import { encryptFile } from '../crypto/media-cipher.ts';
import type { MediaHost } from '../media/media-host.ts';
import { type AppStatePatches, COLLECTIONS } from '../world/app-state.ts';
import type { Account } from '../world/model.ts';

/**
 * Stores a snapshot of each collection that is not empty, and returns the names of these collections. Skips a
 * collection when a patch keeps its mutations (changes of records) in an external file, which is not read here.
 */
export function createSnapshots(patches: AppStatePatches, mediaHost: MediaHost, account: Account): string[] {
  return COLLECTIONS.filter((name) => storeSnapshot(patches, mediaHost, account, name));
}

/** Stores a snapshot of one collection. Returns false when the collection is empty or skipped. */
function storeSnapshot(patches: AppStatePatches, mediaHost: MediaHost, account: Account, name: string): boolean {
  const stored = patches.list(account, name).map((patch) => proto.SyncdPatch.decode(patch));
  const last = stored.at(-1);
  if (!last || stored.some(({ externalMutations }) => externalMutations)) return false;
  const { version, snapshotMac: mac, keyId } = last;
  const content = proto.SyncdSnapshot.encode({ version, records: recordsOf(stored), mac, keyId }).finish();
  const { body, ...keys } = encryptFile(content, 'md-app-state');
  const { directPath } = mediaHost.store(body);
  const reference = { ...keys, directPath, fileSizeBytes: content.length };
  patches.setSnapshot(account, name, {
    // The number of patches equals the version of the last patch, because versions are numbered from 1.
    version: stored.length,
    reference: proto.ExternalBlobReference.encode(reference).finish(),
  });
  return true;
}

/** The records of the collection after all patches are applied, in order. */
function recordsOf(patches: readonly proto.SyncdPatch[]): proto.ISyncdRecord[] {
  const records = new Map<string, proto.ISyncdRecord>();
  for (const { operation, record } of patches.flatMap(({ mutations }) => mutations)) {
    const index = Buffer.from(record?.index?.blob ?? []).toString('base64');
    if (operation === proto.SyncdMutation.SyncdOperation.REMOVE) records.delete(index);
    else if (record) records.set(index, record);
  }
  return [...records.values()];
}
