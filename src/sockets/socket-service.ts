// Events as they happen, over socket.io: who listens to what, and the bodies they get. Keeps nothing for whoever is away or slow.
// Whether somebody may listen is asked of whoever serves it (`admit`).
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

export type { Interest as Wish, PeerConnection as Line } from './peer-fanout.ts';
export type { PeerTransport as Wires } from './peer-subscriptions.ts';

/** ms that a connection may be in no namespace. */
const JOIN_TIMEOUT = 10_000;
/** Sockets of one instance, and of the root namespace. */
const PER_ROOM = 100;
/** The room of those who hear everything; no instance has this id. */
const EVERYTHING = '*';

export interface ListenRequest {
  /** As the client wrote it; `/` is the one of all instances. */
  namespace: string;
  /** `auth.apikey`, or the header, or the query, in this order. */
  key: string | undefined;
  /** The request that opened the connection. */
  request: IncomingMessage;
  /** The socket ends when `watch` calls its `end`; what `watch` returns is called when it ended. */
  endWith(watch: Watch): void;
}

type Watch = (end: () => void) => () => void;

/** Resolves with the id of the instance to listen to, undefined for all; rejects with what the client is told. */
export type AdmitListener = (ask: ListenRequest) => Promise<string | undefined>;

export type SettingsOf = (instanceId: string) => WebsocketSettings | undefined;

export interface SocketServiceOptions {
  settingsOf: SettingsOf;
  /** Whether the root namespace gets the events of all instances. */
  global: boolean;
  /** Connections at one time; 0: any number. */
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
  readonly #lines: SocketEngine;
  /** By instance id, or EVERYTHING. */
  readonly #rooms = new Map<string, Set<Listener>>();
  /** Other nodes that hear what happens here, and that are heard here. */
  readonly #relays = new PeerFanout();
  #links: PeerSubscriptions | undefined;
  /** Rooms that somebody is about to join. */
  readonly #joining = new Map<Listener, string>();
  /** Namespaces that a connection has joined. */
  readonly #joined = new WeakMap<Listener['conn'], number>();
  #admit: AdmitListener = async () => {
    throw new GatewayError('STARTING', 'Service Unavailable');
  };

  constructor(options: SocketServiceOptions) {
    this.#options = options;
    this.isGlobal = options.global;
    this.#io = new Server({ serveClient: false, cleanupEmptyChildNamespaces: true, connectTimeout: JOIN_TIMEOUT });
    this.#lines = new SocketEngine(options);
    this.#io.bind(this.#lines.engine);
    // Every name is let in as far as the check of the key: whoever has none must not learn which instances exist.
    const named = this.#io.of((_name, _auth, next) => next(null, true));
    for (const space of [this.#io.of('/'), named]) {
      space.use((socket, next) => this.#check(socket).then(() => next(), next));
      space.on('connection', (socket) => this.#join(socket));
    }
  }

  /** Takes upgrades of the server's connections; `route` brings them, like any request, to where `handle` is called. */
  attach(server: HttpServer, route: Route, admit: AdmitListener): void {
    this.#admit = admit;
    this.#lines.attach(server, route);
  }

  /** Answers a request of the transport; nobody else may write the answer. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#lines.handle(request, response);
  }

  /** From now on this is one node of several: what happens on the others is heard here as well. */
  connect(node: string, wires: PeerTransport): void {
    this.#lines.nameAfter(node);
    const hear = (told: RelayedEvent) => ('gone' in told ? this.#disconnect(told.instance) : this.#emit(told));
    this.#links = new PeerSubscriptions({
      transport: wires,
      clock: this.#options.clock,
      interest: () => this.#wish(),
      onEvent: hear,
    });
  }

  /** Tells another node what it wishes to hear, line by line; a later line of the same node ends an earlier one. Returns what ends it. */
  subscribePeer(node: string, wish: Interest, line: PeerConnection): () => void {
    return this.#relays.add(node, wish, line);
  }

  /** False when there is no line to that node. */
  changeInterest(node: string, wish: Interest): boolean {
    return this.#relays.change(node, wish);
  }

  /** Whether somebody hears this event of the instance. Called for every event. */
  hasListeners(instanceId: string, type: string): boolean {
    return this.#rooms.has(EVERYTHING) || this.#relays.isAnyInterestedInAll() || this.#isHeard(instanceId, type);
  }

  /** Tells the events that were just stored, in order. */
  emit(instanceId: string, events: readonly NewEvent[]): void {
    if (this.#rooms.size === 0 && this.#relays.isEmpty) return;
    for (const { type, body } of events) {
      const told = { instance: instanceId, type, body, isOwn: this.#isHeard(instanceId, type) };
      this.#emit(told);
      this.#relays.send(told);
    }
  }

  /** The instance was deleted. */
  forget(instanceId: string): void {
    this.#disconnect(instanceId);
    this.#relays.send({ instance: instanceId, gone: true });
  }

  /** Ends all connections; clients see them break and come again when somebody listens. */
  async close(): Promise<void> {
    this.#links?.close();
    this.#relays.end();
    await this.#io.close();
    await this.#lines.close();
  }

  #isHeard(instanceId: string, type: string): boolean {
    if (!this.#rooms.has(instanceId) && !this.#relays.isAnyInterestedIn(instanceId)) return false;
    const settings = this.#options.settingsOf(instanceId);
    return settings?.enabled === true && isSubscribed(settings.events, type);
  }

  #emit({ instance, type, body, isOwn }: Exclude<RelayedEvent, { gone: true }>): void {
    const rooms = [...(isOwn ? [instance] : []), EVERYTHING];
    const listeners = rooms.flatMap((room) => [...(this.#rooms.get(room) ?? [])]);
    if (listeners.length === 0) return;
    const envelope: unknown = JSON.parse(body);
    // A name may be spelt in two ways (percent-encoded), each a namespace of its own.
    const spaces = new Set<Space>(listeners.map(({ nsp }) => nsp));
    for (const space of spaces) space.to(rooms).emit(type, envelope);
  }

  #disconnect(instanceId: string): void {
    for (const socket of [...(this.#rooms.get(instanceId) ?? [])]) socket.disconnect();
  }

  /** What is heard here, in an order that does not change by itself. */
  #wish(): Interest {
    const rooms = [...new Set([...this.#rooms.keys(), ...this.#joining.values()])].sort();
    return { instances: rooms.filter((room) => room !== EVERYTHING), all: rooms.includes(EVERYTHING) };
  }

  /** Other nodes know of a listener before it believes that it hears everything. */
  async #prepare(socket: Listener, room: string): Promise<void> {
    if (!this.#links) return;
    this.#joining.set(socket, room);
    // It may be gone before it has joined.
    socket.conn.once('close', () => this.#joining.delete(socket));
    await this.#links.update();
    if (socket.conn.readyState !== 'open') this.#joining.delete(socket);
  }

  async #check(socket: Listener): Promise<void> {
    const { auth, headers, query } = socket.handshake;
    const key = [auth.apikey, headers.apikey, query.apikey].find((each) => typeof each === 'string' && each !== '');
    try {
      const endWith = (watch: Watch) => void Object.assign(socket.data, { watch });
      const ask = { namespace: socket.nsp.name, key, request: socket.request, endWith };
      const room = (await this.#admit(ask)) ?? EVERYTHING;
      if ((this.#rooms.get(room)?.size ?? 0) >= PER_ROOM)
        throw new GatewayError('RATE_LIMITED', [`There are ${PER_ROOM} sockets already`]);
      await this.#prepare(socket, room);
      socket.data.room = room;
    } catch (error) {
      throw refusal(error);
    }
  }

  #join(socket: Listener): void {
    const { room, watch } = socket.data;
    if (room === undefined) return;
    const unwatch = watch?.(() => socket.disconnect());
    void socket.join(room);
    this.#rooms.set(room, (this.#rooms.get(room) ?? new Set()).add(socket));
    this.#joining.delete(socket);
    this.#count(socket, 1);
    socket.on('disconnect', () => {
      unwatch?.();
      const others = this.#rooms.get(room);
      if (others?.delete(socket) && others.size === 0) {
        this.#rooms.delete(room);
        void this.#links?.update();
      }
      this.#count(socket, -1);
    });
  }

  /** Clients hang up when they are in no namespace any more; for those that do not, we do. */
  #count({ conn }: Listener, change: 1 | -1): void {
    const isIdle = () => !this.#joined.get(conn);
    this.#joined.set(conn, (this.#joined.get(conn) ?? 0) + change);
    if (isIdle()) this.#options.clock.after(JOIN_TIMEOUT, () => isIdle() && conn.close());
  }
}

/** What the client's `connect_error` has: a sentence, and status and code in `data`. */
function refusal(error: unknown): Error {
  const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Internal Server Error');
  return Object.assign(new Error([known.body].flat().join(': ')), {
    data: { status: known.status, code: known.code },
  });
}
