// Generates docs/reference/events.md, the list of all events, and a page per area with the fields and examples of data.
import { CHAT_EVENTS } from '../../src/events/chat-events.ts';
import type { EventDescriptor } from '../../src/events/event-descriptor.ts';
import { findDescriptor } from '../../src/events/event-descriptors.ts';
import { SUBSCRIPTION_NAMES, toSubscriptionName } from '../../src/events/event-names.ts';
import { GROUP_EVENTS } from '../../src/events/group-events.ts';
import { INSTANCE_EVENTS } from '../../src/events/instance-events.ts';
import { MESSAGE_EVENTS } from '../../src/events/message-events.ts';
import type { Operation, Schema, Spec } from '../typescript/spec.ts';
import { componentsIn, type Field, fieldsOf, resolveSchema, type Shared, typeOf } from './fields.ts';
import { anchorOf, code, contents, generatedFrom, page, paragraph, table } from './markdown.ts';

/** The event that webhooks receive without a subscription. It has no descriptor, because it is not recorded. */
const TEST_EVENT = 'webhook.test';

/** Events of one topic, which have a page of their own. */
interface Area {
  title: string;
  file: string;
  about: string;
  types: readonly string[];
}

const AREAS: readonly Area[] = [
  {
    title: 'Messages',
    file: 'events-messages.md',
    about: 'Messages that arrive, are sent, edited or deleted, and their status.',
    types: Object.keys(MESSAGE_EVENTS),
  },
  {
    title: 'Chats, contacts, labels and calls',
    file: 'events-chats.md',
    about: 'Chats and contacts, the presence of people, labels and calls.',
    types: Object.keys(CHAT_EVENTS),
  },
  {
    title: 'Groups',
    file: 'events-groups.md',
    about: 'Groups, their members, and requests to join them.',
    types: Object.keys(GROUP_EVENTS),
  },
  {
    title: 'Instances',
    file: 'events-instances.md',
    about: 'Linking, the connection, restrictions of the account, and the life of an instance.',
    types: [...Object.keys(INSTANCE_EVENTS), TEST_EVENT],
  },
];

const INTRODUCTION = `All events, as webhooks, \`GET /events/{instance}\` and socket.io send them. The guide
  [Events](../guides/events.md) explains the three ways, [webhooks](../guides/webhooks.md) explains delivery and replay.`;

const NAMES = `An event has two names: the one in the field \`event\`, and the subscription name in the field \`events\` of
  webhooks and sockets. Subscriptions accept both. An empty list subscribes to all events. A webhook with \`byEvents\` gets
  the name as the last part of its URL, with dashes: \`/messages-upsert\`.`;

const COLUMNS = [
  [
    'order',
    `\`chat\`: events of one chat are delivered in the order in which they happened, and chats do not wait for each other.
    An event about several chats is in the order of the instance. \`instance\`: events of the instance that belong to no chat
    are delivered in order.`,
  ],
  [
    'chats',
    `\`yes\`: the field \`chats\` of a webhook selects the event by its chat. Other events pass every selection.`,
  ],
  [
    'full backlog',
    `\`first\`: when a webhook has \`WEBHOOK_BACKLOG\` pending events, this event is dropped before others.`,
  ],
] as const;

const REPLAY = `All events except \`${TEST_EVENT}\` can be read and replayed for \`EVENT_RETENTION_HOURS\`; see
  [EVENT_LOG](settings.md#events) for the instances that keep them. A replayed event has the same \`webhook-id\`. An event
  about a message that is reported twice is stored once.`;

const RESERVED = `Subscriptions also accept these names of Evolution API. The gateway has no such events`;

/** Maximum number of characters of a line in an example. A name before the value can make the line longer. */
const MAX_JSON_LINE = 110;

/** A JSON value on one line. */
function toFlatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toFlatJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${toFlatJson(item)}`);
  return `{ ${members.join(', ')} }`;
}

/** A JSON value, with objects and lists on one line if they fit. */
function toJson(value: unknown, indent = ''): string {
  const flat = toFlatJson(value);
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= MAX_JSON_LINE) return flat;
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => inner + toJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${toJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

const jsonBlock = (value: unknown) => `\`\`\`json\n${toJson(value)}\n\`\`\``;

/** The schema of the posted body of an event. */
function bodyOf(spec: Spec, type: string): Schema {
  const schema = spec.webhooks[type]?.post.requestBody?.content?.['application/json']?.schema;
  if (!schema) throw new Error(`the contract has no body for the event ${type}`);
  return schema;
}

/** The example of the posted body of an event. */
function exampleOf(spec: Spec, type: string): Record<string, unknown> {
  const name = bodyOf(spec, type).$ref?.split('/').at(-1) ?? '';
  const examples: unknown = spec.components.schemas[name]?.examples;
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  if (typeof first !== 'object' || first === null) throw new Error(`the event ${type} has no example`);
  return { ...first };
}

const dataOf = (spec: Spec, type: string): Schema => resolveSchema(spec, bodyOf(spec, type)).properties?.data ?? {};

function operationOf(spec: Spec, type: string): Operation {
  const operation = spec.webhooks[type]?.post;
  if (!operation) throw new Error(`the contract does not have the event ${type}`);
  return operation;
}

/** The cell `order` of an event. TEST_EVENT, which has no descriptor, is in no order. */
function orderOf(descriptor: EventDescriptor | undefined): string {
  if (!descriptor) return '';
  return descriptor.lane ? 'chat' : 'instance';
}

/** The cells of an event in the list of all events. */
function toCells(spec: Spec, { file }: Area, type: string): string[] {
  const descriptor: EventDescriptor | undefined = findDescriptor(type);
  return [
    `[${code(type)}](${file}#${anchorOf(type)})`,
    descriptor ? code(toSubscriptionName(type)) : 'none',
    operationOf(spec, type).summary,
    orderOf(descriptor),
    descriptor?.chatAddresses ? 'yes' : '',
    descriptor?.isSheddable ? 'first' : '',
  ];
}

const toFieldRows = (fields: readonly Field[]) =>
  fields.map(({ path, type, isRequired, description }) => [
    code(path),
    type,
    isRequired ? 'always' : 'optional',
    description,
  ]);
const fieldTable = (fields: readonly Field[]) => table(['field', 'type', 'present', 'meaning'], toFieldRows(fields));

/** Sentence and tables about the `data` of an event. */
function describeData(spec: Spec, type: string, shared: Shared): string[] {
  const schema = dataOf(spec, type);
  const { type: kind, items, anyOf } = resolveSchema(spec, schema);
  if (kind === 'null') return ['`data` is always null.'];
  const isList = kind === 'array';
  const object = isList ? (items ?? {}) : schema;
  const name = object.$ref?.split('/').at(-1) ?? '';
  if (shared.has(name)) return [`\`data\` is ${isList ? 'a list of' : 'one'} [${name}](#${anchorOf(name)}).`];
  if (isList && !resolveSchema(spec, object).properties)
    return [`\`data\` is a list of JIDs, each a ${typeOf(spec, object, shared)}.`];
  const isOnlyForm = anyOf === undefined;
  // A field of the event is optional when only one of several forms has it.
  const isOptional = ({ path }: Field) => !isOnlyForm && !path.includes('.');
  const fields = (anyOf ?? [object]).flatMap((form) =>
    fieldsOf(spec, form, shared).map((field) => (isOptional(field) ? { ...field, isRequired: false } : field)),
  );
  return [isList ? '`data` is a list of objects with these fields:' : '`data` has these fields:', fieldTable(fields)];
}

/** The section of one event on the page of its area. */
function toSection(spec: Spec, type: string, shared: Shared): string[] {
  const { description = '' } = operationOf(spec, type);
  const subscription = findDescriptor(type) ? `Subscription name: ${code(toSubscriptionName(type))}.` : '';
  return [
    `## ${type}`,
    subscription,
    paragraph(description),
    ...describeData(spec, type, shared),
    jsonBlock(exampleOf(spec, type).data),
  ];
}

/** The page of one area: its events, and the objects that several of them have in common. */
function toAreaPage(spec: Spec, { title, about, types }: Area): string {
  const uses = types.flatMap((type) => [...componentsIn(spec, dataOf(spec, type))]);
  const shared = new Set(uses.filter((name, index) => uses.indexOf(name) !== index).sort());
  const objects = [...shared].flatMap((name) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    const others = new Set([...shared].filter((other) => other !== name));
    const description = String(spec.components.schemas[name]?.description);
    return [`## ${name}`, paragraph(description), fieldTable(fieldsOf(spec, schema, others))];
  });
  return page([
    generatedFrom('openapi/openapi.yaml and src/events'),
    `# Events: ${title.toLowerCase()}`,
    paragraph(`${about} Each section shows the fields of \`data\` and an example; [all events](events.md) has the fields
      around \`data\`, and the order of delivery.`),
    contents([...types, ...shared]),
    ...types.flatMap((type) => toSection(spec, type, shared)),
    ...objects,
  ]);
}

/** The list of all events. */
function toListPage(spec: Spec): string {
  const head = ['event', 'subscription name', 'when', 'order', 'chats', 'full backlog'];
  const lists = AREAS.flatMap((area) => [
    `## ${area.title}`,
    paragraph(`${area.about} [Fields and examples](${area.file}).`),
    table(
      head,
      area.types.map((type) => toCells(spec, area, type)),
    ),
  ]);
  const known = AREAS.flatMap(({ types }) => types.map(toSubscriptionName));
  const reserved = SUBSCRIPTION_NAMES.filter((name) => !known.includes(name) && name !== 'GROUP_UPDATE');
  return page([
    generatedFrom('openapi/openapi.yaml and src/events'),
    '# Events',
    paragraph(INTRODUCTION),
    paragraph(NAMES),
    contents([...AREAS.map(({ title }) => title), 'The body', 'Other subscription names']),
    COLUMNS.map(([name, text]) => paragraph(`- **${name}**: ${text}`, '  ')).join('\n'),
    paragraph(REPLAY),
    ...lists,
    '## The body',
    paragraph(`The table shows the body of a webhook request. Events that are read or streamed have no
      ${code('destination')} and no ${code('apikey')}.`),
    fieldTable(fieldsOf(spec, { $ref: '#/components/schemas/EventEnvelope' }, new Set())),
    jsonBlock(exampleOf(spec, 'messages.upsert')),
    '## Other subscription names',
    paragraph(`${RESERVED}: ${reserved.map(code).join(', ')}. ${code('GROUP_UPDATE')} is another name of
      ${code('GROUPS_UPDATE')}.`),
  ]);
}

/** The texts of the pages about events by file name. */
export function toEventPages(spec: Spec): Map<string, string> {
  return new Map([
    ['events.md', toListPage(spec)],
    ...AREAS.map((area): [string, string] => [area.file, toAreaPage(spec, area)]),
  ]);
}
