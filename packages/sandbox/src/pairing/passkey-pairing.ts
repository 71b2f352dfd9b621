// Links clients to phones whose accounts require a passkey. passkey-link.ts contains the steps of one link.
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
  /** Completes the link once the client's secret is known. */
  link(account: Account, registration: Registration, advSecret: Uint8Array): Promise<Companion>;
}

export class PasskeyPairing {
  readonly #options: PasskeyPairingOptions;
  /** The link of each open connection. */
  readonly #links = new Map<ClientConnection, PasskeyLink>();
  /** The last link of each number, which can have ended. */
  readonly #lastLinks = new Map<string, PasskeyLink>();

  constructor(options: PasskeyPairingOptions) {
    this.#options = options;
  }

  /** Whether a passkey is required to link a device to this account. */
  requires(account: Account): boolean {
    return this.#options.passkeys.get(account.number) !== undefined;
  }

  /** Requests an assertion from the client. Resolves when the client is linked; rejects with PairingError. */
  start(account: Account, registration: Registration, advSecret: Uint8Array): Promise<Companion> {
    const { world, clock, passkeys, link: complete } = this.#options;
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
          const companion = await complete(account, registration, newSecret);
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
    // When a link is being completed, the server itself closes the connection.
    if (!link?.isCompleting) link?.fail('the client closed the connection');
  }

  /** The last link of this number; undefined when there was none. */
  viewOf(number: string): PasskeyLinkView | undefined {
    return this.#lastLinks.get(number)?.view;
  }

  /** Confirms the code on the phone of this number. Throws PairingError when the phone shows none, or another one. */
  confirmOnPhone(number: string, code: string): void {
    const link = this.#lastLinks.get(number);
    if (!link) throw new PairingError('stale', 'no device is being linked to this phone');
    link.confirmOnPhone(code);
  }
}
