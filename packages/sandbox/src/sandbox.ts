// Creates a sandbox, which is a simulated WhatsApp server with simulated phones: opens the ports, connects the parts,
// and closes everything. A stanza is one message of the protocol; a companion is a linked device, that is, a client.

import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import { type Clock, systemClock } from './lib/clock.ts';
import { createMediaHost } from './media/media-host.ts';
import type { Pairing } from './pairing/pairing.ts';
import { createPhones, type SimulatedPhones } from './phones.ts';
import { type ClientStanza, type Connections, createServer, type Inject, type ServerLog } from './server.ts';
import { createPictures } from './stanzas/profile.ts';
import { Restrictions } from './stanzas/restrictions.ts';
import type { Unanswered } from './stanzas/router.ts';
import { LOOPBACK } from './wire/address.ts';
import { type FileRequest, openListener } from './wire/listener.ts';
import { getTlsIdentity } from './wire/tls.ts';
import { provisionCompanion } from './world/adv.ts';
import { AppStatePatches } from './world/app-state.ts';
import type { Channels } from './world/channels.ts';
import { createDevices } from './world/devices.ts';
import { Faults } from './world/faults.ts';
import type { Groups } from './world/groups.ts';
import type { World } from './world/model.ts';
import type { Sessions } from './world/sessions.ts';
import { noViolations, type ProtocolViolations } from './world/violations.ts';
import { createWorld } from './world/world.ts';

export type { ClientStanza } from './server.ts';

export interface SandboxOptions {
  /**
   * IP address or host name under which clients reach the sandbox, default 127.0.0.1. A loopback address opens the
   * ports on loopback only; any other value opens them on every interface.
   */
  host?: string;
  /** Port of `ws:` and `http:`. Default 0: any free port. */
  port?: number;
  /**
   * Port of `wss:` and `https:`. Default 0: any free port. `false`: clients connect with `ws:` and fetch pictures with
   * `http:`; a free port with TLS is opened for media only.
   */
  tlsPort?: number | false;
  /** Whether an unanswered stanza is logged as an error (default) or as a warning. It is recorded in both cases. */
  strict?: boolean;
  clock?: Clock;
  /**
   * Number of one-time pre-keys (Signal) that the server reports for a newly linked client in addition to those that
   * the client has uploaded. With 0 (default), Baileys uploads 812 keys after the login. With 1, Baileys uploads 5
   * keys, and more when few are left.
   */
  extraReportedPreKeys?: number;
  /** Called with every stanza of a logged-in client before it is handled. */
  onStanza?: (stanza: ClientStanza) => void;
  /** A pino logger or a compatible one. Default: nothing is logged. */
  log?: ServerLog;
}

export interface Sandbox {
  /** `ws://host:port/ws/chat` */
  readonly platformUrl: string;
  /** `wss://host:port/ws/chat`; undefined with `tlsPort: false`. */
  readonly secureUrl: string | undefined;
  /** Public key of the Noise root certificate (32 bytes), which clients must pin. */
  readonly rootKey: Buffer;
  /** PEM of the certificate authority, which clients must trust for `wss:`, uploads and downloads. */
  readonly caPem: string;
  /** `host:port` of the media host (HTTPS). */
  readonly mediaHost: string;
  readonly world: World;
  readonly faults: Faults;
  /** The simulated phones. */
  readonly phones: SimulatedPhones;
  readonly groups: Groups;
  readonly channels: Channels;
  /** Restrictions on starting new chats. */
  readonly restrictions: Restrictions;
  /** Links clients to the simulated phones. */
  readonly pairing: Pairing;
  /** Protocol violations that the server commits on purpose. A test sets the field of a violation to true. */
  readonly violations: ProtocolViolations;
  /** The last 1000 stanzas that no handler answered, oldest first. Tests expect none. */
  readonly unanswered: readonly Unanswered[];
  /** Returns the current numbers of open sockets. */
  connections(): Connections;
  /** Writes bytes, which need not be valid, to the clients of a number. */
  readonly inject: Inject;
  /** Records when each linked device was connected. */
  readonly sessions: Sessions;
  /**
   * Links a client to the account of `number` without a socket and returns its credentials. Takes a few ms. The client
   * can log in at once, without the first synchronization. It has no one-time pre-keys (Signal) and no key for the app
   * state (archived chats, contact names, …). Throws RangeError when the number is not on WhatsApp.
   */
  provision(number: string): AuthenticationCreds;
  /** Terminates every connection and frees the ports. */
  close(): Promise<void>;
}

/** Starts a sandbox without accounts. Rejects when a port is in use. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = systemClock, log, strict = true, host = LOOPBACK, port = 0, tlsPort = 0 } = options;
  const faults = new Faults();
  const violations = noViolations();
  const world = createWorld({ faults, clock });
  const mediaHost = createMediaHost(faults, clock);
  const appStatePatches = new AppStatePatches();
  const restrictions = new Restrictions(world);
  const phones = createPhones(world, { faults, mediaHost, appStatePatches, restrictions, log });
  const devices = createDevices(world);
  const pictures = createPictures(world, phones.groups);
  const server = createServer({
    world,
    devices,
    phones,
    groups: phones.groups,
    channels: phones.channels,
    mediaHost,
    pictures,
    appStatePatches,
    restrictions,
    faults,
    violations,
    clock,
    log,
    strict,
    extraReportedPreKeys: options.extraReportedPreKeys ?? 0,
    onStanza: options.onStanza,
  });
  const tls = { port: tlsPort || 0, identity: await getTlsIdentity(host) };
  // The fault `http` rejects the next WebSocket upgrade.
  const takeRejection = () => faults.take('http')?.code;
  const serve = async (request: FileRequest) => pictures.serve(request) ?? mediaHost.serve(request);
  const listener = await openListener({ host, port, tls, takeRejection, serve, accept: server.accept });
  pictures.setBaseUrl(tlsPort === false ? `http://${listener.host}` : `https://${listener.secureHost}`);
  mediaHost.setHostname(listener.secureHost);
  return {
    platformUrl: listener.url,
    secureUrl: tlsPort === false ? undefined : listener.secureUrl,
    rootKey: server.rootKey,
    caPem: tls.identity.caPem,
    mediaHost: listener.secureHost,
    world,
    faults,
    phones,
    groups: phones.groups,
    channels: phones.channels,
    restrictions,
    pairing: server.pairing,
    violations,
    unanswered: server.unanswered,
    connections: server.connections,
    inject: server.inject,
    sessions: server.sessions,
    provision(number) {
      const { creds, companion } = provisionCompanion(world.account(number), world.now());
      devices.add(companion);
      return creds;
    },
    async close() {
      server.terminateAll();
      await listener.close();
    },
  };
}
