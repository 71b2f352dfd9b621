// Sends a location.
import type { Message } from '../../events/events.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface LocationInput {
  /** The recipient. */
  number: string;
  locationMessage: {
    name?: string;
    address?: string;
    /** Degrees, -90 to 90. */
    latitude: number;
    /** Degrees, -180 to 180. */
    longitude: number;
  };
  options?: SendOptions;
}

/** Resolves with the sent message. Throws the errors of send(). */
export function sendLocation(session: Session, { number, locationMessage, options }: LocationInput): Promise<Message> {
  const { name, address, latitude, longitude } = locationMessage;
  return send(session, {
    number,
    options,
    kind: 'locationMessage',
    presence: 'composing',
    content: (contextInfo) => ({
      locationMessage: {
        degreesLatitude: latitude,
        degreesLongitude: longitude,
        ...(name ? { name } : {}),
        ...(address ? { address } : {}),
        ...(contextInfo ? { contextInfo } : {}),
      },
    }),
  });
}
