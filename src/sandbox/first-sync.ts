// What a phone hands to a newly linked companion: the key of its app state and a history that is complete and empty.
import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { encodeSyncdPatch, newLTHashState, proto } from '@whiskeysockets/baileys';
import type { Account, Companion } from './model.ts';
import type { Phone } from './phone.ts';
import type { AppState } from './stanzas/appstate.ts';
import { pnJid } from './world.ts';

const { HistorySyncType } = proto.HistorySync;
const { Type } = proto.Message.ProtocolMessage;

/** One key per account: every companion reads the same app state. */
const appStateKeys = new WeakMap<Account, proto.Message.IAppStateSyncKey>();

function appStateKey(account: Account, now: number): proto.Message.IAppStateSyncKey {
  const known = appStateKeys.get(account);
  if (known) return known;
  const created = {
    keyId: { keyId: randomBytes(6) },
    keyData: {
      keyData: randomBytes(32),
      fingerprint: { rawId: account.registrationId, currentIndex: 0, deviceIndexes: [0] },
      timestamp: now * 1000,
    },
  };
  appStateKeys.set(account, created);
  return created;
}

/** The account's name, which clients learn from the app state. Written once: every companion reads the same. */
async function writeName(appState: AppState, account: Account, key: proto.Message.IAppStateSyncKey, now: number) {
  const collection = 'critical_block';
  const { keyId, keyData } = key;
  if (appState.patches(account, collection).length > 0 || !keyId?.keyId || !keyData) return;
  const { patch } = await encodeSyncdPatch(
    {
      type: collection,
      index: ['setting_pushName'],
      syncAction: { timestamp: now * 1000, pushNameSetting: { name: account.name } },
      apiVersion: 1,
      operation: proto.SyncdMutation.SyncdOperation.SET,
    },
    Buffer.from(keyId.keyId).toString('base64'),
    newLTHashState(),
    async () => keyData,
  );
  appState.append(account, collection, proto.SyncdPatch.encode(patch).finish());
}

/**
 * Delivers key share and history, once in a companion's life, in the order that Baileys' sync states expect: a key that came
 * later would leave the app state blocked. Must follow `<ib><offline/>`; what comes before it is ignored. `now` is epoch seconds.
 */
export async function syncFirst(
  phone: Phone,
  companion: Companion,
  { appState, now }: { appState: AppState; now: number },
): Promise<void> {
  if (companion.synced) return;
  companion.synced = true;
  const { account } = companion;
  const key = appStateKey(account, now);
  // Before the key: clients fetch the state as soon as they have it.
  await writeName(appState, account, key, now);
  const keys = [key];
  await phone.sendPeer(companion, { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys } });
  const pushnames = [{ id: pnJid(account), pushname: account.name }];
  await phone.sendPeer(
    companion,
    history({ syncType: HistorySyncType.INITIAL_BOOTSTRAP, chunkOrder: 1, progress: 100 }),
  );
  await phone.sendPeer(companion, history({ syncType: HistorySyncType.PUSH_NAME, chunkOrder: 1, pushnames }));
  await phone.sendPeer(companion, history({ syncType: HistorySyncType.RECENT, chunkOrder: 2, progress: 100 }));
}

/** The payload travels inline, so that no media host is needed to download it. */
function history(sync: proto.IHistorySync): proto.Message.IProtocolMessage {
  const { syncType, chunkOrder, progress } = sync;
  return {
    type: Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      // The two enums have the same numbers.
      syncType: syncType as number | undefined,
      chunkOrder,
      progress,
      initialHistBootstrapInlinePayload: deflateSync(proto.HistorySync.encode(sync).finish()),
    },
  };
}
