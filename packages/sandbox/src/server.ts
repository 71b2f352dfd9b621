// Accepts client connections, routes their stanzas, and records unanswered stanzas.
import { Curve } from '@whiskeysockets/baileys';
import type { WebSocket } from 'ws';
import type { Channels } from './channels.ts';
import type { Devices } from './devices.ts';
import type { SandboxLog } from './exchange.ts';
import type { ConnectionFault, Faults } from './faults.ts';
import type { Groups } from './groups.ts';
import type { Hostility } from './hostility.ts';
import type { Clock } from './lib/clock.ts';
import { createLogin } from './login.ts';
import type { MediaHost } from './media-host.ts';
import type { Companion, Handsets, World } from './model.ts';
import { createPairing, type Pairing } from './pairing.ts';
import type { Restrictions } from './restrictions.ts';
import { Sessions } from './sessions.ts';
import type { AppState } from './stanzas/appstate.ts';
import { createChannelPosts, createChannelQueries } from './stanzas/channel.ts';
import { createEncrypt } from './stanzas/encrypt.ts';
import { createGroupHandler } from './stanzas/group.ts';
import { createMediaConnection } from './stanzas/media.ts';
import { createBlocklist, createDisappearing, createPrivacy } from './stanzas/privacy.ts';
import { createStatus, type Pictures } from './stanzas/profile.ts';
import { createRouter, type IqHandler, type Unanswered } from './stanzas/router.ts';
import * as service from './stanzas/service.ts';
import { createUsync } from './stanzas/usync.ts';
import { createIdentity } from './wire/certificate.ts';
import { ClientConnection } from './wire/connection.ts';

/** How many unanswered stanzas are remembered. */
const MAX_UNANSWERED = 1000;

export type ServerLog = SandboxLog & { error(fields: object, event: string): void };

export interface ServerOptions {
  world: World;
  devices: Devices;
  handsets: Handsets;
  groups: Groups;
  channels: Channels;
  host: MediaHost;
  pictures: Pictures;
  appState: AppState;
  restrictions: Restrictions;
  faults: Faults;
  hostility: Hostility;
  clock: Clock;
  log: ServerLog | undefined;
  /** Unanswered stanzas are logged as errors, not as warnings. */
  strict: boolean;
}

export interface Connections {
  /** Open sockets, those that are not logged in included. */
  total: number;
  /** Sockets per companion. */
  companions: ReadonlyMap<Companion, number>;
}

/**
 * Writes bytes to every open connection of the number's linked devices and returns to how many. `stanza`: the plaintext
 * of a frame, which is encrypted as the connection's next one. `frame`: the content of a frame as it is. Throws
 * RangeError when they do not fit in a frame.
 */
export type Inject = (number: string, as: 'stanza' | 'frame', bytes: Uint8Array) => number;

export interface Server {
  readonly rootKey: Buffer;
  readonly pairing: Pairing;
  readonly unanswered: readonly Unanswered[];
  readonly sessions: Sessions;
  connections(): Connections;
  /** Serves a fresh WebSocket. */
  accept(socket: WebSocket): void;
  inject: Inject;
  /** Cuts every socket. */
  cut(): void;
}

function iqHandlers(options: ServerOptions, passive: IqHandler): Record<string, IqHandler> {
  const { world, devices, groups, channels, host, pictures, appState, restrictions } = options;
  const handleChannelQuery = createChannelQueries(channels);
  return {
    abt: service.properties,
    blocklist: createBlocklist(world),
    disappearing_mode: createDisappearing(world),
    encrypt: createEncrypt(options),
    md: service.createUnlinking(devices),
    newsletter: createChannelPosts(channels),
    passive,
    privacy: createPrivacy(world),
    status: createStatus(world),
    'urn:xmpp:whatsapp:dirty': service.dirty,
    usync: createUsync(world, devices),
    'w:biz': service.createBusinesses(world),
    'w:g2': createGroupHandler(groups, world),
    'w:m': createMediaConnection(host),
    'w:mex': (...query) => restrictions.handleQuery(...query) ?? handleChannelQuery(...query),
    'w:p': service.ping,
    'w:profile:picture': pictures.handler,
    'w:stats': service.telemetry,
    'w:sync:app:state': appState.handler,
  };
}

export function createServer(options: ServerOptions): Server {
  const { world, handsets, faults, hostility, clock, log } = options;
  const open = new Set<ClientConnection>();
  const unanswered: Unanswered[] = [];
  const staticKey = Curve.generateKeyPair();
  const identity = createIdentity(world.now(), staticKey);
  const foreign = createIdentity(world.now(), staticKey, true);
  const failed = (connection: ClientConnection, err: unknown) =>
    log?.error({ err, connection: connection.id }, 'sandbox.connection.failed');
  const pairing = createPairing(options);
  const sessions = new Sessions(clock);
  const login = createLogin({ world, faults, handsets, sessions, failed });
  const route = createRouter({
    handsets,
    faults,
    iq: iqHandlers(options, login.passive),
    registering: pairing.answer,
    unanswered(entry) {
      unanswered.push({ at: new Date(clock.now()).toISOString(), ...entry });
      if (unanswered.length > MAX_UNANSWERED) unanswered.shift();
      log?.[options.strict ? 'error' : 'warn']({ what: entry.what }, 'sandbox.stanza.unanswered');
    },
  });
  const owner = {
    async opened(connection: ClientConnection, payload: Parameters<typeof login.open>[1]) {
      if (payload.devicePairingData) pairing.register(connection, payload.devicePairingData);
      else login.open(connection, payload);
    },
    stanza: route,
    closed(connection: ClientConnection) {
      open.delete(connection);
      pairing.forget(connection);
      login.close(connection);
      handsets.offline(connection);
    },
    failed,
  };
  faults.onConnectionFault((fault) => applyFault(open, fault));
  let lastConnection = 0;
  return {
    rootKey: identity.rootKey,
    pairing,
    unanswered,
    sessions,
    connections: () => count(open),
    accept(socket) {
      const serverIdentity = hostility.certificate ? foreign : identity;
      const id = ++lastConnection;
      open.add(new ClientConnection(socket, { id, identity: serverIdentity, owner, clock, nextId: world.id }));
    },
    inject(number, as, bytes) {
      const targets = [...open].filter(({ companion }) => companion?.account.number === number);
      for (const connection of targets) {
        if (as === 'stanza') connection.sendPlaintext(bytes);
        else connection.sendFrame(bytes);
      }
      return targets.length;
    },
    cut() {
      for (const connection of open) connection.terminate();
    },
  };
}

/** Lets the fault hit every open connection it concerns; says whether there was one. */
function applyFault(open: ReadonlySet<ClientConnection>, fault: ConnectionFault): boolean {
  const hit = [...open].filter(({ companion }) => !fault.number || companion?.account.number === fault.number);
  for (const connection of hit) connection.applyFault(fault);
  return hit.length > 0;
}

function count(open: ReadonlySet<ClientConnection>): Connections {
  const companions = new Map<Companion, number>();
  for (const { companion } of open) {
    if (companion) companions.set(companion, (companions.get(companion) ?? 0) + 1);
  }
  return { total: open.size, companions };
}
