// Finds and issues the privacy tokens of one-to-one messages, as relayMessage() of Baileys rc14 does: a message
// contains the token that the recipient has given to the account. After the message, the account gives the recipient a
// token for the opposite direction.

import {
  buildMergedTcTokenIndexWrite,
  isTcTokenExpired,
  resolveIssuanceJid,
  resolveTcTokenJid,
  shouldSendNewTcToken,
  storeTcTokensFromIqResult,
} from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js';
import { isLidUser, jidDecode, jidNormalizedUser, S_WHATSAPP_NET, type SignalDataTypeMap } from '../library.ts';
import type { Stanza } from '../stanza.ts';
import type { StanzaQueries } from '../stanza-query.ts';
import type { Socket } from '../types.ts';
import type { AuthState } from './auth-state.ts';

type Entry = SignalDataTypeMap['tctoken'];

/** What is stored about the tokens that a person and the account have given each other. */
export interface PrivacyTokenRecord {
  /** Id of the entry in the key store: the LID (id that hides the number) of the person if it is known. */
  id: string;
  /**
   * `token` is the token that the person has given to the account, empty when there is none. `senderTimestamp` is the
   * time at which the account last issued a token to the person. Undefined when nothing is stored.
   */
  entry: Entry | undefined;
}

export class PrivacyTokens {
  readonly #socket: Socket;
  readonly #auth: Pick<AuthState, 'peek'>;
  readonly #queries: Pick<StanzaQueries, 'send'>;
  /** Ids of the entries of people to whom a token is being issued. */
  readonly #issuing = new Set<string>();

  constructor(socket: Socket, auth: Pick<AuthState, 'peek'>, queries: Pick<StanzaQueries, 'send'>) {
    this.#socket = socket;
    this.#auth = auth;
    this.#queries = queries;
  }

  /** Returns the record of a person. Removes an expired token of the person. */
  async find(jid: string): Promise<PrivacyTokenRecord> {
    const { keys } = this.#socket.authState;
    const id = this.#knownIdOf(jid) ?? (await resolveTcTokenJid(jid, this.#lidOf));
    // null: nothing is stored. undefined: not in memory.
    const cached = this.#auth.peek('tctoken', id);
    if (cached === null) return { id, entry: undefined };
    const entry = isEntry(cached) ? cached : (await keys.get('tctoken', [id]))[id];
    if (!entry?.token?.length || !isTcTokenExpired(entry.timestamp)) return { id, entry };
    // `senderTimestamp` is kept, so that the account does not issue another token this week.
    const { senderTimestamp } = entry;
    const cleared = senderTimestamp === undefined ? null : { token: Buffer.alloc(0), senderTimestamp };
    try {
      await keys.set({ tctoken: { [id]: cleared } });
    } catch {
      // The message does not need this write. When a write fails, the store itself ends the session.
    }
    return { id, entry: cleared ?? undefined };
  }

  /**
   * Returns the element with the person's token, which is added to a message. The list is empty when there is no token,
   * and when WhatsApp has turned the element off.
   */
  toNodes({ entry }: PrivacyTokenRecord): Stanza[] {
    if (!entry?.token?.length || !this.#socket.serverProps.privacyTokenOn1to1) return [];
    return [{ tag: 'tctoken', attrs: {}, content: entry.token }];
  }

  /**
   * Issues a token to a person without waiting, if none was issued in the current week. Baileys counts weeks of seven
   * days from the Unix epoch.
   */
  issue(jid: string, { id, entry }: PrivacyTokenRecord): void {
    if (!shouldSendNewTcToken(entry?.senderTimestamp) || this.#issuing.has(id)) return;
    this.#issuing.add(id);
    void this.#issue(jid, id)
      .catch(() => undefined)
      .finally(() => this.#issuing.delete(id));
  }

  async #issue(jid: string, id: string): Promise<void> {
    const { serverProps, signalRepository, authState } = this.#socket;
    const { lidMapping } = signalRepository;
    const { keys } = authState;
    const senderTimestamp = Math.floor(Date.now() / 1000);
    const issuedTo = await resolveIssuanceJid(jid, serverProps.lidTrustedTokenIssueToLid, this.#lidOf, (lid) =>
      lidMapping.getPNForLID(lid),
    );
    const result = await this.#queries.send(toIssuance(issuedTo, senderTimestamp));
    await storeTcTokensFromIqResult({ result, fallbackJid: id, keys, getLIDForPN: this.#lidOf });
    // Baileys keeps a list of all people with an entry. `index` is the write that adds this person.
    const index = await buildMergedTcTokenIndexWrite(keys, [id]);
    // The entry is read last, because the person's token can arrive during the other steps.
    const { [id]: entry } = await keys.get('tctoken', [id]);
    await keys.set({ tctoken: { [id]: { token: Buffer.alloc(0), ...entry, senderTimestamp }, ...index } });
  }

  /** Returns the id of a person's entry without waiting. Undefined when the LID of the person is not in memory. */
  #knownIdOf(jid: string): string | undefined {
    if (isLidUser(jid)) return jid;
    const lid = this.#auth.peek('lid-mapping', jidDecode(jid)?.user ?? '');
    return typeof lid === 'string' ? `${lid}@lid` : undefined;
  }

  #lidOf = (jid: string): Promise<string | null> => this.#socket.signalRepository.lidMapping.getLIDForPN(jid);
}

/** Returns the query that gives a person a token. */
const toIssuance = (jid: string, timestamp: number): Stanza => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'privacy' },
  content: [
    {
      tag: 'tokens',
      attrs: {},
      content: [
        { tag: 'token', attrs: { jid: jidNormalizedUser(jid), t: String(timestamp), type: 'trusted_contact' } },
      ],
    },
  ],
});

/** True for a value of the key type `tctoken`. */
const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && 'token' in value;
