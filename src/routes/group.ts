// Groups (interface §4.5): none is built yet.
import type { FastifyInstance } from 'fastify';
import * as group from '../schemas/group.ts';
import { registerPlanned } from './planned.ts';

export async function groupRoutes(app: FastifyInstance): Promise<void> {
  registerPlanned(app, [
    group.createGroupRoute,
    group.findGroupInfosRoute,
    group.fetchAllGroupsRoute,
    group.updateParticipantRoute,
    group.updateParticipantPostRoute,
    group.updateSettingRoute,
    group.updateSettingPostRoute,
    group.toggleEphemeralRoute,
    group.toggleEphemeralPostRoute,
    group.updateGroupDescriptionRoute,
    group.updateGroupDescriptionPostRoute,
    group.updateGroupPictureRoute,
    group.updateGroupPicturePostRoute,
    group.updateGroupSubjectRoute,
    group.updateGroupSubjectPostRoute,
    group.inviteCodeRoute,
    group.acceptInviteCodeRoute,
    group.inviteInfoRoute,
  ]);
}
