// Creates a sandbox: opens the ports, connects the parts, closes everything.

import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { provisionCompanion } from './adv.ts';
import type { Channels } from './channels.ts';
import { createDevices } from './devices.ts';
import { Faults } from './faults.ts';
import type { Groups } from './groups.ts';
import { createHandsets, type PhoneBook } from './handsets.ts';
import { type Hostility, honest } from './hostility.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { createMediaHost } from './media-host.ts';
import type { World } from './model.ts';
import type { Pairing } from './pairing.ts';
import { Restrictions } from './restrictions.ts';
import { type Connections, createServer, type Inject, type ServerLog } from './server.ts';
import type { Sessions } from './sessions.ts';
import { createAppState } from './stanzas/appstate.ts';
import { createPictures } from './stanzas/profile.ts';
import type { Unanswered } from './stanzas/router.ts';
import { LOOPBACK } from './wire/address.ts';
import { type FileRequest, listen } from './wire/listener.ts';
import { createTlsIdentity } from './wire/tls.ts';
import { createWorld } from './world.ts';

export interface SandboxOptions {
  /**
   * Address or name that clients use, default 127.0.0.1. Loopback: the ports are open on it only; otherwise on every
   * interface.
   */
  host?: string;
  /** Port of `ws:`; default 0, any free one. */
  port?: number;
  /** Port of `wss:` and `https:`; default 0. `false`: any free one, for media only, and pictures by plain HTTP. */
  tlsPort?: number | false;
  /** An unanswered stanza is logged as an error (default) or, when false, as a warning. It is recorded either way. */
  strict?: boolean;
  clock?: Clock;
  /** Pino, or the like. Absent: silence. */
  log?: ServerLog;
}

export interface Sandbox {
  /** `ws://host:port/ws/chat` */
  readonly platformUrl: string;
  /** `wss://…`; undefined with `tlsPort: false`. */
  readonly secureUrl: string | undefined;
  /** Root of the Noise certificate chain, 32 bytes: what clients must pin. */
  readonly rootKey: Buffer;
  /** Authority of the TLS certificate, PEM: what clients must trust to move media. */
  readonly caPem: string;
  /** `host:port` of the media host (HTTPS). */
  readonly mediaHost: string;
  readonly world: World;
  readonly faults: Faults;
  readonly handsets: PhoneBook;
  readonly groups: Groups;
  readonly channels: Channels;
  readonly restrictions: Restrictions;
  readonly pairing: Pairing;
  /** Lies to tell on purpose; assign to its fields. */
  readonly hostility: Hostility;
  /** What no part could answer, oldest first (the last 1000). Must stay empty. */
  readonly unanswered: readonly Unanswered[];
  connections(): Connections;
  /** Writes what no platform would. */
  readonly inject: Inject;
  readonly sessions: Sessions;
  /** True once a companion logged in while its previous connection was still open. */
  readonly everOpenTwice: boolean;
  /**
   * Links a companion of `number` without a socket and returns the credentials it would hold (a few ms). It logs in as
   * after a first sync, has no one-time pre-keys and no app state key. Throws RangeError when the number is not on the
   * platform.
   */
  provision(number: string): AuthenticationCreds;
  /** Cuts every connection and frees the ports. */
  close(): Promise<void>;
}

/** Starts a platform without accounts. Rejects when a port is taken. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = systemClock, log, strict = true, host: address = LOOPBACK, port = 0, tlsPort = 0 } = options;
  // The library's dictionary also "has" what every object inherits, such as `constructor`.
  Object.setPrototypeOf(TOKEN_MAP, null);
  const faults = new Faults();
  const hostility = honest();
  const world = createWorld({ faults, clock });
  const host = createMediaHost(faults);
  const appState = createAppState(world);
  const handsets = createHandsets(world, { faults, host, appState, log });
  const { groups, channels } = handsets;
  const devices = createDevices(world);
  const pictures = createPictures(world, groups);
  const restrictions = new Restrictions(world);
  const server = createServer({
    world,
    devices,
    handsets,
    groups,
    channels,
    host,
    pictures,
    appState,
    restrictions,
    faults,
    hostility,
    clock,
    log,
    strict,
  });
  const identity = await createTlsIdentity(address);
  const tls = { port: tlsPort || 0, identity };
  const refuse = () => faults.take('http')?.code;
  const serve = async (request: FileRequest) => pictures.serve(request) ?? host.serve(request);
  const listener = await listen({ host: address, port, tls, refuse, serve, accept: server.accept });
  pictures.serveAt(tlsPort === false ? `http://${listener.host}` : `https://${listener.secureHost}`);
  host.setHostname(listener.secureHost);
  return {
    platformUrl: listener.url,
    secureUrl: tlsPort === false ? undefined : listener.secureUrl,
    rootKey: server.rootKey,
    caPem: identity.caPem,
    mediaHost: listener.secureHost,
    world,
    faults,
    handsets,
    groups,
    channels,
    restrictions,
    pairing: server.pairing,
    hostility,
    unanswered: server.unanswered,
    connections: server.connections,
    inject: server.inject,
    sessions: server.sessions,
    get everOpenTwice() {
      return server.sessions.everOpenTwice;
    },
    provision(number) {
      const { creds, companion } = provisionCompanion(world.account(number), world.now());
      devices.add(companion);
      return creds;
    },
    async close() {
      server.cut();
      await listener.close();
    },
  };
}
