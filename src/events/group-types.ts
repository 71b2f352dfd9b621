// Types of groups, their participants and changes of groups, as events contain them. Property names are those of the
// API.

/** A participant in a group record. */
export interface GroupParticipant {
  /** Phone-number JID when known, else the LID, which is WhatsApp's opaque id of a person. */
  id: string;
  /** The role; null for a participant who is not an admin. */
  admin: 'admin' | 'superadmin' | null;
  lid?: string;
  username?: string;
}

/** A group (GroupRecord in openapi.yaml). Times are seconds since the epoch. */
export interface GroupRecord {
  /** JID of the group. */
  id: string;
  subject: string;
  /** JID of the person who set the subject. */
  subjectOwner: string;
  subjectTime: number;
  pictureUrl?: string | null;
  /** Number of participants. */
  size: number;
  /** Time of the creation. */
  creation: number;
  /** JID of the person who created the group. */
  owner: string;
  /** The description. */
  desc?: string;
  /** Id of this version of the description. */
  descId?: string;
  /** Only admins can change the subject, the description and the picture. */
  restrict: boolean;
  /** Only admins can send messages. */
  announce: boolean;
  /** The record describes a community, which contains other groups. */
  isCommunity?: boolean;
  /** The group is the announcement group of a community. */
  isCommunityAnnounce?: boolean;
  /** JID of the community that the group belongs to. */
  linkedParent?: string;
  /** Every participant, and not only an admin, can add people. */
  memberAddMode?: boolean;
  /** Joining by invite link requires the approval of an admin. */
  joinApprovalMode?: boolean;
  /** Seconds after which messages disappear. */
  ephemeralDuration?: number;
  /** Whether WhatsApp addresses the participants by phone number (`pn`) or by LID (`lid`). */
  addressingMode?: string;
  participants?: GroupParticipant[];
}

/** The fields of an event that identify the person who caused it. Absent when WhatsApp does not report the person. */
export interface Authored {
  /** Phone-number JID when known, else the LID. */
  author?: string;
  /** LID, when known. */
  authorAlt?: string;
}

/** A person whom a change of a group affects, for example one who was added. `Authored` names the author. */
export interface AffectedPerson {
  /** Phone-number JID when known, else the LID. */
  jid: string;
  lid?: string;
  username?: string;
  admin?: 'admin' | 'superadmin';
}

/** A change of a group. Absent settings did not change. The settings have the same meaning as those of GroupRecord. */
export interface GroupUpdate extends Authored {
  /** JID of the group. */
  id: string;
  subject?: string;
  /** Empty when the description was removed. */
  desc?: string;
  announce?: boolean;
  restrict?: boolean;
  /** The new code of the invite link. */
  inviteCode?: string;
  memberAddMode?: boolean;
  joinApprovalMode?: boolean;
  /** Seconds after which messages disappear; 0: never. */
  ephemeralDuration?: number;
  picture?: 'changed' | 'removed';
}
