// Asks WhatsApp to link an account with a pairing code, on a connection without a linked account.
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { createPairingCode, isPairingCodeAccepted } from '../baileys/pairing-code-stanzas.ts';
import { queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';

export interface PairingCodeDeps {
  auth: Pick<AuthState, 'creds' | 'isPaired' | 'saveCreds'>;
  /** Browser name in the list of linked devices. */
  browser: string;
}

/**
 * Resolves with a code of eight characters when WhatsApp has accepted the code. The phone of `number` (digits) then
 * shows a notification. Rejects with QueryRefusal when WhatsApp refuses the request, and with PLATFORM_TIMEOUT or
 * INSTANCE_NOT_OPEN when WhatsApp does not answer.
 */
export async function requestPairingCode(
  session: Pick<Session, 'socket' | 'ended'>,
  { auth, browser }: PairingCodeDeps,
  number: string,
): Promise<string> {
  const jid = `${number}@s.whatsapp.net`;
  const { code, query } = await createPairingCode(auth.creds, jid, browser);
  const answer = await queryWhatsApp(session, query);
  if (!isPairingCodeAccepted(answer)) throw new Error('the answer to the request of a pairing code is malformed');
  // Baileys needs the code later, to decrypt the phone's pairing message. The name '~' means that no account is linked
  // yet. If an account was linked during the query, its JID and name stay.
  if (!auth.isPaired()) {
    Object.assign(auth.creds, { pairingCode: code, me: { id: jid, name: '~' } });
    auth.saveCreds();
  }
  return code;
}
