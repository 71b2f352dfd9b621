// Ignores a sender key (Signal key of a member for a group) whose group is not the chat of its message.
// Why: Baileys stores a sender key for the group that the sender names, and meanwhile holds a lock with this name. If
//   the name is that of a key type, such as `sender-key`, the decryption waits forever for a lock that it already
//   holds, in this and in every later session. With other names, each message adds a row to the key store, and a long
//   name is too large for an index of PostgreSQL.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `processSenderKeyDistributionMessage` takes the group from the stanza, as whatsmeow does.

import type { SignalRepositoryWithLIDStore, SocketConfig } from '../library.ts';
import { STATUS_JID } from '../stanza.ts';

type CreateRepository = SocketConfig['makeSignalRepository'];
type StoreSenderKey = SignalRepositoryWithLIDStore['processSenderKeyDistributionMessage'];

/** Stores the sender keys that arrive in messages of one session. */
export class SenderKeys {
  #store: StoreSenderKey | undefined;

  /**
   * Wraps a factory of Signal repositories. `chatOfMessage` returns the JID of the chat of the message that Baileys is
   * decrypting.
   */
  wrapRepository(create: CreateRepository, chatOfMessage: () => string | undefined): CreateRepository {
    return (...parameters): SignalRepositoryWithLIDStore => {
      const repository = create(...parameters);
      const { processSenderKeyDistributionMessage } = repository;
      this.#store = (options) => processSenderKeyDistributionMessage.call(repository, options);
      repository.processSenderKeyDistributionMessage = (options) => this.store(options, chatOfMessage());
      return repository;
    };
  }

  /**
   * Stores the sender key in a message of `chat`. Ignores a key for another chat, except a key for statuses: when a
   * recipient could not decrypt a status, senders that use Baileys send the status again in the direct chat.
   */
  async store(options: Parameters<StoreSenderKey>[0], chat: string | undefined): Promise<void> {
    const { groupId } = options.item;
    if (groupId && (groupId === chat || groupId === STATUS_JID)) await this.#store?.(options);
  }
}
