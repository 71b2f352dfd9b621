// Descriptors of the events about an instance itself: pairing, connection, lifecycle, restrictions of the account, and
// progress of the history sync. A descriptor (event-descriptor.ts) says how events of one type are posted, ordered and
// stored. Decision D-059.
import packageInfo from '../../package.json' with { type: 'json' };
import type { EventDescriptors, EventOwner } from './event-descriptor.ts';

type InstanceEventType =
  | 'application.startup'
  | 'qrcode.updated'
  | 'connection.update'
  | 'status.instance'
  | 'history.progress'
  | 'instance.create'
  | 'instance.delete'
  | 'instance.restricted'
  | 'remove.instance'
  | 'logout.instance';

const lifecycleEvent = {
  toData: (_event: unknown, { id, name }: EventOwner) => ({ instanceName: name, instanceId: id }),
};

export const INSTANCE_EVENTS = {
  'application.startup': {
    toData({ startedAt }, { id, name }) {
      return {
        instance: name,
        instanceId: id,
        gatewayVersion: packageInfo.version,
        startedAt: new Date(startedAt).toISOString(),
      };
    },
  },
  'qrcode.updated': {
    toData(event, { name }) {
      if ('limitReached' in event) return { message: 'QR code limit reached, please login again', statusCode: 500 };
      const { code, pairingCode, base64, count } = event;
      return { qrcode: { instance: name, pairingCode, code, base64, count } };
    },
  },
  'connection.update': {
    toData({ type: _, retryAt, passkeyExpiresAt, ...connection }, { name }) {
      return { instance: name, ...connection, retryAt: toIso(retryAt), passkeyExpiresAt: toIso(passkeyExpiresAt) };
    },
  },
  'status.instance': {
    // As in Evolution API, `disconnectionObject` is JSON text in the form of a Baileys error.
    toData({ code, cause, message, at }, { id, name }) {
      const date = new Date(at).toISOString();
      const payload = { statusCode: code, error: cause, message };
      return {
        instance: name,
        status: 'closed',
        disconnectionAt: date,
        disconnectionReasonCode: code,
        disconnectionObject: JSON.stringify({ error: { output: { statusCode: code, payload } }, date }),
        instanceId: id,
      };
    },
  },
  'history.progress': {
    toData: ({ type: _, ...progress }, { id, name }) => ({ instance: name, ...progress, instanceId: id }),
  },
  'instance.create': lifecycleEvent,
  'instance.delete': lifecycleEvent,
  'instance.restricted': {
    toData({ type: _, until, ...restriction }, { id, name }) {
      return { instance: name, ...restriction, until: toIso(until), instanceId: id };
    },
  },
  // Evolution API sends these events at a deletion and a logout, with null as `data`. `remove.instance` follows
  // `instance.delete`, and `logout.instance` follows `connection.update`.
  'remove.instance': { toData: () => null },
  'logout.instance': { toData: () => null },
} satisfies EventDescriptors<InstanceEventType>;

/** Converts epoch ms to ISO 8601. */
function toIso(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : new Date(epochMs).toISOString();
}
