// The types of the dependencies of the HTTP layer: narrow interfaces that tests implement with plain objects.
import type { FastifyBaseLogger } from 'fastify';
import type { AuditRecorder } from '../access/audit-recorder.ts';
import type { KeyService } from '../access/keys.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { PeerClient } from '../cluster/peer-client.ts';
import type { Config } from '../config/load.ts';
import type { Instance } from '../instances/instance.ts';
import type { CreateInput, InstanceManager } from '../instances/manager.ts';
import type { TokenBucket } from '../lib/token-bucket.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { SocketService } from '../sockets/socket-service.ts';
import type { ProxySettings } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { SendTestDelivery } from '../webhooks/test-delivery.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { Network } from '../whatsapp/baileys/platform-endpoint.ts';
import type { createGroup } from '../whatsapp/group/create.ts';
import type { Media } from '../whatsapp/media/media.ts';
import type { MessageFiles } from '../whatsapp/media/message-files.ts';
import type { sendText } from '../whatsapp/message/text.ts';
import type { SessionTransfer } from '../whatsapp/session-transfer/session-transfer.ts';
import type { ErrorBody } from './schemas/common.ts';

/** The members of Instance that routes use. */
export type AppInstance = Pick<
  Instance,
  | 'id'
  | 'name'
  | 'row'
  | 'status'
  | 'session'
  | 'connect'
  | 'restart'
  | 'disconnect'
  | 'isStopped'
  | 'changeProxy'
  | 'changeWebsocket'
  | 'changeSettings'
  | 'logout'
  | 'passkeyStatus'
  | 'answerPasskey'
  | 'confirmPasskey'
>;

/** The methods of InstanceManager that routes use. `Managed` is the type of the instances: tests use plain objects. */
export interface AppManager<Managed extends AppInstance = AppInstance> extends Pick<InstanceManager, 'ready'> {
  /** See InstanceManager.create. */
  create(input: CreateInput): Promise<Managed>;
  /** Sends the event `instance.create`. */
  announce(instance: Managed): Promise<void>;
  get(name: string): Managed | undefined;
  byId(id: string): Managed | undefined;
  /** Returns the instance with this instance key. */
  byKey(key: string): Managed | undefined;
  list(): Managed[];
  delete(instance: Managed): Promise<void>;
}

/** The methods of Subscriptions that routes use. They read and change the webhooks of instances. */
export type AppSubscriptions = Pick<
  Subscriptions,
  | 'findMain'
  | 'setMain'
  | 'prepareMain'
  | 'register'
  | 'listOwn'
  | 'get'
  | 'global'
  | 'add'
  | 'change'
  | 'remove'
  | 'rotateSecret'
>;

export interface AppDeps {
  config: Config;
  log: FastifyBaseLogger;
  /** The network that the gateway connects to: WhatsApp or a sandbox. */
  network: Network;
  /** Undefined when metrics are off. */
  metrics?: Pick<Metrics, 'registry' | 'recordRequest' | 'recordForward'> | undefined;
  manager: AppManager;
  /** Undefined without a cluster. */
  cluster?: ClusterView | undefined;
  /** The client for requests to other nodes; undefined without a cluster. */
  peers?: PeerClient | undefined;
  /** Access keys. */
  keys: Pick<KeyService, 'find' | 'list' | 'get' | 'create' | 'rotate' | 'revoke' | 'onEnd' | 'load'>;
  /** The audit log. */
  auditRecorder: Pick<AuditRecorder, 'record' | 'read'>;
  subscriptions: AppSubscriptions;
  /** Webhook deliveries and the event log. */
  webhookService: Pick<WebhookService, 'readEvents' | 'openStream' | 'closeStreams' | 'reportDeliveries' | 'replay'>;
  /** Events over socket.io; undefined when WEBSOCKET_ENABLED is off. */
  sockets?: Pick<
    SocketService,
    'isGlobal' | 'attach' | 'handle' | 'close' | 'joinCluster' | 'subscribePeer' | 'changePeerInterest'
  >;
  /** Delivers a test event immediately and resolves with the reply of the receiver. */
  testWebhook: SendTestDelivery;
  /** Connects to WhatsApp through the proxy. Rejects with PROXY_UNUSABLE or ADDRESS_FORBIDDEN. */
  testProxy(proxy: ProxySettings): Promise<void>;
  /** Exports and imports linked sessions as session bundles. */
  sessionTransfer: Pick<SessionTransfer, 'runInTurn' | 'receive' | 'read' | 'write'>;
  /** Functions that tests use in place of the real operations. */
  operations?: { sendText?: typeof sendText; createGroup?: typeof createGroup };
  /** Fetches and uploads the files of outgoing messages. */
  media: Media;
  /** Files of stored messages and the signed links to them. */
  files: MessageFiles;
  /** Reports a failed request to the operator's webhook; undefined when that webhook is off. */
  reportFailure?: (failed: ErrorBody & { instance: string | undefined }) => void;
  /** The stores that routes read without a connection to WhatsApp. */
  store: Pick<Storage, 'messages' | 'authKeys' | 'requests' | 'deriveKeys' | 'chats' | 'contacts'> & {
    instances: Pick<Storage['instances'], 'identities' | 'list'>;
  };
  /** The numbers of stored messages, contacts and chats of an instance. */
  counts(instanceId: string): Promise<{ messages: number; contacts: number; chats: number }>;
  /** Rejects with STORAGE_UNAVAILABLE when the database does not accept writes. */
  checkStorage(): Promise<void>;
  /**
   * The client version that the gateway presents to WhatsApp, and its source: the setting (`override`), WhatsApp Web
   * (`platform`), the copy of that version in the store (`cache`), or the default of Baileys.
   */
  platformVersion(): { version: string; source: 'override' | 'platform' | 'cache' | 'baileys' };
}

/** The dependencies of the routes. */
export interface RouteDeps extends AppDeps {
  /** Limits the lookups of people and groups at WhatsApp that each instance makes per minute (NUMBER_CHECK_LIMIT). */
  lookupBucket: TokenBucket;
}
