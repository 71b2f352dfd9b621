// The dependencies of the HTTP layer, as narrow interfaces that tests implement with plain objects. Types only.
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
  /** Resolves with the first QR or pairing code, or the open state. Rejects with a GatewayError. `number` is digits. */
  connect(options: {
    number?: string;
    signal?: AbortSignal;
  }): Promise<QrCode | { instance: { instanceName: string; state: PublicState } }>;
  restart(): Promise<void>;
  /** Stores the proxy (null for none) and reconnects through it when connected. */
  changeProxy(proxy: ProxySettings | null): Promise<void>;
  /** Stores which events go to sockets. Takes effect immediately. */
  changeWebsocket(wish: Pick<WebsocketSettings, 'enabled' | 'events'>): Promise<WebsocketSettings>;
  /** Stores the change and resolves with all settings. Takes effect immediately. */
  changeSettings(change: Partial<InstanceSettings>): Promise<InstanceSettings>;
  /** `isConfirmed` is false when the platform did not confirm: the phone may still list the device. */
  logout(): Promise<{ isConfirmed: boolean }>;
}

export interface AppManager<Instance extends AppInstance = AppInstance> {
  /** True after the stored instances are loaded. Before that, an unknown name may exist. */
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
  /** Publishes the event that the instance was created. */
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
  /** Undefined when metrics are off. */
  metrics?: Pick<Metrics, 'registry' | 'recordRequest' | 'recordForward'> | undefined;
  manager: AppManager;
  /** Both undefined without a cluster. */
  cluster?: ClusterView | undefined;
  peers?: PeerClient | undefined;
  /** Access keys. */
  keys: Pick<KeyService, 'find' | 'list' | 'get' | 'create' | 'rotate' | 'revoke' | 'onEnd' | 'load'>;
  /** The audit log. */
  recorder: Pick<AuditRecorder, 'record' | 'read'>;
  subscriptions: AppSubscriptions;
  /** Webhook deliveries and the event log. */
  webhookService: Pick<WebhookService, 'readEvents' | 'openStream' | 'closeStreams' | 'reportDeliveries' | 'replay'>;
  /** Events over socket.io; undefined when WEBSOCKET_ENABLED is off. */
  sockets?: Pick<
    SocketService,
    'isGlobal' | 'attach' | 'handle' | 'close' | 'connect' | 'subscribePeer' | 'changeInterest'
  >;
  /** Delivers a test event now and resolves with the reply of the receiver. */
  testWebhook: SendTestDelivery;
  /** Connects to the platform through the proxy. Rejects with PROXY_UNUSABLE or ADDRESS_FORBIDDEN. */
  testProxy(proxy: ProxySettings): Promise<void>;
  /** Replaces operations in tests. */
  operations?: { sendText?: typeof sendText; createGroup?: typeof createGroup };
  /** Fetches and uploads the files of sends. */
  media: Media;
  /** Files of stored messages and the signed links to them. */
  files: MessageFiles;
  /** Reports a failed request to the operator's webhook; absent when that is off. */
  reportFailure?: (failed: ErrorBody & { instance: string | undefined }) => void;
  /** The stores that searches and lists read without a connection. */
  store: Pick<Storage, 'messages' | 'authKeys' | 'requests' | 'keysFor' | 'chats' | 'contacts'> & {
    instances: Pick<Storage['instances'], 'list' | 'get'>;
  };
  /** Numbers of stored rows of an instance. */
  counts(instanceId: string): Promise<{ messages: number; contacts: number; chats: number }>;
  /** Rejects with the reason when the database does not accept writes. */
  ping(): Promise<void>;
  /** The client version presented to the platform, and its source. */
  platformVersion(): { version: string; source: 'override' | 'platform' | 'cache' | 'baileys' };
}
