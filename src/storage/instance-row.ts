// The stored row of an instance. Types only.

/** Whether the instance should be connected; restored at start. */
export type Desired = 'running' | 'stopped';

export interface InstanceSettings {
  rejectCall: boolean;
  msgCall: string;
  groupsIgnore: boolean;
  alwaysOnline: boolean;
  readMessages: boolean;
  readStatus: boolean;
  syncFullHistory: boolean;
  /** Absent in rows of older releases; means false. */
  readChannels?: boolean;
}

/** The proxy for all connections of an instance to the platform. Encrypted at rest. */
export interface ProxySettings {
  protocol: 'http' | 'https' | 'socks5';
  /** Name or IP address. Empty when the stored value cannot be decrypted; then the instance does not connect at all. */
  host: string;
  port: number;
  /** Empty when the proxy needs no credentials. */
  username: string;
  password: string;
}

/** The events that go to sockets in the namespace of the instance. */
export interface WebsocketSettings {
  enabled: boolean;
  /** Event names; empty means all. */
  events: readonly string[];
  /** Epoch ms. */
  createdAt: number;
  updatedAt: number;
}

export interface InstanceRow {
  /** UUID. */
  id: string;
  /** Unique. */
  name: string;
  /** Instance key; encrypted at rest, looked up by SHA-256. */
  token: string;
  integration: string;
  /** Phone number (digits) to pair by code; null for QR only. */
  number: string | null;
  desired: Desired;
  settings: InstanceSettings;
  /** Absent or null for a direct connection. */
  proxy?: ProxySettings | null;
  /** Absent when it was never set. */
  websocket?: WebsocketSettings;
  ownerJid: string | null;
  ownerLid: string | null;
  profileName: string | null;
  profilePictureUrl: string | null;
  profileStatus: string | null;
  /** Last close: platform code and our cause (instances/causes.ts), epoch ms. */
  disconnectionCode: number | null;
  disconnectionCause: string | null;
  disconnectionAt: number | null;
  /** Epoch ms. */
  createdAt: number;
  updatedAt: number;
}
