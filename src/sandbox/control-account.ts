// Controls of one phone beyond its messages: calls, and what its owner shows and arranges.
import type { FastifyInstance } from 'fastify';
import { ControlError, optionalBoolean, optionalStrings, toNumber, toObject } from './ask.ts';
import type { Phone } from './phone.ts';
import type { Sandbox } from './sandbox.ts';

export interface Named {
  Params: { number: string };
}

/** Adds the routes; `phoneOf` finds the phone in a path. */
export function addAccount(app: FastifyInstance, { handsets }: Pick<Sandbox, 'handsets'>, phoneOf: FindPhone): void {
  const { calls } = handsets;

  app.get<Named>('/phones/:number/calls', async ({ params }) => {
    const { number } = phoneOf(params).account;
    return calls.all.filter(({ from, to }) => from === number || to === number);
  });

  app.post<Named>('/phones/:number/calls', async ({ params, body: given }, reply) => {
    const body = toObject(given);
    const { number } = phoneOf(params).account;
    const call = calls.ring(number, toNumber(body.to, 'to'), { video: optionalBoolean(body, 'video') });
    return reply.code(201).send(call);
  });

  app.delete<Named & { Params: { id: string } }>('/phones/:number/calls/:id', async ({ params }) => {
    const { number } = phoneOf(params).account;
    const call = calls.all.find(({ id, from }) => id === params.id && from === number);
    if (!call) throw new ControlError(404, `${number} makes no call ${params.id}`);
    return calls.end(call.id);
  });

  app.post<Named>('/phones/:number/played', async ({ params, body: given }) => {
    const body = toObject(given);
    const ids = optionalStrings(body, 'ids') ?? [];
    return { played: handsets.played(phoneOf(params).account.number, toNumber(body.chat, 'chat'), ids) };
  });
}

export type FindPhone = (params: Named['Params']) => Phone;
