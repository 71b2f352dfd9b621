// What is counted and timed while things happen, and the text that Prometheus reads. Labels are words of this program and names of
// messages' kinds: never a number, an address or a name that somebody chose.
import { Counter, Histogram, Registry } from 'prom-client';
import type { DomainEvent } from '../events/events.ts';

/** Kinds of messages with a line of their own; further ones share `other`, so that nobody can make up lines by sending. */
const MAX_KINDS = 100;
/** s */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const DATABASE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

/** A send that ended: `outcome` is `sent` or the code of its error. */
export interface SendReport {
  /** As `messageType`, which a send that failed was to have. */
  kind: string;
  outcome: string;
  ms: number;
}

/** A state of an instance that ended, in the names of its machine. */
export interface TransitionReport {
  from: string;
  to: string;
  /** What made it so. */
  event: string;
  /** Why the last connection ended. */
  cause: string | undefined;
}

/** One attempt to post an event. */
export interface PostReport {
  outcome: 'delivered' | 'retry' | 'dead';
  /** HTTP status; null when there was no answer. */
  status: number | null;
  ms: number;
}

/** A request that was answered. `route` is its pattern, never its address. */
export interface RequestReport {
  method: string;
  route: string;
  status: number;
  ms: number;
}

export interface Metrics {
  readonly registry: Registry;
  sent(report: SendReport): void;
  /** What instances hear from the platform, as it comes to be stored. */
  heard(events: readonly DomainEvent[]): void;
  /** An error was confined to one `scope`: a frame, a stanza, a message, an event … */
  contained(scope: string): void;
  moved(report: TransitionReport): void;
  posted(report: PostReport): void;
  answered(report: RequestReport): void;
  /** A request about an instance of another node: `answered` there, or the code of the error that ended it here. */
  forwarded(outcome: string): void;
  stored(operation: 'query' | 'transaction', isFine: boolean, ms: number): void;
}

type Timed = { observe(value: number): void };

/** The same child for the same labels: looking it up costs less than the library's own way to it. */
function childrenOf<Names extends string>(histogram: Histogram<Names>): (...labels: string[]) => Timed {
  const known = new Map<string, Timed>();
  return (...labels) => {
    const key = labels.join(' ');
    const child = known.get(key) ?? histogram.labels(...labels);
    known.set(key, child);
    return child;
  };
}

/** The first `MAX_KINDS` names as they are. */
function createKinds(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < MAX_KINDS) known.add(name);
    return known.has(name) ? name : 'other';
  };
}

/** Instruments of their own registry: two gateways in a process do not count for each other. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const messages = createMessageMetrics(registry);
  const reconnects = new Counter({
    ...{ name: 'gateway_reconnects_total', registers, labelNames: ['cause'] },
    help: 'Connections made anew after a loss, by why the last one ended',
  });
  const ends = new Counter({
    ...{ name: 'gateway_connection_ends_total', registers, labelNames: ['cause'] },
    help: 'Connections to the platform that ended without being asked to, by cause',
  });
  const posts = new Histogram({
    ...{ name: 'gateway_webhook_post_duration_seconds', registers, labelNames: ['outcome', 'status'] },
    ...{ help: 'Attempts to post an event to a webhook', buckets: REQUEST_BUCKETS },
  });
  const requests = new Histogram({
    ...{ name: 'gateway_http_request_duration_seconds', registers, labelNames: ['method', 'route', 'status'] },
    ...{ help: 'Requests by the pattern of their route', buckets: REQUEST_BUCKETS },
  });
  const database = new Histogram({
    ...{ name: 'gateway_database_duration_seconds', registers, labelNames: ['operation', 'outcome'] },
    ...{ help: 'Time in the database, waiting for its turn included', buckets: DATABASE_BUCKETS },
  });
  const forwards = new Counter({
    ...{ name: 'gateway_forwarded_requests_total', registers, labelNames: ['outcome'] },
    help: 'Requests about instances of other nodes: answered there, or the code of the error that ended them here',
  });
  const [postOf, requestOf, databaseOf] = [childrenOf(posts), childrenOf(requests), childrenOf(database)];
  return {
    ...messages,
    registry,
    moved({ from, to, event, cause = 'none' }) {
      // A restart after linking has no pause before it.
      const isResumed = event === 'CLOSED' && cause === 'restart_required';
      if (from === 'backoff' ? to !== 'backoff' && event === 'RETRY_DUE' : isResumed) reconnects.inc({ cause });
      if (event === 'CLOSED' && !from.startsWith('closing')) ends.inc({ cause });
    },
    posted: ({ outcome, status, ms }) => postOf(outcome, classOf(status)).observe(ms / 1000),
    answered: ({ method, route, status, ms }) => requestOf(method, route, String(status)).observe(ms / 1000),
    forwarded: (outcome) => forwards.inc({ outcome }),
    stored: (operation, isFine, ms) => databaseOf(operation, isFine ? 'fine' : 'failed').observe(ms / 1000),
  };
}

/** 200 → `2xx`; no answer → `none`. */
const classOf = (status: number | null): string => (status === null ? 'none' : `${Math.floor(status / 100)}xx`);

function createMessageMetrics(registry: Registry): Pick<Metrics, 'sent' | 'heard' | 'contained'> {
  const registers = [registry];
  const kindOf = createKinds();
  const sends = new Histogram({
    ...{ name: 'gateway_send_duration_seconds', registers, labelNames: ['kind', 'outcome'] },
    help: 'Sends by kind of message and outcome (sent, or the code of the error), delay and waiting for their turn included',
    buckets: REQUEST_BUCKETS,
  });
  const received = new Counter({
    ...{ name: 'gateway_received_messages_total', registers, labelNames: ['kind'] },
    help: 'Messages of others, by kind',
  });
  const undecryptable = new Counter({
    ...{ name: 'gateway_undecryptable_messages_total', registers },
    help: 'Messages that nothing could decrypt',
  });
  const contained = new Counter({
    ...{ name: 'gateway_contained_errors_total', registers, labelNames: ['scope'] },
    help: 'Errors in what the platform sent, by what they were confined to: frame, stanza, message, event, listener, escaped',
  });
  const acks = new Counter({
    ...{ name: 'gateway_message_acks_total', registers, labelNames: ['status', 'code'] },
    help: 'What became of own messages; code is that of a refusal',
  });
  const sendOf = childrenOf(sends);
  return {
    contained: (scope) => contained.inc({ scope }),
    sent: ({ kind, outcome, ms }) => sendOf(kindOf(kind), outcome).observe(ms / 1000),
    heard(events) {
      for (const event of events) {
        if (event.type === 'messages.upsert' && !event.message.key.fromMe)
          received.inc({ kind: kindOf(event.message.messageType) });
        else if (event.type === 'messages.undecryptable') undecryptable.inc();
        else if (event.type === 'messages.update' && event.status !== undefined && event.key.fromMe)
          acks.inc({ status: event.status, code: codeOf(event) });
      }
    },
  };
}

/** Codes of the platform have three digits and those of ours are words; anything else is somebody's invention. */
function codeOf({ code = 'none' }: { code?: string | undefined }): string {
  return /^(\d{3}|[A-Z_]{1,40}|none)$/.test(code) ? code : 'other';
}
