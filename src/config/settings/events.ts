// Settings of the event log and of socket.io.
import { choice, type DeclaredSettings, flag, integer } from './declare.ts';

export const EVENTS = {
  EVENT_RETENTION_HOURS: integer(72, {
    help: 'Time for which events can be read and replayed, and for which undeliverable events are kept.',
    unit: 'hours',
    minimum: 1,
    whenToChange: 'Raise it when readers can be down for longer; lower it to save disk.',
  }),
  EVENT_LOG: choice('auto', ['auto', 'always'], {
    help: 'Whether events that no webhook receives are stored. `auto`: only for instances whose events are read. `always`: for all instances. Events that a webhook receives are always stored, and can be read and replayed.',
    whenToChange: 'Set `always` when the first reader needs events from before its first read.',
  }),
  WEBSOCKET_ENABLED: flag(false, {
    help: 'Serve events over socket.io on `PORT`, with one namespace per instance.',
    whenToChange: 'Set it when clients listen with [socket.io](../guides/socket.io.md).',
  }),
  WEBSOCKET_GLOBAL_EVENTS: flag(false, {
    help: 'Serve the events of all instances in the root namespace, for the global key.',
    whenToChange: 'Set it when one client listens to all instances.',
  }),
} satisfies DeclaredSettings;
