// Links clients to phones whose accounts require a passkey. A PasskeyLink (passkey-link.ts) is one attempt to link a
// client, and contains its steps.
import type { BinaryNode } from '@whiskeysockets/baileys';
import type { Clock } from '../lib/clock.ts';
import type { Answer } from '../stanzas/router.ts';
import type { ClientConnection } from '../wire/connection.ts';
import type { Account, Companion, World } from '../world/model.ts';
import type { Passkeys } from '../world/passkeys.ts';
import { PasskeyLink, type PasskeyLinkView } from './passkey-link.ts';
import { PairingError, type Registration } from './registration.ts';

export interface PasskeyPairingOptions {
  world: World;
  clock: Clock;
  passkeys: Passkeys;
  /**
   * Adds the client to the account, after all steps with the passkey have succeeded. `advSecret` is the new secret that
   * the client sent in the last step.
   */
  addToAccount(account: Account, registration: Registration, advSecret: Uint8Array): Promise<Companion>;
}

export class PasskeyPairing {
  readonly #options: PasskeyPairingOptions;
  /** The PasskeyLink of each open connection. */
  readonly #links = new Map<ClientConnection, PasskeyLink>();
  /** The most recent PasskeyLink of each phone, by phone number. It can have ended. */
  readonly #lastLinks = new Map<string, PasskeyLink>();

  constructor(options: PasskeyPairingOptions) {
    this.#options = options;
  }

  /** Whether a passkey is required to link a device to this account. */
  requires(account: Account): boolean {
    return this.#options.passkeys.get(account.number) !== undefined;
  }

  /**
   * Requests an assertion (a signature with the passkey) from the client. `advSecret` is the secret of the scanned QR
   * code or of the pairing code. In the last step, the client sends a new secret. Resolves when the client is linked;
   * rejects with PairingError.
   */
  start(account: Account, registration: Registration, advSecret: Uint8Array): Promise<Companion> {
    const { world, clock, passkeys, addToAccount } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Companion>();
    const link = new PasskeyLink({
      world,
      clock,
      passkeys,
      account,
      registration,
      advSecret,
      onFailure: reject,
      link: async (newSecret) => {
        try {
          const companion = await addToAccount(account, registration, newSecret);
          link.markLinked();
          resolve(companion);
        } catch (error) {
          link.fail(error instanceof Error ? error.message : String(error));
        }
      },
    });
    this.#links.set(registration.connection, link);
    this.#lastLinks.set(account.number, link);
    link.start();
    return promise;
  }

  /** Answers a query of a client that is being linked with a passkey. Undefined for other clients and queries. */
  answer(connection: ClientConnection, iq: BinaryNode): Answer | undefined {
    return this.#links.get(connection)?.answer(iq);
  }

  /** Ends the link of a connection that closed. */
  forget(connection: ClientConnection): void {
    const link = this.#links.get(connection);
    this.#links.delete(connection);
    // The server itself closes the connection of a link that is being completed. This is no failure.
    if (!link?.isCompleting) link?.fail('the client closed the connection');
  }

  /** The state of the most recent link of this number; undefined when there was none. */
  viewOf(number: string): PasskeyLinkView | undefined {
    return this.#lastLinks.get(number)?.view;
  }

  /** Confirms `code` on the phone of this number. Throws PairingError unless the phone shows this code. */
  confirmOnPhone(number: string, code: string): void {
    const link = this.#lastLinks.get(number);
    if (!link) throw new PairingError('stale', 'no device is being linked to this phone');
    link.confirmOnPhone(code);
  }
}
