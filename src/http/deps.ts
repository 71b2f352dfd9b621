// What HTTP needs from the rest of the gateway, as narrow as it is used, so that tests can pass plain objects. Types only.
import type { FastifyBaseLogger } from 'fastify';
import type { AuditRecorder } from '../access/audit-recorder.ts';
import type { KeyService } from '../access/keys.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { PeerClient } from '../cluster/peer-client.ts';
import type { Config } from '../config/load.ts';
import type { PublicState } from '../events/events.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { SocketService } from '../sockets/socket-service.ts';
import type { InstanceRow, InstanceSettings, ProxySettings, WebsocketSettings } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { SendTestDelivery } from '../webhooks/test-delivery.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { Network } from '../whatsapp/baileys/platform-endpoint.ts';
import type { createGroup } from '../whatsapp/group/create.ts';
import type { Media } from '../whatsapp/media/media.ts';
import type { MessageFiles } from '../whatsapp/media/message-files.ts';
import type { sendText } from '../whatsapp/message/text.ts';
import type { Restriction, Session } from '../whatsapp/session.ts';
import type { ErrorBody, QrCode } from './schemas/common.ts';

export interface AppInstance {
  readonly id: string;
  readonly name: string;
  readonly row: InstanceRow;
  status(): {
    state: PublicState;
    phase: string;
    cause: string | null;
    message: string | null;
    userAction: string | null;
    /** Epoch ms. */
    retryAt: number | null;
    code: number | null;
    qr: QrCode | null;
    restriction: Restriction | null;
  };
  /** Throws GatewayError INSTANCE_NOT_OPEN. */
  session(): Session;
  /** Resolves with the first QR or pairing code, or the open state; rejects with a named failure. `number` is digits. */
  connect(options: {
    number?: string;
    signal?: AbortSignal;
  }): Promise<QrCode | { instance: { instanceName: string; state: PublicState } }>;
  restart(): Promise<void>;
  /** Stores it and connects anew through it, if connected; null is none. */
  changeProxy(proxy: ProxySettings | null): Promise<void>;
  /** Stores which events go to sockets; in force at once. */
  changeWebsocket(wish: Pick<WebsocketSettings, 'enabled' | 'events'>): Promise<WebsocketSettings>;
  /** Stores the change and returns all settings; in force at once. */
  changeSettings(change: Partial<InstanceSettings>): Promise<InstanceSettings>;
  /** `isConfirmed` is false when the platform did not confirm: the phone may still list the device. */
  logout(): Promise<{ isConfirmed: boolean }>;
}

export interface AppManager<Instance extends AppInstance = AppInstance> {
  /** True once the stored instances are known; until then an unknown name proves nothing. */
  readonly ready: boolean;
  /** Throws GatewayError INSTANCE_NAME_IN_USE, or INVALID_REQUEST for a name or token that cannot be used. */
  create(input: {
    name: string;
    token?: string;
    number?: string;
    settings?: Partial<InstanceSettings>;
    proxy?: ProxySettings | undefined;
    start: boolean;
  }): Promise<Instance>;
  /** Tells subscribers that the instance was created. */
  announce(instance: Instance): Promise<void>;
  get(name: string): Instance | undefined;
  byId(id: string): Instance | undefined;
  byKey(key: string): Instance | undefined;
  list(): Instance[];
  delete(instance: Instance): Promise<void>;
}

export type AppSubscriptions = Pick<
  Subscriptions,
  'find' | 'set' | 'own' | 'get' | 'global' | 'add' | 'change' | 'remove' | 'rotate'
>;

export interface AppDeps {
  config: Config;
  log: FastifyBaseLogger;
  network: Network;
  /** What is counted; undefined when the operator wants nothing counted. */
  metrics?: Pick<Metrics, 'registry' | 'recordRequest' | 'recordForward'> | undefined;
  manager: AppManager;
  /** Both undefined where this process has the database to itself. */
  cluster?: ClusterView | undefined;
  peers?: PeerClient | undefined;
  /** Keys that were given out. */
  keys: Pick<KeyService, 'find' | 'list' | 'get' | 'create' | 'rotate' | 'revoke' | 'onEnd' | 'load'>;
  /** What was done with keys. */
  recorder: Pick<AuditRecorder, 'record' | 'read'>;
  subscriptions: AppSubscriptions;
  /** What is posted, kept and read. */
  webhookService: Pick<WebhookService, 'readEvents' | 'openStream' | 'closeStreams' | 'reportDeliveries' | 'replay'>;
  /** Events over socket.io; undefined when the operator wants none. */
  sockets?: Pick<
    SocketService,
    'isGlobal' | 'attach' | 'handle' | 'close' | 'connect' | 'subscribePeer' | 'changeInterest'
  >;
  /** Posts a test event now and tells what was answered. */
  testWebhook: SendTestDelivery;
  /** Connects to the platform through the proxy. Throws PROXY_UNUSABLE with the reason, ADDRESS_FORBIDDEN. */
  testProxy(proxy: ProxySettings): Promise<void>;
  /** Replaces operations in tests. */
  operations?: { sendText?: typeof sendText; createGroup?: typeof createGroup };
  /** Where files of sends come from and go to. */
  media: Media;
  /** Files of stored messages, and the links to them. */
  files: MessageFiles;
  /** Tells the operator of a request that failed; absent when nobody wants to hear. */
  reportFailure?: (failed: ErrorBody & { instance: string | undefined }) => void;
  /** What searches and lists read; they need no connection. */
  store: Pick<Storage, 'messages' | 'authKeys' | 'requests' | 'keysFor' | 'chats' | 'contacts'> & {
    instances: Pick<Storage['instances'], 'list' | 'get'>;
  };
  /** Rows kept for an instance. */
  counts(instanceId: string): Promise<{ messages: number; contacts: number; chats: number }>;
  /** Rejects when the database does not take writes, with the reason. */
  ping(): Promise<void>;
  /** Client version presented to the platform, and who said so. */
  platformVersion(): { version: string; source: 'override' | 'platform' | 'cache' | 'baileys' };
}
