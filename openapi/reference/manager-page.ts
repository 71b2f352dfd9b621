// Generates packages/manager/src/event-names.js from the event descriptors of src/.
import { EVENT_TYPES } from '../../src/events/event-descriptors.ts';
import { toSubscriptionName } from '../../src/events/event-names.ts';

const HEADER = `// The names of the events that a webhook can subscribe to. Generated from src/events by openapi/generate.ts.

/**
 * The form of a webhook has a checkbox for each of these names. Its checkbox for all events stores an empty list
 * instead: the webhook then also gets the events of later versions of the gateway.
 */
`;

/** The text of event-names.js. */
export function toEventNamesScript(): string {
  const lines = EVENT_TYPES.map((type) => `  '${toSubscriptionName(type)}',\n`);
  return `${HEADER}export const EVENTS = [\n${lines.join('')}];\n`;
}
