// All settings by topic. Each setting is an environment variable. settings/*.ts declares it, load.ts reads its value.
import { ACCESS } from './settings/access.ts';
import { CLUSTER } from './settings/cluster.ts';
import type { DeclaredSettings } from './settings/declare.ts';
import { EVENTS } from './settings/events.ts';
import { INSTANCES } from './settings/instances.ts';
import { LIMITS } from './settings/limits.ts';
import { MESSAGES } from './settings/messages.ts';
import { OBSERVABILITY } from './settings/observability.ts';
import { PLATFORM } from './settings/platform.ts';
import { SERVER } from './settings/server.ts';
import { STORAGE } from './settings/storage.ts';
import { WEBHOOKS } from './settings/webhooks.ts';

/** One topic of settings, as .env.example and docs/reference/settings.md show it. */
export interface SettingGroup {
  title: string;
  /** One or two sentences, in Markdown, about all settings of the topic. */
  about: string;
  settings: DeclaredSettings;
}

/** All settings by topic, in the order of .env.example and docs/reference/settings.md. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    title: 'Server',
    about: 'The HTTP server and its pages. [TLS](../deploy/tls.md) shows it behind a reverse proxy.',
    settings: SERVER,
  },
  {
    title: 'Access',
    about:
      'Keys, the audit, and the networks that outgoing requests may reach. [Requests](../guides/requests.md#keys) explains keys.',
    settings: ACCESS,
  },
  {
    title: 'Storage',
    about:
      'The database and what it keeps. See [PostgreSQL](../deploy/postgresql.md) and [backup](../operate/backup.md).',
    settings: STORAGE,
  },
  {
    title: 'Cluster',
    about:
      'Several processes on one PostgreSQL database. With SQLite, these settings have no effect. See [several nodes](../deploy/cluster.md).',
    settings: CLUSTER,
  },
  {
    title: 'Instances',
    about: 'Linking, the proxy to WhatsApp, and the start of many instances.',
    settings: INSTANCES,
  },
  {
    title: 'Messages and files',
    about: 'Sends and files of messages. See [requests](../guides/requests.md) and [media](../guides/media.md).',
    settings: MESSAGES,
  },
  {
    title: 'Webhooks',
    about: 'Deliveries and the global webhook. [Webhooks](../guides/webhooks.md) explains how retries work.',
    settings: WEBHOOKS,
  },
  {
    title: 'Events',
    about: 'The event log and socket.io. See [events](../guides/events.md).',
    settings: EVENTS,
  },
  {
    title: 'Limits',
    about: 'Protection of the process. [Limits](../operate/limits.md) lists what has a fixed limit.',
    settings: LIMITS,
  },
  {
    title: 'Logs and metrics',
    about: 'See [logs](../operate/logs.md) and [metrics](../operate/metrics.md).',
    settings: OBSERVABILITY,
  },
  {
    title: 'WhatsApp and test servers',
    about: 'The protocol of WhatsApp, and servers that take its place in tests.',
    settings: PLATFORM,
  },
];

/** All settings by name. */
export const SETTINGS = {
  ...SERVER,
  ...ACCESS,
  ...STORAGE,
  ...CLUSTER,
  ...INSTANCES,
  ...MESSAGES,
  ...WEBHOOKS,
  ...EVENTS,
  ...LIMITS,
  ...OBSERVABILITY,
  ...PLATFORM,
} as const;
