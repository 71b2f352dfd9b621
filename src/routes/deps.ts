// What HTTP needs from the rest of the gateway, as narrow as it is used, so that tests can pass plain objects. Types only.
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { PublicState } from '../events.ts';
import type { Network } from '../platform/endpoint.ts';
import type { Media } from '../platform/media/media.ts';
import type { Session } from '../platform/session.ts';
import type { QrCode } from '../schemas/common.ts';
import type { InstanceRow, InstanceSettings, Storage, WebhookRow } from '../storage/storage.ts';

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
  };
  /** Throws GatewayError INSTANCE_NOT_OPEN. */
  session(): Session;
  /** Resolves with the first QR or pairing code, or the open state; rejects with a named failure. `number` is digits. */
  connect(options: {
    number?: string;
    signal?: AbortSignal;
  }): Promise<QrCode | { instance: { instanceName: string; state: PublicState } }>;
  restart(): Promise<void>;
  /** `told` is false when the platform could not be told: the phone may still list the device. */
  logout(): Promise<{ told: boolean }>;
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
    start: boolean;
  }): Promise<Instance>;
  get(name: string): Instance | undefined;
  byKey(key: string): Instance | undefined;
  list(): Instance[];
  delete(instance: Instance): Promise<void>;
}

export interface AppSubscriptions {
  find(instanceId: string): WebhookRow | null | Promise<WebhookRow | null>;
  /** Throws GatewayError INVALID_REQUEST naming the field. */
  set(instanceId: string, config: WebhookSettings): Promise<WebhookRow>;
}

export interface WebhookSettings {
  enabled: boolean;
  url: string;
  events?: string[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
}

export interface AppDeps {
  config: Config;
  log: FastifyBaseLogger;
  network: Network;
  manager: AppManager;
  subscriptions: AppSubscriptions;
  /** Where files of sends come from and go to. */
  media: Media;
  /** What searches read; they need no connection. */
  store: Pick<Storage, 'messages' | 'authKeys'>;
  /** Rows kept for an instance. */
  counts(instanceId: string): Promise<{ messages: number; contacts: number; chats: number }>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /** Client version presented to the platform, and who said so. */
  platformVersion(): { version: string; source: 'override' | 'platform' | 'cache' | 'baileys' };
}
