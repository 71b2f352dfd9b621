// What is stored of one instance. Types only.

/** What an operator asked of the instance; restored at boot. */
export type Desired = 'running' | 'stopped';

export interface InstanceSettings {
  rejectCall: boolean;
  msgCall: string;
  groupsIgnore: boolean;
  alwaysOnline: boolean;
  readMessages: boolean;
  readStatus: boolean;
  syncFullHistory: boolean;
  /** Absent in settings from before there was any: false. */
  readChannels?: boolean;
}

/** A proxy that every connection of an instance to the platform goes through; encrypted at rest. */
export interface ProxySettings {
  protocol: 'http' | 'https' | 'socks5';
  /** Name or address; empty when what was stored cannot be read, and then nothing is connected to at all. */
  host: string;
  port: number;
  /** Empty: none. */
  username: string;
  password: string;
}

/** Which events go to sockets of the instance's own namespace. */
export interface WebsocketSettings {
  enabled: boolean;
  /** Subscription names; empty means all. */
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
  /** Digits given at create for pairing by code, or null. */
  number: string | null;
  desired: Desired;
  settings: InstanceSettings;
  /** Absent or null: direct. */
  proxy?: ProxySettings | null;
  /** Absent: nobody ever said. */
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
