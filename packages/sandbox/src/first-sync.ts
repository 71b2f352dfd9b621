// The first sync of a newly linked companion: the phone sends its app state key and its history.
import { proto } from '@whiskeysockets/baileys';
import type { PhoneAppState } from './app-state.ts';
import { historyOf } from './history.ts';
import type { Companion, World } from './model.ts';
import type { Phone } from './phone.ts';

/**
 * Delivers key share and history, once in a companion's life, in the order that Baileys' sync states expect: a key that
 * came later would leave the app state blocked. Must follow `<ib><offline/>`; what comes before it is ignored.
 */
export async function syncFirst(
  world: World,
  synced: PhoneAppState,
  phone: Phone,
  companion: Companion,
): Promise<void> {
  if (companion.synced) return;
  companion.synced = true;
  const { account } = companion;
  // Before the key, because clients fetch the state as soon as they have it: they learn their owner's name from there.
  const entries = await synced.read(account);
  const isNamed = entries.some(({ value }) => value.pushNameSetting);
  if (!isNamed) await synced.change(account, { pushNameSetting: account.name });
  const type = proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE;
  await phone.sendPeer(companion, { type, appStateSyncKeyShare: { keys: [synced.syncKey(account)] } });
  for (const chunk of historyOf(world, phone)) await phone.sendPeer(companion, chunk);
}
