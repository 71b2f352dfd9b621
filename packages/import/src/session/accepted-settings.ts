// Filters the settings of a session: drops each setting that the gateway refuses, or that a session bundle (the file
// format of a moved session) cannot contain. The session is moved without the dropped settings.
import { headerProblem, MAX_HEADERS, MAX_HEADERS_CHARS } from '../../../../src/lib/configured-headers.ts';
import type { BundleInstance } from '../../../../src/session-bundle/bundle.ts';
import { BundleError } from '../../../../src/session-bundle/bundle-error.ts';
import { INSTANCE_SCHEMA } from '../../../../src/session-bundle/bundle-schema.ts';
import { Field, toValidText } from '../../../../src/session-bundle/schema.ts';
import { dropOne, mergeSettings, NO_SETTINGS, type SessionSettings } from './session-settings.ts';

const REFUSED = 'The gateway does not accept its values.';
/** Maximum number of events of a webhook in a session bundle. */
const MAX_EVENTS = 100;

/** Returns the settings that the gateway accepts. The `dropped` of the result also lists the refused settings. */
export function toAcceptedSettings({ instance, dropped, warnings }: SessionSettings): SessionSettings {
  const { token, number, settings, proxy, webhook } = instance;
  return mergeSettings([
    { instance: {}, dropped, warnings },
    token === undefined ? NO_SETTINGS : keepIfAccepted({ token }, 'key of the session'),
    number === undefined ? NO_SETTINGS : filterNumber(number),
    settings ? filterSettings(settings) : NO_SETTINGS,
    proxy ? keepIfAccepted({ proxy }, 'proxy') : NO_SETTINGS,
    webhook ? filterWebhook(webhook) : NO_SETTINGS,
  ]);
}

type InstanceSettings = SessionSettings['instance'];

/** Whether a session bundle can contain these settings. */
function isAccepted(instance: InstanceSettings): boolean {
  try {
    // The schema requires a name. The value does not matter here.
    INSTANCE_SCHEMA.read({ name: 'name', ...instance }, Field.ROOT);
    return true;
  } catch (error) {
    if (error instanceof BundleError) return false;
    throw error;
  }
}

const keepIfAccepted = (instance: InstanceSettings, type: string): SessionSettings =>
  isAccepted(instance) ? { ...NO_SETTINGS, instance } : dropOne(type, REFUSED);

/** The gateway accepts 5 to 20 digits. The schema of the bundle checks the digits and the maximum, but no minimum. */
const filterNumber = (number: string): SessionSettings =>
  number.length < 5 ? dropOne('number', REFUSED) : keepIfAccepted({ number }, 'number');

/** Keeps the other settings when only `msgCall`, the text for rejected calls, is refused. */
function filterSettings(settings: NonNullable<BundleInstance['settings']>): SessionSettings {
  const { msgCall, ...flags } = settings;
  if (msgCall === undefined) return keepIfAccepted({ settings }, 'settings');
  const cleaned = { ...flags, msgCall: toValidText(msgCall) };
  return isAccepted({ settings: cleaned })
    ? { ...NO_SETTINGS, instance: { settings: cleaned } }
    : mergeSettings([keepIfAccepted({ settings: flags }, 'settings'), dropOne('msgCall', REFUSED)]);
}

function filterWebhook(webhook: NonNullable<BundleInstance['webhook']>): SessionSettings {
  const { headers = {}, events = [], ...rest } = webhook;
  if (!isAccepted({ webhook: rest })) return dropOne('webhook', REFUSED);
  const acceptedHeaders = filterHeaders(headers, rest.url);
  const acceptedEvents = events
    .filter((event) => isAccepted({ webhook: { ...rest, events: [event] } }))
    .slice(0, MAX_EVENTS);
  const lostHeaders = Object.keys(headers).length - Object.keys(acceptedHeaders).length;
  const lostEvents = events.length - acceptedEvents.length;
  const accepted = {
    ...rest,
    // A webhook without a list of events receives all events. When no event of a list is accepted, the webhook is
    // disabled, because it would otherwise receive all events.
    enabled: rest.enabled && (events.length === 0 || acceptedEvents.length > 0),
    ...(Object.keys(acceptedHeaders).length > 0 && { headers: acceptedHeaders }),
    ...(acceptedEvents.length > 0 && { events: acceptedEvents }),
  };
  const headerReason = `The gateway does not accept it, or the webhook has more than ${MAX_HEADERS} headers or ${MAX_HEADERS_CHARS} characters in them.`;
  return {
    instance: { webhook: accepted },
    dropped: [
      ...(lostHeaders > 0 ? [{ type: 'header of the webhook', count: lostHeaders, reason: headerReason }] : []),
      ...(lostEvents > 0 ? [{ type: 'event of the webhook', count: lostEvents, reason: REFUSED }] : []),
    ],
    warnings: [],
  };
}

/** Returns the headers that requests to `url` can have, in the given order, up to the limits of the gateway. */
function filterHeaders(headers: Record<string, string>, url: string): Record<string, string> {
  const accepted: [string, string][] = [];
  let size = 0;
  for (const [name, value] of Object.entries(headers)) {
    const exceedsLimits = accepted.length === MAX_HEADERS || size + name.length + value.length > MAX_HEADERS_CHARS;
    if (exceedsLimits || headerProblem(name, value, url) !== undefined) continue;
    size += name.length + value.length;
    accepted.push([name, value]);
  }
  return Object.fromEntries(accepted);
}
