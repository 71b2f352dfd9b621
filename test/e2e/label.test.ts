import { describe, expect, it } from 'vitest';
import { isEvent } from '../support/gateway.ts';
import { ada, jid, ownNumber, startLinked } from '../support/group.ts';

describe('labels', () => {
  it('findLabels lists the labels of the phone, and handleLabel puts labels on chats and removes them', async () => {
    const world = await startLinked();
    const { api, sandbox, receiver } = world;
    const account = sandbox.world.account(ownNumber);
    const { phoneAppState: synced } = sandbox.phones;
    expect(await api('GET', '/label/findLabels/sales')).toMatchObject({ status: 200, body: [] });
    for (const [id, name] of [
      ['10', 'Late'],
      ['7', 'Customers'],
    ] as const) {
      await synced.change(account, { addLabel: { id, name, color: 3, deleted: false } });
      await receiver.next(({ body }) => isEvent(body, 'labels.edit') && JSON.stringify(body).includes(name));
    }
    const customers = { id: '7', name: 'Customers', color: 3 };
    expect((await api('GET', '/label/findLabels/sales')).body).toEqual([
      customers,
      { ...customers, id: '10', name: 'Late' },
    ]);

    const waitForAssociation = (labeled: boolean) =>
      synced.waitFor(
        account,
        ({ index, value }) => index.includes('7') && value.labelAssociationAction?.labeled === labeled,
      );
    const added = await api('PUT', '/label/handleLabel/sales', { number: ada, labelId: 7, action: 'add' });
    expect(added).toMatchObject({ status: 200, body: { numberJid: jid(ada), labelId: '7', add: true } });
    expect((await waitForAssociation(true)).index).toEqual(['label_jid', '7', jid(ada)]);
    const removed = await api('POST', '/label/handleLabel/sales', { number: ada, labelId: '7', action: 'remove' });
    expect(removed).toMatchObject({ status: 200, body: { numberJid: jid(ada), labelId: '7', remove: true } });
    await waitForAssociation(false);

    const refusals: [object, number, string][] = [
      [{ number: ada, labelId: '8', action: 'add' }, 404, 'LABEL_NOT_FOUND'],
      [{ number: '15550000000', labelId: '7', action: 'add' }, 404, 'NUMBER_NOT_ON_PLATFORM'],
      [{ number: ada, labelId: '7', action: 'paint' }, 400, 'INVALID_REQUEST'],
      [{ number: ada, action: 'add' }, 400, 'INVALID_REQUEST'],
    ];
    for (const [body, status, code] of refusals) {
      expect(await api('POST', '/label/handleLabel/sales', body), code).toMatchObject({ status, body: { code } });
    }

    await synced.change(account, { addLabel: { id: '7', name: 'Customers', color: 3, deleted: true } });
    await receiver.next(({ body }) => isEvent(body, 'labels.edit') && JSON.stringify(body).includes('"deleted":true'));
    expect((await api('GET', '/label/findLabels/sales')).body).toMatchObject([{ id: '10' }]);
    await world.api('DELETE', '/instance/logout/sales');
    expect((await world.api('GET', '/label/findLabels/sales')).body).toEqual([]);
    const closed = await world.api('POST', '/label/handleLabel/sales', { number: ada, labelId: '10', action: 'add' });
    expect(closed).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_OPEN' } });
  });
});
