// Shapes of the gateway's JSON and of the page's own state, for the JSDoc comments of the modules.

export interface FormEvent extends Event {
  readonly currentTarget: HTMLFormElement;
}

/** The key of a text of the page. */
export type TextKey = keyof typeof import('./text-en.js').EN;

/** A text, or its form by plural category. */
export type Text = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });
export type Texts = Record<TextKey, Text>;
export type TextValues = Record<string, string | number>;

export type FormValues = Record<string, string>;

export interface KeyRights {
  scopes: string[];
  /** Name of the only instance that the key is for; null for all. */
  instance: string | null;
}

/** Runs the work of a view and shows its error. */
export type Attempt = (work: () => Promise<void>) => Promise<void>;

/** `GET /instance/fetchInstances?fields=summary` */
export interface InstanceSummary {
  id: string;
  name: string;
  connectionStatus: 'open' | 'connecting' | 'close';
  phase?: string;
  message?: string | null;
  userAction?: string | null;
  retryAt?: string | null;
  passkey?: PasskeyStage;
  restriction?: Restriction | null;
  ownerJid?: string | null;
  number?: string | null;
  profileName?: string | null;
  node?: string | null;
}

/** `GET /instance/fetchInstances` with `fields=summary` and `page` */
export interface InstancePage {
  instances: {
    total: number;
    pages: number;
    /** Number of instances by state that match the search. */
    states: Record<InstanceSummary['connectionStatus'], number>;
    records: InstanceSummary[];
  };
}

/** `GET /instance/fetchInstances` */
export interface InstanceRecord extends InstanceSummary {
  token?: string;
  createdAt: string;
  platformVersion: string;
  platformVersionSource: string;
  disconnectionAt?: string | null;
  _count?: { Message: number; Chat: number; Contact: number };
}

export interface Restriction {
  restricted?: boolean;
  reason?: string;
  until?: string | null;
  newChatQuota?: { total?: number; used?: number; until?: string | null };
}

/** The stage of a link with a passkey. */
export type PasskeyStage = 'required' | 'verifying' | 'confirm' | 'confirmed';

/** `GET /instance/passkey/{instance}` */
export interface PasskeyLink {
  stage: PasskeyStage;
  request: object;
  expiresAt: string;
}

/** `GET /instance/passkey/{instance}/confirm` */
export interface PasskeyCode {
  code: string;
}

export interface ConnectionUpdate {
  state: string;
  passkey?: 'required' | 'confirm';
  cause?: string;
  message?: string;
  userAction?: string;
}

export interface QrCode {
  code: string;
  base64: string;
  count: number;
  pairingCode?: string | null;
}

/** Data of `qrcode.updated`; without `qrcode` when the limit is reached. */
export interface QrCodeUpdate {
  qrcode?: QrCode;
  message?: string;
}

/** Data of `history.progress`. */
export interface HistoryProgress {
  syncType: string;
  progress?: number;
  messages: number;
  done: boolean;
}

/** An event of the stream. Without `id`: a notice for viewers that is not stored. `data` depends on `event`. */
export interface StreamEvent {
  id?: string;
  event: string;
  date_time: string;
  data: unknown;
}

export interface MessageEdit {
  key: MessageKey;
  editedMessage: MessageContent;
}

/** The data of the events that the page reads, by `event`. */
export interface StreamData {
  'messages.upsert': MessageRecord;
  'send.message': MessageRecord;
  /** Votes and stars have no status. */
  'messages.update': { key: MessageKey; status?: string; reason?: string };
  'messages.edited': MessageEdit;
  'send.message.update': MessageEdit;
  'messages.delete': { key: MessageKey };
  'qrcode.updated': QrCodeUpdate;
  'history.progress': HistoryProgress;
  'instance.restricted': Restriction;
  'replay.progress': Replay;
  'connection.update': ConnectionUpdate;
}

/** Applies the data of one kind of event to the feed. */
export type Reducers = { [Name in keyof StreamData]: (feed: Feed, data: StreamData[Name]) => unknown };

/** A stored or reported message, as far as the page reads it. */
export interface MessageKey {
  id: string;
  remoteJid?: string;
  fromMe?: boolean;
  /** The LID of the chat, when `remoteJid` is the phone number. */
  remoteJidAlt?: string;
  remoteJidUsername?: string;
  participant?: string;
  participantUsername?: string;
}

export interface MessageRecord {
  key: MessageKey;
  pushName?: string | null;
  messageTimestamp: number | string;
  status?: string;
  messageType?: string;
  message?: MessageContent;
  MessageUpdate?: { status?: string }[];
}

export type MessageContent = Record<string, MessagePart | string | undefined>;

export interface MessagePart {
  text?: string;
  caption?: string;
  fileName?: string;
  name?: string;
  displayName?: string;
}

/** A message as a row of the conversation. */
export interface MessageRow {
  id: string;
  chat: string;
  fromMe: boolean;
  name: string;
  /** The name of the kind when it is not text. */
  kind?: TextKey;
  /** User name of the other person in a direct chat. */
  username?: string;
  text: string;
  /** Epoch ms. */
  at: number;
  status: string;
  /** Why it was not sent. */
  reason?: string;
  isEdited?: boolean;
}

export interface Feed {
  isLive: boolean;
  /** Why the event stream could not start; empty while it is live or reconnects. */
  problem: string;
  /** Newest first. */
  events: StreamEvent[];
  /** By chat and message id (`rowKeyOf`). */
  messages: Map<string, MessageRow>;
  /** JIDs with the phone number, by LID, as far as messages contained both. */
  numbers: Map<string, string>;
  /** The gateway has older messages than `messages`. */
  hasMore: boolean;
  /**
   * Statuses of messages that are not in `messages` yet, with the same keys: an ack may arrive before the response to
   * its send.
   */
  earlyStatuses: Map<string, { status: string; reason?: string }>;
  qrcode: QrCodeUpdate | undefined;
  connection: ConnectionUpdate | undefined;
  restriction: Restriction | undefined;
  history: HistoryProgress | undefined;
  /** By replay and endpoint. */
  replays: Map<string, Replay>;
  /** Shows a message from a response before its event arrives. */
  add(message: MessageRecord): void;
}

export interface Endpoint {
  id: string;
  url: string;
  enabled: boolean;
  events: string[];
  byEvents: boolean;
  base64: boolean;
  headers: Record<string, string>;
  chats?: unknown;
  main?: boolean;
  secret?: string;
  oldSecretsUntil?: string | null;
  createdAt?: string;
  updatedAt?: string;
}

export interface EndpointHealth {
  id: string;
  url: string;
  enabled?: boolean;
  waiting: number;
  dead: number;
  oldestAgeSeconds: number | null;
  consecutiveFailures: number;
  breakerOpenUntil: string | null;
  failingSince: string | null;
  lastFailure: { status: number | null; error: string; at: string } | null;
  shed: { light: number; other: number };
}

export interface Delivery {
  id: string;
  event: string;
  endpoint: { id: string; url: string };
  state: 'waiting' | 'delivered' | 'dead';
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
}

export interface Replay {
  id: string;
  endpoint: { id: string; url: string };
  startedAt: string;
  queued: number;
  delivered: number;
  dead: number;
  dropped: number;
  /** Percent. */
  progress: number;
  done: boolean;
}

/** `GET /webhook/deliveries/{instance}` */
export interface DeliveryReport {
  endpoints: EndpointHealth[];
  deliveries: Delivery[];
  replays?: Replay[];
  next?: string | null;
}

/** `POST /webhook/test/{instance}` */
export interface WebhookTestResult {
  delivered: boolean;
  status: number | null;
  ms: number;
  body?: string;
  error?: string;
}

/** `GET /cluster` */
export interface ClusterReport {
  enabled: boolean;
  nodes: NodeReport[];
  node: { id: string };
  instances: number;
  orphans: number;
  /** Seconds. */
  leaseTtl: number;
}

export interface NodeReport {
  id: string;
  name: string;
  url: string;
  version: string;
  state: 'live' | 'draining' | 'silent';
  instances: number;
  capacity: number;
  /** ms */
  silentFor: number;
  startedAt: string;
}

export interface InstanceSettings {
  rejectCall: boolean;
  groupsIgnore: boolean;
  alwaysOnline: boolean;
  readMessages: boolean;
  readStatus: boolean;
  readChannels: boolean;
  syncFullHistory: boolean;
  msgCall: string;
}

export interface ProxySettings {
  enabled: boolean;
  host: string;
  port: string;
  protocol: string;
  username: string;
  hasPassword?: boolean;
}

/** A message on a phone of the sandbox. */
export interface PhoneMessage {
  id: string;
  from: string;
  chat: string;
  fromMe: boolean;
  kind: string;
  text?: string;
  edited?: string;
  deleted?: boolean;
  /** Epoch seconds. */
  timestamp: number;
}
