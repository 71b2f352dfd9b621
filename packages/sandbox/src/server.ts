// Accepts client connections, routes their stanzas (protocol messages) to handlers, and records those that no handler
// answered.
import type { Duplex } from 'node:stream';
import { type BinaryNode, Curve } from '@whiskeysockets/baileys';
import type { WebSocket } from 'ws';
import type { Clock } from './lib/clock.ts';
import type { MediaHost } from './media/media-host.ts';
import { createLogin } from './pairing/login.ts';
import { createPairing, type Pairing } from './pairing/pairing.ts';
import type { SandboxLog } from './phone/interfaces.ts';
import { createAppState } from './stanzas/app-state.ts';
import { createChannelPosts, createChannelQueries } from './stanzas/channel.ts';
import { createEncrypt } from './stanzas/encrypt.ts';
import { createGroupHandler } from './stanzas/group.ts';
import { createMediaConnectionHandler } from './stanzas/media.ts';
import { createMexHandler } from './stanzas/mex.ts';
import * as miscellaneous from './stanzas/miscellaneous.ts';
import { createBlocklist, createDisappearing, createPrivacy } from './stanzas/privacy.ts';
import { createStatus, createTextStatus, type Pictures } from './stanzas/profile.ts';
import type { Restrictions } from './stanzas/restrictions.ts';
import { createRouter, type IqHandler, type Unanswered } from './stanzas/router.ts';
import { createUsync } from './stanzas/usync.ts';
import { createIdentity } from './wire/certificate.ts';
import { ClientConnection } from './wire/connection.ts';
import type { AppStatePatches } from './world/app-state.ts';
import type { Channels } from './world/channels.ts';
import type { Devices } from './world/devices.ts';
import type { ConnectionFault, Faults } from './world/faults.ts';
import type { Groups } from './world/groups.ts';
import type { Companion, Phones, World } from './world/model.ts';
import { Sessions } from './world/sessions.ts';
import type { ProtocolViolations } from './world/violations.ts';

/** Maximum number of unanswered stanzas that are recorded; the oldest are removed. */
const MAX_UNANSWERED = 1000;

export type ServerLog = SandboxLog & { error(fields: object, event: string): void };

export interface ServerOptions {
  world: World;
  devices: Devices;
  phones: Phones;
  groups: Groups;
  channels: Channels;
  mediaHost: MediaHost;
  pictures: Pictures;
  appStatePatches: AppStatePatches;
  restrictions: Restrictions;
  faults: Faults;
  violations: ProtocolViolations;
  clock: Clock;
  log: ServerLog | undefined;
  /** Whether unanswered stanzas are logged as errors instead of warnings. */
  strict: boolean;
  /**
   * When the client of a new companion asks how many one-time pre-keys are left, the server answers with a number that
   * is too high by `extraReportedPreKeys`. The client then uploads fewer keys.
   */
  extraReportedPreKeys: number;
  /** Called with every stanza of a logged-in client before the stanza is handled. */
  onStanza: ((stanza: ClientStanza) => void) | undefined;
}

export interface Connections {
  /** Number of open sockets, including those that are not logged in. */
  total: number;
  /** Number of open sockets of each companion (linked device). */
  companions: ReadonlyMap<Companion, number>;
}

/** A stanza of a logged-in client, and the device that sent it. */
export interface ClientStanza {
  number: string;
  device: number;
  node: BinaryNode;
}

/**
 * Writes `bytes` to every open connection of the number's linked devices and returns the number of these connections.
 * As a `stanza` the bytes are encrypted like any outgoing stanza; as a `frame` they are written unencrypted. Throws
 * RangeError when the bytes do not fit in a frame.
 */
export type Inject = (number: string, as: 'stanza' | 'frame', bytes: Uint8Array) => number;

export interface Server {
  /** Public key of the certificate root, which clients must trust. */
  readonly rootKey: Buffer;
  readonly pairing: Pairing;
  /** The stanzas that no handler answered, oldest first, up to MAX_UNANSWERED. */
  readonly unanswered: readonly Unanswered[];
  readonly sessions: Sessions;
  connections(): Connections;
  /** Serves a newly opened WebSocket. `stream` is its TCP or TLS stream. */
  accept(socket: WebSocket, stream: Duplex): void;
  inject: Inject;
  /** Terminates every socket. */
  terminateAll(): void;
}

/**
 * Creates the handlers of client queries (`<iq>` stanzas) by xmlns. `passive` is the handler of the xmlns `passive`,
 * which is part of the login.
 */
function createIqHandlers(options: ServerOptions, passive: IqHandler): Record<string, IqHandler> {
  const { world, devices, groups, channels, mediaHost, pictures, appStatePatches, restrictions } = options;
  return {
    abt: miscellaneous.experiments,
    blocklist: createBlocklist(world),
    disappearing_mode: createDisappearing(world),
    encrypt: createEncrypt(options),
    md: miscellaneous.createUnlinking(devices),
    newsletter: createChannelPosts(channels),
    passive,
    privacy: createPrivacy(world),
    status: createStatus(world),
    'urn:xmpp:whatsapp:dirty': miscellaneous.dirty,
    usync: createUsync(world, devices),
    w: miscellaneous.namedExperiments,
    'w:biz': miscellaneous.createBusinesses(world),
    'w:g2': createGroupHandler(groups, world),
    'w:m': createMediaConnectionHandler(mediaHost),
    // Queries in JSON. Each handler answers some of them.
    'w:mex': createMexHandler([restrictions.handleQuery, createTextStatus(world), createChannelQueries(channels)]),
    'w:profile:picture': pictures.handler,
    'w:stats': miscellaneous.telemetry,
    'w:sync:app:state': createAppState(world, appStatePatches),
  };
}

export function createServer(options: ServerOptions): Server {
  const { world, phones, faults, violations, clock, log } = options;
  const openConnections = new Set<ClientConnection>();
  const unanswered: Unanswered[] = [];
  const staticKey = Curve.generateKeyPair();
  const identity = createIdentity(world.now(), staticKey);
  const untrustedIdentity = createIdentity(world.now(), staticKey, { hasForeignRoot: true });
  /** An identity whose certificate chain is valid, but certifies another key than `staticKey`. */
  const uncertifiedIdentity = { ...createIdentity(world.now(), Curve.generateKeyPair()), staticKey };
  /** The server's identity for a new connection; a wrong one when a test has switched on a protocol violation. */
  const currentIdentity = () => {
    if (violations.certificate) return untrustedIdentity;
    return violations.certifiedKey ? uncertifiedIdentity : identity;
  };
  const onError = (connection: ClientConnection, err: unknown) =>
    log?.error({ err, connection: connection.id }, 'sandbox.connection.failed');
  const pairing = createPairing(options);
  const sessions = new Sessions(clock);
  const login = createLogin({ world, faults, phones, sessions, onError });
  const route = createRouter({
    phones,
    faults,
    iq: createIqHandlers(options, login.passive),
    answerUnregistered: pairing.answer,
    onUnanswered(entry) {
      unanswered.push({ at: new Date(clock.now()).toISOString(), ...entry });
      if (unanswered.length > MAX_UNANSWERED) unanswered.shift();
      log?.[options.strict ? 'error' : 'warn']({ what: entry.what }, 'sandbox.stanza.unanswered');
    },
  });
  const handlers = {
    async onOpen(connection: ClientConnection, payload: Parameters<typeof login.open>[1]) {
      if (payload.devicePairingData) pairing.register(connection, payload.devicePairingData);
      else login.open(connection, payload);
    },
    onStanza(connection: ClientConnection, node: BinaryNode) {
      const { companion } = connection;
      if (companion) options.onStanza?.({ number: companion.account.number, device: companion.device, node });
      return route(connection, node);
    },
    onClose(connection: ClientConnection) {
      openConnections.delete(connection);
      pairing.forget(connection);
      login.close(connection);
      phones.onDisconnect(connection);
    },
    onError,
  };
  faults.onConnectionFault((fault) => applyFault(openConnections, fault));
  let lastConnectionId = 0;
  return {
    rootKey: identity.rootKey,
    pairing,
    unanswered,
    sessions,
    connections: () => countConnections(openConnections),
    accept(socket, stream) {
      const id = ++lastConnectionId;
      openConnections.add(
        new ClientConnection(socket, {
          id,
          stream,
          identity: currentIdentity(),
          handlers,
          clock,
          nextId: world.nextId,
        }),
      );
    },
    inject(number, as, bytes) {
      const targets = [...openConnections].filter(({ companion }) => companion?.account.number === number);
      for (const connection of targets) {
        if (as === 'stanza') connection.sendPlaintext(bytes);
        else connection.sendFrame(bytes);
      }
      return targets.length;
    },
    terminateAll() {
      for (const connection of openConnections) connection.terminate();
    },
  };
}

/**
 * Applies the fault to every open connection of its number, or to all connections when it has no number. Returns false
 * when there is no such connection.
 */
function applyFault(connections: ReadonlySet<ClientConnection>, fault: ConnectionFault): boolean {
  const affected = [...connections].filter(
    ({ companion }) => !fault.number || companion?.account.number === fault.number,
  );
  for (const connection of affected) connection.applyFault(fault);
  return affected.length > 0;
}

function countConnections(connections: ReadonlySet<ClientConnection>): Connections {
  const companions = new Map<Companion, number>();
  for (const { companion } of connections) {
    if (companion) companions.set(companion, (companions.get(companion) ?? 0) + 1);
  }
  return { total: connections.size, companions };
}
