// The types of a stored instance. An instance is one WhatsApp account that the gateway connects.

/**
 * The desired state of an instance. A gateway applies it when it loads the instance: it connects a `running` instance,
 * and continues the deletion of a `deleted` one.
 */
export type Desired = 'running' | 'stopped' | 'deleted';

/** The settings of an instance, with the names that they have in the API. */
export interface InstanceSettings {
  rejectCall: boolean;
  /** Text that is sent to rejected callers; empty sends none. */
  msgCall: string;
  /** Whether events of groups are omitted. */
  groupsIgnore: boolean;
  /** Whether the account is shown as online while it is connected. */
  alwaysOnline: boolean;
  /** Whether incoming messages are marked as read. */
  readMessages: boolean;
  /** Whether statuses of contacts are reported and marked as seen. */
  readStatus: boolean;
  /** Whether the phone is asked for its whole history at the next link. */
  syncFullHistory: boolean;
  /** Whether posts of channels are reported. Absent in rows of older releases, which means false. */
  readChannels?: boolean;
}

/** The proxy for all connections of an instance to WhatsApp. Encrypted at rest. */
export interface ProxySettings {
  protocol: 'http' | 'https' | 'socks5';
  /** Name or IP address. Empty when the stored proxy cannot be decrypted; the instance then does not connect at all. */
  host: string;
  port: number;
  /** Empty when the proxy needs no credentials. */
  username: string;
  password: string;
}

/** Which events go to the socket.io clients in the namespace of the instance. */
export interface WebsocketSettings {
  enabled: boolean;
  /** Event names; empty means all. */
  events: readonly string[];
  /** Epoch ms. */
  createdAt: number;
  updatedAt: number;
}

/** The fields of an instance that a search compares. */
export type InstanceIdentity = Pick<InstanceRow, 'id' | 'name' | 'number' | 'ownerJid' | 'profileName'>;

export interface InstanceRow {
  /** UUID. */
  id: string;
  /** Unique. */
  name: string;
  /** Key of the instance for the API. Encrypted at rest and found by a keyed digest (token-digest.ts). */
  token: string;
  /** The value of the API field `integration`. */
  integration: string;
  /** Phone number (digits) to pair by code; null for QR only. */
  number: string | null;
  desired: Desired;
  settings: InstanceSettings;
  /** Absent or null for a direct connection. */
  proxy?: ProxySettings | null;
  /** Absent when it was never set. */
  websocket?: WebsocketSettings;
  /** JID of the linked account, with its phone number; null when the instance is not linked. */
  ownerJid: string | null;
  /** The other address of the linked account, a LID (an id that hides the phone number). */
  ownerLid: string | null;
  profileName: string | null;
  profilePictureUrl: string | null;
  /** The "About" text of the account. */
  profileStatus: string | null;
  /** WhatsApp's code of the last disconnection. */
  disconnectionCode: number | null;
  /** The gateway's name for the reason of the last disconnection (instances/disconnect-causes.ts). */
  disconnectionCause: string | null;
  /** Epoch ms of the last disconnection. */
  disconnectionAt: number | null;
  /** Epoch ms. */
  createdAt: number;
  updatedAt: number;
}
