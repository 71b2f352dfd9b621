// Events over socket.io: namespaces, their clients, and the events they get. Buffers nothing for clients that are
// disconnected or slow. Decision D-123.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { type Namespace, Server, type Socket } from 'socket.io';
import { GatewayError } from '../errors.ts';
import type { NewEvent } from '../events/event-batch.ts';
import { isSubscribed } from '../events/event-names.ts';
import type { Clock } from '../lib/clock.ts';
import type { WebsocketSettings } from '../storage/instance-row.ts';
import { type Interest, type PeerConnection, PeerFanout, type RelayedEvent } from './peer-fanout.ts';
import { PeerSubscriptions, type PeerTransport } from './peer-subscriptions.ts';
import { type Route, SocketEngine } from './socket-engine.ts';

/** ms after which a connection that is in no namespace is closed. */
const JOIN_TIMEOUT_MS = 10_000;
/** Sockets of one instance, and of the root namespace. */
const MAX_SOCKETS_PER_ROOM = 100;
/** The room of the root namespace. No instance has this id. */
const ALL_INSTANCES = '*';

/** The request of a client to join a namespace. */
export interface ListenRequest {
  /** Namespace as the client wrote it; `/` is the root namespace. */
  namespace: string;
  /** The API key: `auth.apikey`, else the header, else the query parameter. */
  key: string | undefined;
  /** The HTTP request that opened the connection. */
  request: IncomingMessage;
  /** Registers a watcher that ends the socket when the key loses its access. */
  endWith(watch: Watch): void;
}

/** Starts to watch; calls `end` to end the socket. Returns a function that stops the watch. */
type Watch = (end: () => void) => () => void;

/**
 * Resolves with the id of the instance whose events the client gets, undefined for all. Rejects with the error for the
 * client.
 */
export type AdmitListener = (request: ListenRequest) => Promise<string | undefined>;

export type SettingsOf = (instanceId: string) => WebsocketSettings | undefined;

export interface SocketServiceOptions {
  settingsOf: SettingsOf;
  /** Whether the root namespace gets the events of all instances. */
  global: boolean;
  /** Open connections at one time; 0: unlimited. */
  maxConnections: number;
  clock: Clock;
}

interface Outgoing {
  [event: string]: (body: unknown) => void;
}
type Incoming = Record<never, never>;
interface Data {
  room?: string;
  watch?: Watch;
}
type Listener = Socket<Incoming, Outgoing, Incoming, Data>;
type Space = Namespace<Incoming, Outgoing, Incoming, Data>;

export class SocketService {
  /** Whether the root namespace is open. */
  readonly isGlobal: boolean;
  readonly #options: SocketServiceOptions;
  readonly #io: Server<Incoming, Outgoing, Incoming, Data>;
  readonly #engine: SocketEngine;
  /** Sockets by instance id, or ALL_INSTANCES. */
  readonly #rooms = new Map<string, Set<Listener>>();
  /** Other nodes with clients for events of this node. */
  readonly #fanout = new PeerFanout();
  /** Subscriptions of this node at other nodes; undefined without a cluster. */
  #peers: PeerSubscriptions | undefined;
  /** Rooms of sockets that are being admitted. */
  readonly #joining = new Map<Listener, string>();
  /** Number of namespaces that a connection is in. */
  readonly #joined = new WeakMap<Listener['conn'], number>();
  #admit: AdmitListener = async () => {
    throw new GatewayError('STARTING', 'Service Unavailable');
  };

  constructor(options: SocketServiceOptions) {
    this.#options = options;
    this.isGlobal = options.global;
    this.#io = new Server({ serveClient: false, cleanupEmptyChildNamespaces: true, connectTimeout: JOIN_TIMEOUT_MS });
    this.#engine = new SocketEngine(options);
    this.#io.bind(this.#engine.engine);
    // Every namespace exists until the key is checked, so that a client without a key cannot find out the names of
    // instances.
    const named = this.#io.of((_name, _auth, next) => next(null, true));
    for (const space of [this.#io.of('/'), named]) {
      space.use((socket, next) => this.#check(socket).then(() => next(), next));
      space.on('connection', (socket) => this.#join(socket));
    }
  }

  /** Takes the upgrade requests of the server. `route` passes them through the gateway's router to `handle`. */
  attach(server: HttpServer, route: Route, admit: AdmitListener): void {
    this.#admit = admit;
    this.#engine.attach(server, route);
  }

  /** Answers a request of the transport. The caller must not write to the response. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#engine.handle(request, response);
  }

  /** Joins the cluster: clients of this node also get the events of other nodes. */
  connect(node: string, transport: PeerTransport): void {
    this.#engine.nameAfter(node);
    this.#peers = new PeerSubscriptions({
      transport,
      clock: this.#options.clock,
      interest: () => this.#interest(),
      onEvent: (event) => ('gone' in event ? this.#disconnect(event.instance) : this.#emit(event)),
    });
  }

  /**
   * Subscribes another node to events of this one; see PeerFanout.add. Returns a function that ends the subscription.
   */
  subscribePeer(node: string, interest: Interest, connection: PeerConnection): () => void {
    return this.#fanout.add(node, interest, connection);
  }

  /** Changes the interest of another node. Returns false when the node is not subscribed. */
  changeInterest(node: string, interest: Interest): boolean {
    return this.#fanout.change(node, interest);
  }

  /** Whether a client, here or at another node, gets this event of the instance. Called for every event. */
  hasListeners(instanceId: string, type: string): boolean {
    return (
      this.#rooms.has(ALL_INSTANCES) || this.#fanout.isAnyInterestedInAll() || this.#isForNamespace(instanceId, type)
    );
  }

  /** Sends stored events to clients and nodes, in order. */
  emit(instanceId: string, events: readonly NewEvent[]): void {
    if (this.#rooms.size === 0 && this.#fanout.isEmpty) return;
    for (const { type, body } of events) {
      const event = { instance: instanceId, type, body, isOwn: this.#isForNamespace(instanceId, type) };
      this.#emit(event);
      this.#fanout.send(event);
    }
  }

  /** Ends the sockets of a deleted instance. */
  forget(instanceId: string): void {
    this.#disconnect(instanceId);
    this.#fanout.send({ instance: instanceId, gone: true });
  }

  /** Closes all connections without a message: clients reconnect when the server is back. */
  async close(): Promise<void> {
    this.#peers?.close();
    this.#fanout.close();
    await this.#io.close();
    await this.#engine.close();
  }

  /** Whether clients of the instance's namespace get the event. */
  #isForNamespace(instanceId: string, type: string): boolean {
    if (!this.#rooms.has(instanceId) && !this.#fanout.isAnyInterestedIn(instanceId)) return false;
    const settings = this.#options.settingsOf(instanceId);
    return settings?.enabled === true && isSubscribed(settings.events, type);
  }

  #emit({ instance, type, body, isOwn }: Exclude<RelayedEvent, { gone: true }>): void {
    const rooms = [...(isOwn ? [instance] : []), ALL_INSTANCES];
    const listeners = rooms.flatMap((room) => [...(this.#rooms.get(room) ?? [])]);
    if (listeners.length === 0) return;
    const envelope: unknown = JSON.parse(body);
    // Clients may percent-encode a name; each spelling is a namespace of its own with the same room.
    const spaces = new Set<Space>(listeners.map(({ nsp }) => nsp));
    for (const space of spaces) space.to(rooms).emit(type, envelope);
  }

  #disconnect(instanceId: string): void {
    for (const socket of [...(this.#rooms.get(instanceId) ?? [])]) socket.disconnect();
  }

  /** Returns what this node has clients for. Sorted, because PeerSubscriptions compares interests as text. */
  #interest(): Interest {
    const rooms = [...new Set([...this.#rooms.keys(), ...this.#joining.values()])].sort();
    return { instances: rooms.filter((room) => room !== ALL_INSTANCES), all: rooms.includes(ALL_INSTANCES) };
  }

  /** Subscribes at the other nodes before the client is admitted, so that it misses no event after its connect. */
  async #subscribePeers(socket: Listener, room: string): Promise<void> {
    if (!this.#peers) return;
    this.#joining.set(socket, room);
    // The connection may close before the socket has joined.
    socket.conn.once('close', () => this.#joining.delete(socket));
    await this.#peers.update();
    if (socket.conn.readyState !== 'open') this.#joining.delete(socket);
  }

  async #check(socket: Listener): Promise<void> {
    const { auth, headers, query } = socket.handshake;
    const key = [auth.apikey, headers.apikey, query.apikey].find((each) => typeof each === 'string' && each !== '');
    try {
      const endWith = (watch: Watch) => void Object.assign(socket.data, { watch });
      const request = { namespace: socket.nsp.name, key, request: socket.request, endWith };
      const room = (await this.#admit(request)) ?? ALL_INSTANCES;
      if ((this.#rooms.get(room)?.size ?? 0) >= MAX_SOCKETS_PER_ROOM)
        throw new GatewayError('RATE_LIMITED', [`There are ${MAX_SOCKETS_PER_ROOM} sockets already`]);
      await this.#subscribePeers(socket, room);
      socket.data.room = room;
    } catch (error) {
      throw toConnectError(error);
    }
  }

  #join(socket: Listener): void {
    const { room, watch } = socket.data;
    if (room === undefined) return;
    const unwatch = watch?.(() => socket.disconnect());
    void socket.join(room);
    this.#rooms.set(room, (this.#rooms.get(room) ?? new Set()).add(socket));
    this.#joining.delete(socket);
    this.#countJoined(socket, 1);
    socket.on('disconnect', () => {
      unwatch?.();
      const sockets = this.#rooms.get(room);
      if (sockets?.delete(socket) && sockets.size === 0) {
        this.#rooms.delete(room);
        void this.#peers?.update();
      }
      this.#countJoined(socket, -1);
    });
  }

  /** Closes a connection that left its last namespace, when the client does not close it itself. */
  #countJoined({ conn }: Listener, change: 1 | -1): void {
    const isIdle = () => !this.#joined.get(conn);
    this.#joined.set(conn, (this.#joined.get(conn) ?? 0) + change);
    if (isIdle()) this.#options.clock.after(JOIN_TIMEOUT_MS, () => isIdle() && conn.close());
  }
}

/** Returns the error for the client's `connect_error`: the message, and status and code in `data`. */
function toConnectError(error: unknown): Error {
  const failure = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Internal Server Error');
  return Object.assign(new Error([failure.responseMessage].flat().join(': ')), {
    data: { status: failure.status, code: failure.code },
  });
}
