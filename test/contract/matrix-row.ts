// The type of a row of the route table, and the values that requests of the table contain.

export interface Row {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:i` is the instance. */
  path: string;
  /** The generation of clients with this method or form of body. Absent when both generations have it. */
  dialect?: string | undefined;
  body?: object | (() => object) | undefined;
  /** The status that clients of other gateways expect. */
  status: number;
  /** A status with which this gateway deviates, and the decision that has the reason. */
  deviation?: readonly [status: number, decision: string];
  isPublic?: boolean;
  /** Status for the body `{}`. The default is 400 for a row with a body. */
  blank?: number | undefined;
  /**
   * Status when the instance is not connected. The default is 400 with "Error: Connection Closed" for a path with an
   * instance. `busy` omits this check.
   */
  closed?: number | 'busy';
  /** Status for a `number` that is not on the platform. The default is 400 with an object that has `exists: false`. */
  absent?: number;
  /** True for a request that cannot be repeated. */
  once?: boolean;
}

/** Values in the paths and bodies of the rows. */
export interface Fixtures {
  ada: string;
  bob: string;
  adaJid: string;
  group: string;
  theirGroup: string;
  invitation: string;
  /** IDs of messages: to Ada, from Ada, to Ada with a picture, to Ada and for deletion. */
  sent: string;
  received: string;
  image: string;
  removable: string;
  label: string;
  /** Address of a webhook. */
  hook: string;
  /** Files in base64. */
  sound: string;
  video: string;
}

/** A picture of one red dot in base64. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
