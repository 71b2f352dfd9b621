// Chooses the address to which stanzas of a chat with one person are sent: the LID (WhatsApp's id of a person, which
// hides the phone number) or the phone number. WhatsApp refuses messages to the phone number of some people with the
// error 463, and delivers the same message to their LID. Events, the API and the database keep the phone number.
// Decision D-167.
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { LidMappingReader } from '../baileys/auth/lid-mappings.ts';
import type { Account, AddressForm, ChatAddress, SessionAddresses } from '../session.ts';
import { isLid, isPersonJid } from './jid.ts';
import { type LidCache, lookupLidPairs } from './lid-map.ts';

export interface ChatAddressesDeps {
  /** The form, `lid` or `pn` (phone number), to use when both addresses are known (PLATFORM_ADDRESSING). */
  form: AddressForm;
  /** The stored pairs of phone number and LID. */
  keys: LidMappingReader;
  /** The pairs in memory, which may not be stored yet. */
  lidCache: Pick<LidCache, 'withCachedPairs'>;
  /** The linked account; undefined before pairing. */
  me: () => Account | undefined;
}

/** The two addresses of a person, as far as they are known. */
interface AddressPair {
  lid?: string | undefined;
  /** Phone-number JID. */
  pn?: string | undefined;
}

/** Maximum number of chats for which setForm() is remembered; the oldest are evicted. */
const MAX_FORMS = 5_000;

/** Implements SessionAddresses (session.ts), which documents find(), findOther() and setForm(). */
export class ChatAddresses implements SessionAddresses {
  readonly #deps: ChatAddressesDeps;
  /** The forms that setForm() chose, by chat. */
  readonly #forms = new BoundedMap<string, AddressForm>(MAX_FORMS);

  constructor(deps: ChatAddressesDeps) {
    this.#deps = deps;
  }

  async find(chat: string): Promise<ChatAddress> {
    if (!isPersonJid(chat)) return { chat, jid: chat, attributes: {} };
    return toAddress(chat, await this.#pairOf(chat), this.#forms.get(chat) ?? this.#deps.form);
  }

  async findOther({ chat, form }: ChatAddress): Promise<ChatAddress | undefined> {
    if (!form) return undefined;
    const otherForm = form === 'lid' ? 'pn' : 'lid';
    const other = toAddress(chat, await this.#pairOf(chat), otherForm);
    return other.form === otherForm ? other : undefined;
  }

  /** Returns the phone-number JID of a LID, and the LID of a phone-number JID; undefined when it is not known. */
  async alternateOf(jid: string): Promise<string | undefined> {
    const { lid, pn } = isPersonJid(jid) ? await this.#pairOf(jid) : {};
    return isLid(jid) ? pn : lid;
  }

  setForm({ chat, form }: ChatAddress): void {
    if (form) this.#forms.set(chat, form);
  }

  async #pairOf(chat: string): Promise<AddressPair> {
    const me = this.#deps.me();
    if (me?.lid && (chat === me.jid || chat === me.lid)) return { lid: me.lid, pn: me.jid };
    // When the key store fails, the session ends soon. Until then, only the cached pairs are used.
    const stored = await lookupLidPairs(this.#deps.keys, [chat]).catch(() => new Map<string, string>());
    const alternate = this.#deps.lidCache.withCachedPairs(stored, [chat]).get(chat);
    return isLid(chat) ? { lid: chat, pn: alternate } : { lid: alternate, pn: chat };
  }
}

/**
 * Returns the address in the form `wanted`. When the pair has no address in this form, returns the one that it has.
 * Message stanzas to a LID also contain the phone number when it is known.
 */
function toAddress(chat: string, { lid, pn }: AddressPair, wanted: AddressForm): ChatAddress {
  if (lid && (wanted === 'lid' || !pn)) {
    return { chat, jid: lid, form: 'lid', attributes: pn ? { peer_recipient_pn: pn } : {} };
  }
  return { chat, jid: pn ?? chat, form: 'pn', attributes: {} };
}
