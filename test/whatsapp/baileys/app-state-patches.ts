// Patches of an app-state collection, in the form in which WhatsApp answers a sync.
import { randomBytes } from 'node:crypto';
import { encodeSyncdPatch, newLTHashState, proto } from '@whiskeysockets/baileys';
import type { Stanza } from '../../../src/whatsapp/baileys/stanza.ts';

export const COLLECTION = 'regular_low';
/** The key of the patches. */
export const syncKey = proto.Message.AppStateSyncKeyData.create({ keyData: randomBytes(32) });
export const syncKeyId = randomBytes(6).toString('base64');

/** Returns a `<sync>` element with the collection and these patches. */
export const syncNode = (attrs: Record<string, string>, patches: Uint8Array[] = []): Stanza => ({
  tag: 'sync',
  attrs: {},
  content: [
    {
      tag: 'collection',
      attrs: { name: COLLECTION, ...attrs },
      content: [
        { tag: 'patches', attrs: {}, content: patches.map((content) => ({ tag: 'patch', attrs: {}, content })) },
      ],
    },
  ],
});

/** Creates the first `count` patches of a collection. Each patch archives another chat. */
export async function createPatches(count: number): Promise<Uint8Array[]> {
  const patches: Uint8Array[] = [];
  let state = newLTHashState();
  for (let n = 0; n < count; n++) {
    const encoded = await encodeSyncdPatch(
      {
        type: COLLECTION,
        index: ['archive', `${n}@s.whatsapp.net`],
        syncAction: { archiveChatAction: { archived: true }, timestamp: 1 },
        apiVersion: 3,
        operation: proto.SyncdMutation.SyncdOperation.SET,
      },
      syncKeyId,
      state,
      async () => syncKey,
    );
    state = encoded.state;
    const patch = { ...encoded.patch, version: { version: state.version } };
    patches.push(proto.SyncdPatch.encode(patch).finish());
  }
  return patches;
}
