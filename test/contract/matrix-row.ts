// One line of the table of routes, and what its requests are made of.

export interface Row {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:i` is the instance. */
  path: string;
  /** Whose verb or form of body; both generations' when it is missing. */
  dialect?: string | undefined;
  body?: object | (() => object) | undefined;
  /** What clients know. */
  status: number;
  /** What we answer instead, and the decision that says why. */
  ours?: readonly [status: number, decision: string];
  isPublic?: boolean;
  /** Status of the body `{}`; 400 where there is a body. */
  blank?: number | undefined;
  /** Status when the instance is not connected; 400 with the words clients know where the path has an instance. */
  closed?: number | 'busy';
  /** Status for a `number` that is not on the platform; 400 with the object clients know. */
  absent?: number;
  /** It cannot be done twice. */
  once?: boolean;
}

/** What the rows speak of. */
export interface Fixtures {
  ada: string;
  bob: string;
  adaJid: string;
  group: string;
  theirGroup: string;
  invitation: string;
  /** Messages to Ada, from Ada, to Ada with a picture, to Ada and not needed any more. */
  sent: string;
  received: string;
  image: string;
  removable: string;
  label: string;
  /** Address of a webhook. */
  hook: string;
  /** base64. */
  sound: string;
  video: string;
}

/** A picture of one red dot. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
