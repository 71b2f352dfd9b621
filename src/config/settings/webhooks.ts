// Settings of webhooks: retries, limits, the global webhook and error reports.
import { type DeclaredSettings, decimal, flag, integer, text } from './declare.ts';

/** Range of the delays in WEBHOOK_RETRY_SCHEDULE, seconds. */
const MIN_RETRY_DELAY = 1;
const MAX_RETRY_DELAY = 86_400;
/** The range of the delays as a text for error messages. */
export const RETRY_DELAY_RANGE = `${MIN_RETRY_DELAY} to ${MAX_RETRY_DELAY} seconds`;

/** Whether WEBHOOK_RETRY_SCHEDULE may contain this number of seconds. */
export const isRetryDelay = (seconds: string): boolean =>
  Number(seconds) >= MIN_RETRY_DELAY && Number(seconds) <= MAX_RETRY_DELAY;

export const WEBHOOKS = {
  WEBHOOK_TIMEOUT: integer(15_000, {
    help: 'Time that a webhook receiver may take to respond.',
    unit: 'ms',
    minimum: 1,
    whenToChange: 'Raise it for slow receivers. A receiver that stores the event and responds at once is better.',
  }),
  WEBHOOK_RETRY_SCHEDULE: text('5,15,30,60,120,300', {
    help: 'Delays between retries after three quick retries, comma separated, 1 to 86,400 each. The last one repeats.',
    unit: 'seconds',
    pattern: '^\\d+(\\.\\d+)?(,\\d+(\\.\\d+)?)*$',
    whenToChange: 'Shorten the delays when receivers are down for seconds only; lengthen them to save requests.',
  }),
  WEBHOOK_RETRY_JITTER: decimal(0.2, {
    help: 'Random variation of these delays. 0.2 means up to 20 % shorter or longer.',
    unit: 'fraction',
    minimum: 0,
    maximum: 1,
    whenToChange: 'Raise it when many instances retry at one receiver at the same moment.',
  }),
  WEBHOOK_MAX_ATTEMPTS: integer(0, {
    help: 'Attempts after which an event is no longer delivered, quick retries not counted. 0: only `WEBHOOK_EXPIRY_HOURS` applies.',
    unit: 'count',
    whenToChange: 'Set it when late events are useless.',
  }),
  WEBHOOK_NO_RETRY_STATUS: text('', {
    help: 'HTTP status codes of a receiver after which an event is not retried, such as `400,401,403`. Empty: none.',
    pattern: '^([1-5]\\d\\d( *, *[1-5]\\d\\d)*)?$',
    whenToChange: 'Set it when a receiver refuses events on purpose.',
  }),
  WEBHOOK_EXPIRY_HOURS: integer(72, {
    help: 'Time after which an undelivered event is no longer retried.',
    unit: 'hours',
    minimum: 1,
    whenToChange: 'Raise it when receivers can be down for longer, such as over holidays.',
  }),
  WEBHOOK_BACKLOG: integer(100_000, {
    help: 'Maximum number of pending events per webhook. Above it, presence and status events are dropped first, then the oldest events. 0: no limit.',
    unit: 'count',
    whenToChange: 'Raise it for busy instances when the disk has space; lower it when the disk is small.',
  }),
  WEBHOOK_DISABLE_HOURS: integer(120, {
    help: 'Time without a successful delivery after which a failing webhook is disabled. 0: never.',
    unit: 'hours',
    whenToChange: 'Set 0 when webhooks must continue without action after any outage.',
  }),
  WEBHOOK_INCLUDE_APIKEY: flag(false, {
    help: 'Include the instance key in webhook bodies.',
    whenToChange:
      'Set it for receivers that recognize an instance by its key. Only keys with all scopes can then set webhooks.',
  }),
  WEBHOOK_GLOBAL_ENABLED: flag(false, {
    help: 'Send the events of all instances to one more webhook, besides their own.',
    whenToChange: 'Set it when one receiver serves all instances.',
  }),
  WEBHOOK_GLOBAL_URL: text('', {
    help: 'URL of the global webhook.',
    whenToChange: 'Set it with `WEBHOOK_GLOBAL_ENABLED`.',
  }),
  WEBHOOK_GLOBAL_WEBHOOK_BY_EVENTS: flag(false, {
    help: 'Append the event name to the URL of the global webhook, such as `/messages-upsert`.',
    whenToChange: 'Set it when the receiver has one path per event.',
  }),
  WEBHOOK_GLOBAL_EVENTS: text('', {
    help: 'Events for the global webhook, comma separated, such as `MESSAGES_UPSERT,CONNECTION_UPDATE`. Empty: all. `none`: none.',
    whenToChange: 'Set it when the receiver handles some events only.',
  }),
  WEBHOOK_GLOBAL_SECRET: text('', {
    help: 'Signing secret of the global webhook, `whsec_` and 24 to 64 bytes in base64. Empty: generated once and shown by `GET /webhook/global`.',
    whenToChange: 'Set it when a secret store manages your keys.',
  }),
  WEBHOOK_EVENTS_ERRORS: flag(false, {
    help: 'Report failed requests to `WEBHOOK_EVENTS_ERRORS_WEBHOOK`, except sends that `OVERLOAD_SEND_TIME` refuses.',
    whenToChange: 'Set it to watch errors of clients without reading the log.',
  }),
  WEBHOOK_EVENTS_ERRORS_WEBHOOK: text('', {
    help: 'URL for these reports.',
    whenToChange: 'Set it with `WEBHOOK_EVENTS_ERRORS`.',
  }),
} satisfies DeclaredSettings;
