// Sends events to clients over socket.io. Each instance has a namespace (`/` and its name), and the root namespace is
// for the events of all instances. The sockets of a namespace form a room. The service keeps no events for clients that
// are disconnected. Decision D-123.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { type Namespace, Server, type Socket } from 'socket.io';
import { GatewayError } from '../errors.ts';
import type { EventRow } from '../events/event-batch.ts';
import { isSubscribed } from '../events/event-names.ts';
import type { Clock } from '../lib/clock.ts';
import type { WebsocketSettings } from '../storage/instance-row.ts';
import { type Interest, type PeerConnection, PeerFanout, type RelayedEvent } from './peer-fanout.ts';
import { PeerSubscriptions, type PeerTransport } from './peer-subscriptions.ts';
import { type RouteRequest, SocketEngine } from './socket-engine.ts';

/** ms after which a connection that is in no namespace is closed. */
const JOIN_TIMEOUT_MS = 10_000;
/** Maximum number of sockets of one instance, and of the root namespace. */
const MAX_SOCKETS_PER_ROOM = 100;
/** The room of the root namespace. Other rooms are named by the id of an instance; no instance has this id. */
const ALL_INSTANCES = '*';

/** The request of a client to join a namespace. */
export interface ListenRequest {
  /** Namespace as the client sent it; `/` is the root namespace. */
  namespace: string;
  /** The API key from `auth.apikey`, else from the header `apikey`, else from the query. */
  key: string | undefined;
  /** The HTTP request that opened the connection. */
  request: IncomingMessage;
  /** Registers a watch that ends the socket when the key loses its access. */
  watchAccess(watch: AccessWatch): void;
}

/** Watches the access of a key, and calls `end` when the key loses it. Returns a function that stops the watch. */
type AccessWatch = (end: () => void) => () => void;

/**
 * Decides which events a client gets: resolves with the id of an instance, or with undefined for all instances. Rejects
 * with the error for the client.
 */
export type AdmitListener = (request: ListenRequest) => Promise<string | undefined>;

/** Returns the websocket settings of an instance; undefined when none are stored. */
export type SettingsOf = (instanceId: string) => WebsocketSettings | undefined;

export interface SocketServiceOptions {
  settingsOf: SettingsOf;
  /** Whether clients can join the root namespace, which gets the events of all instances. */
  global: boolean;
  /** Maximum number of open connections; 0: unlimited. */
  maxConnections: number;
  clock: Clock;
}

interface ServerEvents {
  [event: string]: (body: unknown) => void;
}
type ClientEvents = Record<never, never>;
interface SocketData {
  room?: string;
  unwatchAccess?: () => void;
}
type ListenerSocket = Socket<ClientEvents, ServerEvents, ClientEvents, SocketData>;
type EventNamespace = Namespace<ClientEvents, ServerEvents, ClientEvents, SocketData>;

export class SocketService {
  /** Whether clients can join the root namespace (`global` of the options). `admit` of attach() must check it. */
  readonly isGlobal: boolean;
  readonly #options: SocketServiceOptions;
  readonly #io: Server<ClientEvents, ServerEvents, ClientEvents, SocketData>;
  readonly #engine: SocketEngine;
  /** The sockets of each room: by instance id, or ALL_INSTANCES. */
  readonly #rooms = new Map<string, Set<ListenerSocket>>();
  /** Sends events of this node to the other nodes of the cluster. */
  readonly #fanout = new PeerFanout();
  /** Subscriptions of this node to events of the other nodes; undefined without a cluster. */
  #peerSubscriptions: PeerSubscriptions | undefined;
  /** The room of each socket that has a reserved place in the room but has not joined the room yet. */
  readonly #pendingRooms = new Map<ListenerSocket, string>();
  /** Number of namespaces that each connection is in. */
  readonly #namespaceCounts = new WeakMap<ListenerSocket['conn'], number>();
  /** Refuses all clients until attach() sets it. */
  #admit: AdmitListener = async () => {
    throw new GatewayError('STARTING', 'Service Unavailable');
  };

  constructor(options: SocketServiceOptions) {
    this.#options = options;
    this.isGlobal = options.global;
    this.#io = new Server({ serveClient: false, cleanupEmptyChildNamespaces: true, connectTimeout: JOIN_TIMEOUT_MS });
    this.#engine = new SocketEngine(options);
    this.#io.bind(this.#engine.engine);
    this.#engine.engine.on('connection', (connection: ListenerSocket['conn']) => {
      connection.once('close', () => this.#dropPendingSockets(connection));
    });
    // Every name is accepted as a namespace before the key is checked, so that a client without a key cannot find out
    // the names of instances.
    const instanceNamespaces = this.#io.of((_name, _auth, next) => next(null, true));
    for (const namespace of [this.#io.of('/'), instanceNamespaces]) {
      namespace.use((socket, next) => this.#admitSocket(socket).then(() => next(), next));
      namespace.on('connection', (socket) => this.#join(socket));
    }
  }

  /**
   * Starts to receive the upgrade requests of the server. `route` passes each of them to the gateway's router, which
   * calls handle(). `admit` decides about each client that joins a namespace.
   */
  attach(server: HttpServer, route: RouteRequest, admit: AdmitListener): void {
    this.#admit = admit;
    this.#engine.attach(server, route);
  }

  /** Answers a request of the socket.io protocol. The caller must not write to the response. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#engine.handle(request, response);
  }

  /**
   * Makes clients of this node also get the events of the other nodes of the cluster. `node` is the id of this node.
   */
  joinCluster(node: string, transport: PeerTransport): void {
    this.#engine.prefixSessionIds(node);
    this.#peerSubscriptions = new PeerSubscriptions({
      transport,
      clock: this.#options.clock,
      interest: () => this.#interest(),
      onEvent: (event) => ('gone' in event ? this.#disconnect(event.instance) : this.#emitToClients(event)),
    });
  }

  /**
   * Subscribes another node to events of this node (see PeerFanout.add). Returns a function that ends the subscription.
   */
  subscribePeer(node: string, interest: Interest, connection: PeerConnection): () => void {
    return this.#fanout.add(node, interest, connection);
  }

  /** Changes the events that another node gets. Returns false when the node is not subscribed. */
  changePeerInterest(node: string, interest: Interest): boolean {
    return this.#fanout.change(node, interest);
  }

  /** Returns whether any client, of this or another node, gets events of this type and instance. */
  hasListeners(instanceId: string, type: string): boolean {
    return (
      this.#rooms.has(ALL_INSTANCES) || this.#fanout.isAnyInterestedInAll() || this.#isForNamespace(instanceId, type)
    );
  }

  /** Sends stored events to the clients of this node, and to the other nodes, in order. */
  emit(instanceId: string, events: readonly EventRow[]): void {
    if (this.#rooms.size === 0 && this.#fanout.isEmpty) return;
    for (const { type, body } of events) {
      const event = { instance: instanceId, type, body, isOwn: this.#isForNamespace(instanceId, type) };
      this.#emitToClients(event);
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
    this.#peerSubscriptions?.close();
    this.#fanout.close();
    await this.#io.close();
    await this.#engine.close();
  }

  /** Returns whether the event is for the namespace of the instance, and that namespace has clients. */
  #isForNamespace(instanceId: string, type: string): boolean {
    if (!this.#rooms.has(instanceId) && !this.#fanout.isAnyInterestedIn(instanceId)) return false;
    const settings = this.#options.settingsOf(instanceId);
    return settings?.enabled === true && isSubscribed(settings.events, type);
  }

  #emitToClients({ instance, type, body, isOwn: isForNamespace }: Exclude<RelayedEvent, { gone: true }>): void {
    const rooms = isForNamespace ? [instance, ALL_INSTANCES] : [ALL_INSTANCES];
    const listeners = rooms.flatMap((room) => [...(this.#rooms.get(room) ?? [])]);
    if (listeners.length === 0) return;
    const envelope: unknown = JSON.parse(body);
    // A client can percent-encode the name of an instance. Each spelling is a namespace of its own, with the same room.
    const namespaces = new Set<EventNamespace>(listeners.map(({ nsp }) => nsp));
    for (const namespace of namespaces) namespace.to(rooms).emit(type, envelope);
  }

  #disconnect(instanceId: string): void {
    const pending = [...this.#pendingRooms].filter(([, room]) => room === instanceId).map(([socket]) => socket);
    for (const socket of [...(this.#rooms.get(instanceId) ?? []), ...pending]) this.#end(socket);
  }

  /** Returns the events that this node needs. Sorted, because PeerSubscriptions compares interests as text. */
  #interest(): Interest {
    const rooms = [...new Set([...this.#rooms.keys(), ...this.#pendingRooms.values()])].sort();
    return { instances: rooms.filter((room) => room !== ALL_INSTANCES), all: rooms.includes(ALL_INSTANCES) };
  }

  /**
   * Reserves the place of a socket in its room until #join. Subscribes to events of the other nodes before #join, so
   * that the client misses no event after `connect`.
   */
  async #reserve(socket: ListenerSocket, room: string): Promise<void> {
    this.#pendingRooms.set(socket, room);
    await this.#peerSubscriptions?.update();
    // If the connection closed before the reservation, #dropPendingSockets ran too early to release this place.
    if (socket.conn.readyState !== 'open') this.#drop(socket);
  }

  /** Releases the places of all sockets of a connection that closed. */
  #dropPendingSockets(connection: ListenerSocket['conn']): void {
    for (const socket of this.#pendingRooms.keys()) if (socket.conn === connection) this.#drop(socket);
  }

  /** Releases the place of a socket that will not join. */
  #drop(socket: ListenerSocket): void {
    this.#pendingRooms.delete(socket);
    socket.data.unwatchAccess?.();
  }

  /**
   * Ends a socket. disconnect() has no effect on a socket that has not joined yet. #drop makes #join disconnect such a
   * socket.
   */
  #end(socket: ListenerSocket): void {
    this.#drop(socket);
    socket.disconnect();
  }

  /** Returns whether the room has MAX_SOCKETS_PER_ROOM sockets, including those that have not joined yet. */
  #isFull(room: string): boolean {
    const pending = [...this.#pendingRooms.values()].filter((each) => each === room).length;
    return (this.#rooms.get(room)?.size ?? 0) + pending >= MAX_SOCKETS_PER_ROOM;
  }

  /** Checks the key of a socket and chooses its room. Rejects with the error for the client. */
  async #admitSocket(socket: ListenerSocket): Promise<void> {
    const { auth, headers, query } = socket.handshake;
    const key = [auth.apikey, headers.apikey, query.apikey].find((each) => typeof each === 'string' && each !== '');
    try {
      const watchAccess = (watch: AccessWatch) => {
        socket.data.unwatchAccess = watch(() => this.#end(socket));
      };
      const request = { namespace: socket.nsp.name, key, request: socket.request, watchAccess };
      const room = (await this.#admit(request)) ?? ALL_INSTANCES;
      if (this.#isFull(room))
        throw new GatewayError('RATE_LIMITED', [`There are ${MAX_SOCKETS_PER_ROOM} sockets already`]);
      await this.#reserve(socket, room);
      socket.data.room = room;
    } catch (error) {
      socket.data.unwatchAccess?.();
      throw toConnectError(error);
    }
  }

  /** Adds an admitted socket to its room, and removes it when it disconnects. */
  #join(socket: ListenerSocket): void {
    const { room, unwatchAccess } = socket.data;
    if (room === undefined) return;
    // #drop has released the place: since the admission, the key has lost its access or the instance was deleted.
    if (!this.#pendingRooms.delete(socket)) {
      socket.disconnect();
      this.#countJoined(socket, 0);
      return;
    }
    void socket.join(room);
    this.#rooms.set(room, (this.#rooms.get(room) ?? new Set()).add(socket));
    this.#countJoined(socket, 1);
    socket.on('disconnect', () => {
      unwatchAccess?.();
      const sockets = this.#rooms.get(room);
      if (sockets?.delete(socket) && sockets.size === 0) {
        this.#rooms.delete(room);
        void this.#peerSubscriptions?.update();
      }
      this.#countJoined(socket, -1);
    });
  }

  /**
   * Changes the number of namespaces that a connection is in; the change 0 only checks the number. Closes the
   * connection when it is in no namespace now and still in none after JOIN_TIMEOUT_MS.
   */
  #countJoined({ conn }: ListenerSocket, change: 1 | 0 | -1): void {
    const isIdle = () => !this.#namespaceCounts.get(conn);
    this.#namespaceCounts.set(conn, (this.#namespaceCounts.get(conn) ?? 0) + change);
    if (!isIdle()) return;
    this.#options.clock.after(JOIN_TIMEOUT_MS, () => {
      if (isIdle()) conn.close();
    });
  }
}

/** Returns the error that the client gets as `connect_error`, with the HTTP status and the error code in `data`. */
function toConnectError(error: unknown): Error {
  const failure = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Internal Server Error');
  return Object.assign(new Error([failure.responseMessage].flat().join(': ')), {
    data: { status: failure.status, code: failure.code },
  });
}
