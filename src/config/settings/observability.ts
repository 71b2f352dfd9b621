// Settings of logs and metrics.
import { choice, type DeclaredSettings, flag, integer, text } from './declare.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const OBSERVABILITY = {
  LOG_LEVEL: choice('info', LOG_LEVELS, {
    help: 'Log level. Of a list such as `ERROR,WARN,INFO`, the most verbose level counts.',
    whenToChange: 'Set `debug` to search for the cause of a failure. `POST /log/level` changes it without a restart.',
  }),
  LOG_BAILEYS: choice('error', LOG_LEVELS, {
    help: 'Log level of the library Baileys. With `LOG_LEVEL=debug`, `debug` and `trace` add what it logs with its lines: JIDs, stanzas and keys.',
    whenToChange:
      'Set `debug` or `trace`, with `LOG_LEVEL=debug`, to find a problem with the connection to WhatsApp. Do not publish such a log.',
  }),
  PROMETHEUS_METRICS: flag(true, {
    help: 'Collect metrics and serve them for Prometheus at `/metrics`.',
    whenToChange: 'Set false when no program reads metrics.',
  }),
  METRICS_AUTH_REQUIRED: flag(true, {
    help: 'Require a key of no instance with the scope `read`, or `METRICS_USER` and its password, for `/metrics`.',
    whenToChange: 'Set false in a private network whose scraper cannot send a key.',
  }),
  METRICS_USER: text('', {
    help: 'User name for `/metrics` (HTTP Basic), besides such a key. Empty: none.',
    whenToChange: 'Set it when the scraper cannot send the header `apikey`.',
  }),
  METRICS_PASSWORD: text('', {
    help: 'Password of `METRICS_USER`, at least 16 characters unless `WEAK_TOKENS` is true.',
    whenToChange: 'Set it with `METRICS_USER`.',
  }),
  METRICS_ALLOWED_IPS: text('', {
    help: 'IP addresses or CIDRs that may read metrics, comma separated. Empty: any.',
    whenToChange: 'Set it to the addresses of the scraper.',
  }),
  METRICS_PORT: integer(0, {
    help: 'Separate port for metrics without authentication. 0: none.',
    unit: 'port number',
    maximum: 65_535,
    whenToChange: 'Set it when the scraper reaches a port that clients do not reach.',
  }),
  METRICS_HOST: text('127.0.0.1', {
    help: 'Address that `METRICS_PORT` listens on.',
    whenToChange: 'Set it when the scraper runs on another machine.',
  }),
  METRICS_INSTANCES: integer(0, {
    help: 'Maximum number of instances for which `gateway_instance_open` has one series per instance name. 0: never.',
    unit: 'count',
    whenToChange: 'Set it for alerts per instance, when the gateway has few enough of them for your Prometheus.',
  }),
} satisfies DeclaredSettings;
