// Routes of the control API for the calls of one account: lists, starts and ends them.
import type { FastifyInstance } from 'fastify';
import type { Sandbox } from '../sandbox.ts';
import type { FindPhone, PhoneRoute } from './account.ts';
import { ControlError, readBoolean, toObject, toPhoneNumber } from './body.ts';

/** Adds the routes of calls. */
export function addCalls(app: FastifyInstance, { phones }: Pick<Sandbox, 'phones'>, phoneOf: FindPhone): void {
  const { calls } = phones;

  app.get<PhoneRoute>('/phones/:number/calls', async ({ params }) => {
    const { number } = phoneOf(params).account;
    return calls.all.filter(({ from, to }) => from === number || to === number);
  });

  app.post<PhoneRoute>('/phones/:number/calls', async ({ params, body: json }, reply) => {
    const body = toObject(json);
    const { number } = phoneOf(params).account;
    const call = calls.ring(number, toPhoneNumber(body.to, 'to'), { video: readBoolean(body, 'video') });
    return reply.code(201).send(call);
  });

  app.delete<PhoneRoute & { Params: { id: string } }>('/phones/:number/calls/:id', async ({ params }) => {
    const { number } = phoneOf(params).account;
    const call = calls.all.find(({ id, from }) => id === params.id && from === number);
    if (!call) throw new ControlError(404, `${number} has started no call ${params.id}`);
    return calls.end(call.id);
  });
}
