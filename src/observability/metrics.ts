// The counters and histograms for Prometheus, and the methods that record values in them. Their labels are constants of
// this program or kinds of messages. They never contain a phone number, an address or a name that a user chose.
// Decision D-137.

import type { DomainEvent } from '../events/events.ts';
import { Counter, Histogram, Registry } from './prom-client.ts';

/**
 * Maximum number of message kinds with a series of their own. Further kinds share the series `other`, so that senders
 * cannot create series without limit.
 */
const MAX_KIND_LABELS = 100;
/** Upper bounds of histogram buckets in seconds. */
const REQUEST_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const DATABASE_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

/** One finished send. */
export interface SendReport {
  /** The `messageType` of the message; after a failed send, the `messageType` that the message would have had. */
  kind: string;
  /** `sent`, or the code of the error. */
  outcome: string;
  ms: number;
}

/** One state transition of an instance. The states and the event have the names of state-machine.ts. */
export interface TransitionReport {
  from: string;
  to: string;
  event: string;
  /** Why the most recent connection ended. */
  disconnectCause: string | undefined;
}

/** One attempt to deliver a webhook. */
export interface AttemptReport {
  outcome: 'delivered' | 'retry' | 'dead';
  /** HTTP status; null without a response. */
  status: number | null;
  ms: number;
}

/** One answered request. `route` is the pattern of the route, not the path. */
export interface RequestReport {
  method: string;
  route: string;
  status: number;
  ms: number;
}

export interface Metrics {
  readonly registry: Registry;
  recordSend(report: SendReport): void;
  /**
   * Counts a message to one person, by the form of the person's address: `lid` (an id that hides the phone number) or
   * `pn` (the phone number).
   */
  recordDirectMessage(form: string): void;
  /**
   * Counts a message to one person that WhatsApp refused with the code 463, by the outcome of the retry. The retry
   * sends the message once more, to the other address of the person (`pn` instead of `lid`, or the reverse).
   */
  recordAddressRetry(outcome: string): void;
  /**
   * Counts the received messages, acks of sent messages, and decryption failures among events that are not stored yet.
   */
  recordEvents(events: readonly DomainEvent[]): void;
  /**
   * Counts an error in data from WhatsApp, by `scope`: the unit whose processing the error ended, such as a frame, a
   * stanza, a message or an event. The process and the other instances continue.
   */
  recordContainedError(scope: string): void;
  recordTransition(report: TransitionReport): void;
  recordDelivery(report: AttemptReport): void;
  recordRequest(report: RequestReport): void;
  /**
   * Counts a request about an instance of another node. `outcome` is `answered` when that node answered, else the code
   * of the error with which this node replied.
   */
  recordForward(outcome: string): void;
  recordDatabaseCall(operation: 'query' | 'transaction', isSuccess: boolean, ms: number): void;
}

type Observer = { observe(value: number): void };

/**
 * Returns a function that finds the series of `histogram` with the given labels. The function has a cache, which is
 * faster than the lookup of the library.
 */
function cacheSeries<Names extends string>(histogram: Histogram<Names>): (...labels: string[]) => Observer {
  const seriesByLabels = new Map<string, Observer>();
  return (...labels) => {
    const key = labels.join(' ');
    const series = seriesByLabels.get(key) ?? histogram.labels(...labels);
    seriesByLabels.set(key, series);
    return series;
  };
}

/**
 * Returns a function that returns the first MAX_KIND_LABELS different names unchanged, and `other` for further names.
 */
function createKindLimiter(): (name: string) => string {
  const kinds = new Set<string>();
  return (name) => {
    if (kinds.size < MAX_KIND_LABELS) kinds.add(name);
    return kinds.has(name) ? name : 'other';
  };
}

/** Creates the metrics in a new registry, so that several gateways in one process are counted separately. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const messages = createMessageMetrics(registry);
  const reconnects = new Counter({
    name: 'gateway_reconnects_total',
    registers,
    labelNames: ['cause'],
    help: 'Reconnects after a lost connection, by the cause of the loss',
  });
  const ends = new Counter({
    name: 'gateway_connection_ends_total',
    registers,
    labelNames: ['cause'],
    help: 'Connections to WhatsApp that ended without a request, by cause',
  });
  const deliveries = new Histogram({
    name: 'gateway_webhook_post_duration_seconds',
    registers,
    labelNames: ['outcome', 'status'],
    help: 'Duration of webhook delivery attempts',
    buckets: REQUEST_BUCKETS_S,
  });
  const requests = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    registers,
    labelNames: ['method', 'route', 'status'],
    help: 'Duration of requests by route pattern',
    buckets: REQUEST_BUCKETS_S,
  });
  const database = new Histogram({
    name: 'gateway_database_duration_seconds',
    registers,
    labelNames: ['operation', 'outcome'],
    help: 'Duration of database calls, with the wait for a connection. Outcome failed: the database failed',
    buckets: DATABASE_BUCKETS_S,
  });
  const forwards = new Counter({
    name: 'gateway_forwarded_requests_total',
    registers,
    labelNames: ['outcome'],
    help: 'Requests about instances of other nodes: answered by that node, or the code of the error here',
  });
  const deliverySeries = cacheSeries(deliveries);
  const requestSeries = cacheSeries(requests);
  const databaseSeries = cacheSeries(database);
  return {
    ...messages,
    registry,
    recordTransition({ from, to, event, disconnectCause: cause = 'none' }) {
      const isRetry = from === 'backoff' && to !== 'backoff' && event === 'RETRY_DUE';
      // WhatsApp ends the connection after linking. The reconnect then starts at once, without the state `backoff`.
      const isReconnectAfterLinking = from !== 'backoff' && event === 'CLOSED' && cause === 'restart_required';
      if (isRetry || isReconnectAfterLinking) reconnects.inc({ cause });
      if (event === 'CLOSED' && !from.startsWith('closing')) ends.inc({ cause });
    },
    recordDelivery: ({ outcome, status, ms }) => deliverySeries(outcome, toStatusClass(status)).observe(ms / 1000),
    recordRequest: ({ method, route, status, ms }) => requestSeries(method, route, String(status)).observe(ms / 1000),
    recordForward: (outcome) => forwards.inc({ outcome }),
    recordDatabaseCall: (operation, isSuccess, ms) =>
      databaseSeries(operation, isSuccess ? 'fine' : 'failed').observe(ms / 1000),
  };
}

/** `2xx` for a status such as 200, `none` for null. */
const toStatusClass = (status: number | null): string => (status === null ? 'none' : `${Math.floor(status / 100)}xx`);

function createMessageMetrics(
  registry: Registry,
): Pick<
  Metrics,
  'recordSend' | 'recordDirectMessage' | 'recordAddressRetry' | 'recordEvents' | 'recordContainedError'
> {
  const registers = [registry];
  const kindOf = createKindLimiter();
  const sends = new Histogram({
    name: 'gateway_send_duration_seconds',
    registers,
    labelNames: ['kind', 'outcome'],
    help: 'Duration of sends by message kind and outcome (sent, or the code of the error), with delay and queue time',
    buckets: REQUEST_BUCKETS_S,
  });
  const received = new Counter({
    name: 'gateway_received_messages_total',
    registers,
    labelNames: ['kind'],
    help: 'Received messages by kind',
  });
  const undecryptable = new Counter({
    name: 'gateway_undecryptable_messages_total',
    registers,
    help: 'Messages that could not be decrypted',
  });
  const contained = new Counter({
    name: 'gateway_contained_errors_total',
    registers,
    labelNames: ['scope'],
    help: 'Contained errors in data from WhatsApp, by scope: frame, stanza, message, event, listener, escaped, store',
  });
  const acks = new Counter({
    name: 'gateway_message_acks_total',
    registers,
    labelNames: ['status', 'code'],
    help: 'Outbound acks by status and error code',
  });
  const addressed = new Counter({
    name: 'gateway_direct_messages_total',
    registers,
    labelNames: ['address'],
    help: 'Messages written to one person, by address: lid, or pn (phone number)',
  });
  const retries = new Counter({
    name: 'gateway_address_retries_total',
    registers,
    labelNames: ['outcome'],
    help: 'Messages to one person that WhatsApp refused with 463, by the outcome of sending them to the other address',
  });
  const sendSeries = cacheSeries(sends);
  return {
    recordDirectMessage: (address) => addressed.inc({ address }),
    recordAddressRetry: (outcome) => retries.inc({ outcome }),
    recordContainedError: (scope) => contained.inc({ scope }),
    recordSend: ({ kind, outcome, ms }) => sendSeries(kindOf(kind), outcome).observe(ms / 1000),
    recordEvents(events) {
      for (const event of events) {
        if (event.type === 'messages.upsert' && !event.message.key.fromMe)
          received.inc({ kind: kindOf(event.message.messageType) });
        else if (event.type === 'messages.undecryptable') undecryptable.inc();
        else if (event.type === 'messages.update' && event.status !== undefined && event.key.fromMe)
          acks.inc({ status: event.status, code: toCodeLabel(event) });
      }
    },
  };
}

/**
 * Returns codes of WhatsApp (three digits) and codes of the gateway (words) unchanged, and `other` for any other text,
 * because such a text comes from a sender.
 */
function toCodeLabel({ code = 'none' }: { code?: string | undefined }): string {
  return /^(\d{3}|[A-Z_]{1,40}|none)$/.test(code) ? code : 'other';
}
