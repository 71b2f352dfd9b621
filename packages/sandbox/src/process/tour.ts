// The tour that `npm run sandbox` prints: curl commands to be pasted one after another.

export interface TourOptions {
  /** Base URL of the gateway. */
  gateway: string;
  /** Base URL of the sandbox's control API. */
  control: string;
  /** Global API key of the gateway. */
  key: string;
}

export interface TourStep {
  description: string;
  command: string;
}

export interface Tour {
  /** The first step creates the instance that the other steps use. */
  steps: TourStep[];
  /** The steps that unlink and delete the instance. */
  cleanUp: TourStep[];
}

const OWN_NUMBER = '15550001001';
const CONTACT_NUMBER = '15550001002';

/** Returns a curl command. `key` is the API key, which only requests to the gateway need. */
function curl(method: string, url: string, body?: object, key?: string): string {
  return [
    'curl -s',
    method === 'GET' ? '' : `-X ${method}`,
    `'${url}'`,
    key ? `-H 'apikey: ${key}'` : '',
    body ? `-H 'content-type: application/json' -d '${JSON.stringify(body)}'` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Creates the tour. Its commands contain the addresses and the key. */
export function createTour(options: TourOptions): Tour {
  return { steps: toSteps(options), cleanUp: toCleanUp(options) };
}

function toSteps({ gateway, control, key }: TourOptions): TourStep[] {
  return [
    {
      description: 'create an instance; its events are posted to the inbox of the sandbox',
      command: curl(
        'POST',
        `${gateway}/instance/create`,
        { instanceName: 'demo', qrcode: true, webhook: { url: `${control}/inbox`, events: [] } },
        key,
      ),
    },
    {
      description: `scan its QR code with the phone ${OWN_NUMBER}`,
      command: curl('POST', `${control}/phones/${OWN_NUMBER}/scan`, { instance: 'demo' }),
    },
    {
      description: 'wait until the instance is open',
      command: curl('GET', `${gateway}/instance/connect/demo`, undefined, key),
    },
    {
      description: `send a text to ${CONTACT_NUMBER}`,
      command: curl(
        'POST',
        `${gateway}/message/sendText/demo`,
        { number: CONTACT_NUMBER, text: 'Hello from the gateway' },
        key,
      ),
    },
    { description: 'read it on that phone', command: curl('GET', `${control}/phones/${CONTACT_NUMBER}/messages`) },
    {
      description: 'answer from that phone',
      command: curl('POST', `${control}/phones/${CONTACT_NUMBER}/messages`, {
        to: OWN_NUMBER,
        text: 'Hello from the phone',
      }),
    },
    {
      description: 'see the answer arrive at the webhook',
      command: curl('GET', `${control}/inbox?event=messages.upsert`),
    },
  ];
}

const toCleanUp = ({ gateway, key }: TourOptions): TourStep[] => [
  { description: 'unlink the instance', command: curl('DELETE', `${gateway}/instance/logout/demo`, undefined, key) },
  { description: 'delete it', command: curl('DELETE', `${gateway}/instance/delete/demo`, undefined, key) },
];
