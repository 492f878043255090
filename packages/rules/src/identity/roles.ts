/** The roles of users in a tenant (core specification, section 6). */
export const roles = ['LightingEngineer', 'BoilerEngineer', 'Manager', 'Admin', 'Developer', 'Guest'] as const
export type Role = (typeof roles)[number]

/** Roles that only an operator can assign, never the portal. */
export const internalRoles: readonly Role[] = ['Developer', 'Admin']

export const areas = [
  'misc',
  'lighting',
  'boilers',
  'fireAlarms',
  'liftMonitors',
  'peopleCounters',
  'networking',
  'users',
  'reports',
  'thirdParty',
  'all',
] as const
export type Area = (typeof areas)[number]

/** Access levels in order: each includes the lower ones. */
export const levels = { none: 0, read: 1, edit: 2, manage: 3, admin: 4, dev: 5 } as const
export type LevelName = keyof typeof levels
export type Level = (typeof levels)[LevelName]

const everywhere = (level: Level): Record<Area, Level> => ({
  misc: level,
  lighting: level,
  boilers: level,
  fireAlarms: level,
  liftMonitors: level,
  peopleCounters: level,
  networking: level,
  users: level,
  reports: level,
  thirdParty: level,
  all: levels.none,
})

const matrix: Record<Role, Record<Area, Level>> = {
  LightingEngineer: { ...everywhere(0), lighting: 2, networking: 2, misc: 1, users: 1, reports: 1, thirdParty: 1 },
  BoilerEngineer: { ...everywhere(0), boilers: 2, networking: 2, thirdParty: 2, misc: 1, users: 1, reports: 1 },
  Manager: everywhere(3),
  Guest: everywhere(1),
  Admin: everywhere(4),
  Developer: { ...everywhere(5), all: 5 },
}

/** The level of a role in an area. */
export function levelOf(role: Role, area: Area): Level {
  return matrix[role][area]
}

/** The areas in which a role has access. */
export function areasOf(role: Role): Area[] {
  return areas.filter((area) => levelOf(role, area) > levels.none)
}
