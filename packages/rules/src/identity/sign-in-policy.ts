import type { Role } from './roles.ts'

/** How the users of a client sign in with the embedded provider. */
export interface SignInPolicy {
  /** Roles whose users need a second factor. */
  secondFactorRoles: readonly Role[]
  /** A session ends after this many minutes without use. */
  idleMinutes: number
  /** A session ends this many hours after the sign-in, used or not. */
  sessionHours: number
}

export const sessionLimits = {
  idleMinutes: { least: 15, most: 20_160, default: 1440 },
  sessionHours: { least: 1, most: 336, default: 336 },
} as const

/** Roles that need a second factor in clients that have set nothing else. The accounts of a demo need none. */
export const secondFactorRoles = (demo: boolean): readonly Role[] => (demo ? [] : ['Manager', 'Admin', 'Developer'])

/** The policy of a client: what it has set, and the defaults of the installation. */
export function policyOf(set: Partial<SignInPolicy> | undefined, demo: boolean): SignInPolicy {
  return {
    secondFactorRoles: secondFactorRoles(demo),
    idleMinutes: sessionLimits.idleMinutes.default,
    sessionHours: sessionLimits.sessionHours.default,
    ...set,
  }
}

/** The policy for a person with several clients: a session opens all of them, so the strictest values apply. */
export interface Obligation {
  needsSecondFactor: boolean
  idleMinutes: number
  sessionHours: number
}

export function obligationOf(memberships: readonly { role: Role; policy: SignInPolicy }[]): Obligation {
  const shortest = (limit: keyof typeof sessionLimits) =>
    Math.min(...memberships.map(({ policy }) => policy[limit]), sessionLimits[limit].most)
  return {
    needsSecondFactor: memberships.some(({ role, policy }) => policy.secondFactorRoles.includes(role)),
    idleMinutes: memberships.length ? shortest('idleMinutes') : sessionLimits.idleMinutes.default,
    sessionHours: memberships.length ? shortest('sessionHours') : sessionLimits.sessionHours.default,
  }
}

/** Minutes for which a sign-in counts as recent. */
export const recentSignInMinutes = 10
