import type { Audited } from './audit.ts'

/** A change to a member of the tenant, with the name in the audit log. */
interface AuditedUser extends Audited {
  userId: string
  userName: string
}

export interface UserCreated extends AuditedUser {
  type: 'UserCreated'
}
export interface UserDetailsChanged extends AuditedUser {
  type: 'UserDetailsChanged'
}
export interface UserRoleChanged extends AuditedUser {
  type: 'UserRoleChanged'
}
export interface UserTagsChanged extends AuditedUser {
  type: 'UserTagsChanged'
}
export interface UserDeleted extends AuditedUser {
  type: 'UserDeleted'
}
/** A member who has not signed in with the current identity provider has another invitation. */
export interface UserInvitedAgain extends AuditedUser {
  type: 'UserInvitedAgain'
}
/** The invited person has signed in: the invitation has ended. */
export interface InvitationAccepted {
  type: 'InvitationAccepted'
  userId: string
}
/** Another identity provider knows the member. */
export interface UserIssuerChanged extends AuditedUser {
  type: 'UserIssuerChanged'
}
/** Someone else changed how the member signs in; the membership stays as it is. */
export interface UserSignInChanged extends AuditedUser {
  type: 'UserSignInChanged'
  action: 'password reset sent' | 'password link made' | 'sessions ended' | 'second factor reset'
}
/** The member chose the page that opens at the next sign-in. */
export interface StartViewChosen {
  type: 'StartViewChosen'
  userId: string
}
/** A manager views the portal as the member. */
export interface ViewingStarted extends AuditedUser {
  type: 'ViewingStarted'
  endsAt: Date
}
export interface ViewingEnded extends AuditedUser {
  type: 'ViewingEnded'
}

export type PeopleEvent =
  | UserCreated
  | UserDetailsChanged
  | UserRoleChanged
  | UserTagsChanged
  | UserDeleted
  | UserInvitedAgain
  | InvitationAccepted
  | UserIssuerChanged
  | UserSignInChanged
  | StartViewChosen
  | ViewingStarted
  | ViewingEnded
