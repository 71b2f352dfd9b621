// Payloads about an instance itself: linking, connection, lifecycle, restrictions. Pure.
import packageInfo from '../../../package.json' with { type: 'json' };
import type { Data, Of, Owner } from './shape.ts';

export function toQrcode(event: Of<'qrcode.updated'>, owner: Owner): Data {
  if ('limitReached' in event) return { message: 'QR code limit reached, please login again', statusCode: 500 };
  const { code, pairingCode, base64, count } = event;
  return { qrcode: { instance: owner.name, pairingCode, code, base64, count } };
}

/** The close as the peers post it: JSON text in the form of a failed connection's error. */
export function toClosed({ code, cause, message, at }: Of<'status.instance'>, owner: Owner): Data {
  const date = new Date(at).toISOString();
  const payload = { statusCode: code, error: cause, message };
  return {
    instance: owner.name,
    status: 'closed',
    disconnectionAt: date,
    disconnectionReasonCode: code,
    disconnectionObject: JSON.stringify({ error: { output: { statusCode: code, payload } }, date }),
    instanceId: owner.id,
  };
}

export function toRestricted({ type: _, until, ...rest }: Of<'instance.restricted'>, owner: Owner): Data {
  return {
    instance: owner.name,
    ...rest,
    until: until === undefined ? undefined : new Date(until).toISOString(),
    instanceId: owner.id,
  };
}

export function toProgress({ type: _, ...rest }: Of<'history.progress'>, owner: Owner): Data {
  return { instance: owner.name, ...rest, instanceId: owner.id };
}

export function toStartup({ startedAt }: Of<'application.startup'>, owner: Owner): Data {
  return {
    instance: owner.name,
    instanceId: owner.id,
    gatewayVersion: packageInfo.version,
    startedAt: new Date(startedAt).toISOString(),
  };
}

export function toConnection({ type: _, retryAt, ...rest }: Of<'connection.update'>, owner: Owner): Data {
  return {
    instance: owner.name,
    ...rest,
    retryAt: retryAt === undefined ? undefined : new Date(retryAt).toISOString(),
  };
}
