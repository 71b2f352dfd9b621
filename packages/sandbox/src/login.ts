// Login of a linked companion: verifies it, replaces its previous connection, and sends the offline queue before live
// traffic.
import type { BinaryNode, proto } from '@whiskeysockets/baileys';
import { type Faults, failureNode, streamErrorNode } from './faults.ts';
import type { Companion, Handsets, World } from './model.ts';
import { attributeName, element, SERVER } from './node.ts';
import type { Sessions } from './sessions.ts';
import type { IqHandler } from './stanzas/router.ts';
import type { ClientConnection } from './wire/connection.ts';
import { lidJid } from './world.ts';

export interface Login {
  open(connection: ClientConnection, payload: proto.ClientPayload): void;
  close(connection: ClientConnection): void;
  /** `passive` iqs: the first `active` starts the queue, then live traffic, then the first sync. */
  readonly passive: IqHandler;
}

export interface LoginOptions {
  world: World;
  faults: Faults;
  handsets: Handsets;
  sessions: Sessions;
  onError(connection: ClientConnection, error: unknown): void;
}

export function createLogin({ world, faults, handsets, sessions, onError }: LoginOptions): Login {
  function companionOf(connection: ClientConnection, { username, device }: proto.ClientPayload): Companion | undefined {
    const companion = world.companion(`${username}:${device ?? 0}@s.whatsapp.net`);
    return companion && connection.clientStatic.equals(companion.noiseKey) ? companion : undefined;
  }

  /** Everything that waited, then live traffic; nothing may come between, or the order of a chat would break. */
  function goLive(companion: Companion, connection: ClientConnection): void {
    if (connection.live || connection.isClosed) return;
    const now = String(world.now());
    connection.send(fromServer('dirty', { type: 'account_sync', timestamp: now }));
    const waiting = companion.queue.map(({ node }) => node);
    if (waiting.length > 0) connection.send(preview(waiting));
    for (const node of waiting) connection.send({ ...node, attrs: { ...node.attrs, offline: '0' } });
    connection.live = true;
    connection.send(fromServer('offline', { count: String(waiting.length) }));
    handsets.onLogin(companion).catch((error: unknown) => onError(connection, error));
  }

  return {
    open(connection, payload) {
      const companion = companionOf(connection, payload);
      if (!companion) return connection.close(failureNode(401));
      const before = companion.connection;
      before?.close(streamErrorNode(undefined, 'replaced'));
      sessions.recordLogin(companion, before);
      connection.companion = companion;
      companion.connection = connection;
      const { account, device } = companion;
      if (connection.applyFault(faults.takeForLogin(account.number))) return;
      const attrs = {
        t: String(world.now()),
        lid: lidJid(account, device),
        display_name: attributeName(account.name),
        location: 'lla',
      };
      connection.send(element('success', attrs));
    },
    close({ companion, id }) {
      if (companion?.connection?.id !== id) return;
      companion.connection = undefined;
      sessions.recordLogout(companion);
    },
    passive: ({ connection: open }, iq, connection) => {
      const [child] = Array.isArray(iq.content) ? iq.content : [];
      if (child?.tag !== 'active' && child?.tag !== 'passive') return undefined;
      const { companion } = connection;
      const starts = child.tag === 'active' && companion && open === connection;
      return { after: () => starts && goLive(companion, connection) };
    },
  };
}

const fromServer = (tag: string, attrs: Record<string, string>) =>
  element('ib', { from: SERVER }, [element(tag, attrs)]);

/** How much of what is about to come. */
function preview(waiting: BinaryNode[]): BinaryNode {
  const count = (tag: string) => String(waiting.filter((node) => node.tag === tag).length);
  return fromServer('offline_preview', {
    count: String(waiting.length),
    message: count('message'),
    receipt: count('receipt'),
    notification: count('notification'),
    appdata: '0',
  });
}
