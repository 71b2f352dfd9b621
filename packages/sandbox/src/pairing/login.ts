// Logs companions (linked devices) in: verifies the client, closes its previous connection, and sends the stanzas
// (protocol messages) that were queued while the client was offline. New stanzas follow after them.
import type { BinaryNode, proto } from '@whiskeysockets/baileys';
import { element, SERVER } from '../lib/binary-node.ts';
import { type IqHandler, requestOf } from '../stanzas/router.ts';
import type { ClientConnection } from '../wire/connection.ts';
import { type Faults, failureNode, streamErrorNode } from '../world/faults.ts';
import type { Companion, Phones, World } from '../world/model.ts';
import type { Sessions } from '../world/sessions.ts';
import { lidJid } from '../world/world.ts';

export interface Login {
  /** Logs a client in, or closes its connection with 401 when its key is not that of a linked companion. */
  open(connection: ClientConnection, payload: proto.ClientPayload): void;
  /** Records the end of a connection. */
  close(connection: ClientConnection): void;
  /**
   * Handler of queries with the xmlns `passive`. The first `<active>` of a connection makes the connection live: from
   * then on, the server sends stanzas at once instead of only queuing them.
   */
  readonly passive: IqHandler;
}

export interface LoginOptions {
  world: World;
  faults: Faults;
  phones: Phones;
  sessions: Sessions;
  onError(connection: ClientConnection, error: unknown): void;
}

export function createLogin({ world, faults, phones, sessions, onError }: LoginOptions): Login {
  function companionOf(connection: ClientConnection, { username, device }: proto.ClientPayload): Companion | undefined {
    const companion = world.companion(`${username}:${device ?? 0}@s.whatsapp.net`);
    return companion && connection.clientStatic.equals(companion.noiseKey) ? companion : undefined;
  }

  /**
   * Sends the queued stanzas, makes the connection live and starts the first sync. The stanzas stay queued until the
   * client acknowledges them. There must be no await before `live = true`, so that no later stanza overtakes the queue.
   */
  function goLive(companion: Companion, connection: ClientConnection): void {
    if (connection.live || connection.isClosed) return;
    const now = String(world.now());
    // Notifies the client that account data could have changed. The client answers with `<clean>`.
    connection.send(infoNode('dirty', { type: 'account_sync', timestamp: now }));
    const waiting = companion.queue.map(({ node }) => node);
    if (waiting.length > 0) connection.send(offlinePreviewNode(waiting));
    // `offline` marks a stanza of the queue.
    for (const node of waiting) connection.send({ ...node, attrs: { ...node.attrs, offline: '0' } });
    connection.live = true;
    connection.send(infoNode('offline', { count: String(waiting.length) }));
    phones.onLogin(companion).catch((error: unknown) => onError(connection, error));
  }

  return {
    open(connection, payload) {
      const companion = companionOf(connection, payload);
      if (!companion) return connection.close(failureNode(401));
      const previous = companion.connection;
      previous?.close(streamErrorNode(undefined, 'replaced'));
      sessions.recordLogin(companion, previous);
      connection.companion = companion;
      companion.connection = connection;
      const { account, device } = companion;
      if (connection.applyFault(faults.takeForLogin(account.number))) return;
      const attrs = {
        t: String(world.now()),
        lid: lidJid(account, device),
        display_name: account.name,
        // A data center, which clients ignore.
        location: 'lla',
      };
      connection.send(element('success', attrs));
    },
    close({ companion, id }) {
      // A connection that never logged in, or that a later login replaced, has nothing to record.
      if (companion?.connection?.id !== id) return;
      companion.connection = undefined;
      sessions.recordLogout(companion);
    },
    passive: (companion, iq, connection) => {
      const tag = requestOf(iq)?.tag;
      if (tag !== 'active' && tag !== 'passive') return undefined;
      // A connection that a later login replaced does not become live.
      const isCurrent = companion.connection === connection;
      return {
        // The queued stanzas follow the result of this query.
        after() {
          if (tag === 'active' && isCurrent) goLive(companion, connection);
        },
      };
    },
  };
}

/** `<ib>` (information of the server) with one element. */
const infoNode = (tag: string, attrs: Record<string, string>) => element('ib', { from: SERVER }, [element(tag, attrs)]);

/** `<offline_preview>`: the number of stanzas of each kind in the offline queue. */
function offlinePreviewNode(waiting: BinaryNode[]): BinaryNode {
  const count = (tag: string) => String(waiting.filter((node) => node.tag === tag).length);
  return infoNode('offline_preview', {
    count: String(waiting.length),
    message: count('message'),
    receipt: count('receipt'),
    notification: count('notification'),
    appdata: '0',
  });
}
