// The part of the control API that injects faults (errors that the server makes on purpose) and bytes for clients, and
// that reads the server's records: unanswered stanzas (protocol messages) and login sessions.
import type { FastifyInstance } from 'fastify';
import type { Sandbox } from '../sandbox.ts';
import { FAULT_KINDS } from '../world/faults.ts';
import { type Body, ControlError, oneOf, readNumber, readString, toBytes, toObject, toPhoneNumber } from './body.ts';

/**
 * The field that contains the bytes to inject, by `type`. The server encrypts the bytes of a `stanza`, and writes those
 * of a `frame` unencrypted.
 */
const BYTES_FIELD = { stanza: 'node', frame: 'bytes' } as const;

type FaultParts = Pick<Sandbox, 'faults' | 'sessions' | 'unanswered' | 'inject'>;

/** Adds the routes `/faults`, `/log` (unanswered stanzas) and `/sessions` (login sessions). */
export function addFaultsAndRecords(app: FastifyInstance, { faults, sessions, unanswered, inject }: FaultParts): void {
  app.post('/faults', async (request, reply) => {
    const body = toObject(request.body);
    // A body with a `type` is no fault: its bytes are written once to the clients of a number.
    if (body.type !== undefined) return reply.code(201).send({ connections: injectBytes(inject, body) });
    const id = faults.add({
      kind: oneOf(body.kind, 'kind', FAULT_KINDS),
      number: body.number === undefined ? undefined : toPhoneNumber(body.number, 'number'),
      code: readNumber(body, 'code'),
      xmlns: readString(body, 'xmlns'),
      after: readNumber(body, 'after'),
      times: readNumber(body, 'times'),
    });
    return reply.code(201).send({ id });
  });
  app.delete('/faults', async (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });
  app.get('/log', async () => unanswered);
  app.get('/sessions', async () => sessions.all());
}

/** Returns the number of connections that the bytes were written to. Throws ControlError 409 when there is none. */
function injectBytes(inject: Sandbox['inject'], body: Body): number {
  const type = oneOf(body.type, 'type', ['stanza', 'frame'] as const);
  const number = toPhoneNumber(body.number, 'number');
  const connections = inject(number, type, toBytes(body, BYTES_FIELD[type]));
  if (connections === 0) throw new ControlError(409, `no linked device of ${number} is connected`);
  return connections;
}
