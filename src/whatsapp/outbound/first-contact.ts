// Creates first-contact tokens (`cstoken`): an HMAC of the recipient's LID (id that hides the number) with a salt that
// the account's phone has sent (the NCT salt). WhatsApp checks this token in a message to a person who has given this
// account no privacy token (`tctoken`). Decision D-164.
import { createHmac } from 'node:crypto';
import { copyBytes } from '../../lib/copy-bytes.ts';
import { isLid, isPersonJid, toBareJid } from '../address/jid.ts';
import { lookupLidPairs } from '../address/lid-map.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { isPrivacyTokenExpired } from '../baileys/queries.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { Session, SessionFirstContactTokens } from '../session.ts';

/** Key type of the stored salt. The value must not change, because existing databases contain it. */
const KEY_TYPE = 'gateway-nct-salt';
const KEY_ID = 'salt';

export class FirstContactTokens implements SessionFirstContactTokens {
  readonly #auth: Pick<AuthState, 'set'>;
  #salt: Uint8Array | undefined;

  private constructor(auth: Pick<AuthState, 'set'>, salt: Uint8Array | undefined) {
    this.#auth = auth;
    // The bytes are a view of a larger buffer, which would stay in memory without the copy.
    this.#salt = salt && copyBytes(salt);
  }

  /** Reads the stored salt. */
  static async open(auth: Pick<AuthState, 'readAll' | 'set'>): Promise<FirstContactTokens> {
    return new FirstContactTokens(auth, (await auth.readAll(KEY_TYPE)).get(KEY_ID));
  }

  /** Stores a salt that the phone sent; null removes it. Rejects when the session has ended. */
  async setSalt(salt: Uint8Array | null): Promise<void> {
    const copy = salt && copyBytes(salt);
    this.#salt = copy ?? undefined;
    // Baileys' types lack this key type.
    const write: object = { [KEY_TYPE]: { [KEY_ID]: copy } };
    await this.#auth.set(write);
  }

  get hasSalt(): boolean {
    return this.#salt !== undefined;
  }

  /** Returns the token for a person; undefined without a salt. */
  tokenFor(lid: string): Uint8Array | undefined {
    return this.#salt && createHmac('sha256', this.#salt).update(lid).digest();
  }
}

/** The account that sends announcements of WhatsApp. */
const ANNOUNCEMENTS_JID = '0@s.whatsapp.net';

/**
 * Returns the element `cstoken` for a message to `jid`. Returns [] when the message does not go to another person, the
 * person has given the account a privacy token that is still valid, the phone has sent no salt, or the LID of the
 * person is unknown.
 */
export async function toFirstContactNodes(session: Session, jid: string): Promise<Stanza[]> {
  const me = session.me();
  const chat = toBareJid(jid);
  if (!isPersonJid(chat) || !session.firstContacts.hasSalt) return [];
  if (chat === me?.jid || chat === me?.lid || chat === ANNOUNCEMENTS_JID) return [];
  const { keys } = session.socket.authState;
  const lid = isLid(chat) ? chat : (await lookupLidPairs(keys, [chat])).get(chat);
  if (!lid) return [];
  const { [lid]: privacyToken } = await keys.get('tctoken', [lid]);
  if (privacyToken?.token?.length && !isPrivacyTokenExpired(privacyToken.timestamp)) return [];
  const token = session.firstContacts.tokenFor(lid);
  return token ? [{ tag: 'cstoken', attrs: {}, content: token }] : [];
}
