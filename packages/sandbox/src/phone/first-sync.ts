// The first sync of a newly linked companion (linked device): the phone sends the key that encrypts the app state (data
// that all devices of an account share, such as its name and the archived chats), and then its history.
import { proto } from '@whiskeysockets/baileys';
import type { Companion } from '../world/model.ts';
import type { PhoneAppState } from './app-state.ts';
import { historyOf } from './history.ts';
import type { Services } from './interfaces.ts';
import type { Phone } from './phone.ts';

/**
 * Sends the app state key and then the history, once per companion. The order matters: Baileys never fetches the app
 * state when the history arrives before the key. Call it after `<ib><offline/>` (the end of the queued stanzas) was
 * sent, because Baileys ignores a key and a history that arrive earlier.
 */
export async function runFirstSync(
  { world, log }: Pick<Services, 'world' | 'log'>,
  appState: PhoneAppState,
  phone: Phone,
  companion: Companion,
): Promise<void> {
  if (companion.syncStarted) return;
  companion.syncStarted = true;
  const { account } = companion;
  // The account's name must be in the app state before the key is sent: clients fetch the app state and read the name
  // as soon as they have the key. ensureName() fails when a client has written a change that cannot be read. The
  // companion is then synchronized without the name.
  await appState
    .ensureName(account)
    .catch((err: unknown) => log.warn({ err, number: account.number }, 'phone.app_state.failed'));
  const type = proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE;
  await phone.sendPeer(companion, { type, appStateSyncKeyShare: { keys: [appState.syncKey(account)] } });
  for (const chunk of historyOf(world, phone)) await phone.sendPeer(companion, chunk);
}
