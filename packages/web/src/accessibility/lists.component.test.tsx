import { page } from 'vitest/browser'
import type { TestsOfMonth } from '@caretaker/contract/lighting.ts'
import { getTestOverview } from '@caretaker/contract/lighting.ts'
import { getTenantSetup } from '@caretaker/contract/tenant-administration.ts'
import { getTenantExports } from '@caretaker/contract/tenant-exports.ts'
import type { Screen } from '../testing/accessible-screens.ts'
import { anyGrid, dialog, firstRow, grid, main, press, testScreens } from '../testing/accessible-screens.ts'
import { answer } from '../testing/network.ts'
import { variedExampleOf } from '../testing/varied.ts'

const listings: Screen[] = (
  [
    ['EmergencyLights', 'Emergency Lights'],
    ['NetworkingDevices', 'Networking Devices'],
    ['Boilers', 'Boilers'],
    ['Bcms', 'Boilers'],
    ['HomeHubs', 'Home hubs'],
    ['VStats', 'V-Stats'],
    ['MultiDots', 'Multi-dots'],
    ['Properties', 'Properties'],
  ] as const
).map(([path, title]) => ({
  name: `list of ${path}`,
  path: `/$tenant/${path}`,
  shows: () => grid(title),
}))

const others: Screen[] = (
  [
    ['users', 'Users'],
    ['tenants', 'Settings/Tenants'],
    ['system', 'Settings/System'],
    ['audit', 'Audit'],
    ['mailbox', 'Mailbox'],
  ] as const
).map(([name, path]) => ({ name, path: `/$tenant/${path}`, shows: firstRow }))

/** Twelve months, each with one failed light. */
const months = Array.from({ length: 12 }, (_, at) => `2026-${String(at + 1).padStart(2, '0')}`)
const overview = answer(getTestOverview, {
  months,
  cells: months.map((month): TestsOfMonth => ({
    ...{ month, testType: 'T180', lights: 72, worst: 'Failed', worstLights: 5, corrected: 1, disputed: 1 },
  })),
})

/** An active client without exports. */
const setup = [
  answer(getTenantSetup, { ...variedExampleOf(getTenantSetup), suspension: null }),
  answer(getTenantExports, { exports: [] }),
]

testScreens([
  ...listings,
  ...others,
  { name: 'users as a manager sees them', path: '/$tenant/Users', role: 'Manager', shows: firstRow },
  {
    name: 'creating a user',
    path: '/$tenant/Users',
    open: () => press('Create user'),
    shows: () => dialog('Create user'),
  },
  {
    name: 'BCMs of one heating type',
    path: '/$tenant/Bcms',
    address: `/northgate/Bcms?filter=${encodeURIComponent('{"type":"ASHP"}')}`,
    shows: () => grid('Boilers'),
  },
  {
    name: 'all test results',
    path: '/$tenant/EmergencyTestResults',
    answers: [overview],
    shows: () => grid('Test results'),
  },
  { name: 'groups of lights', path: '/$tenant/EmergencyLightSchedules', shows: () => grid('Groups') },
  {
    name: 'changing a group of lights',
    path: '/$tenant/EmergencyLightSchedules',
    open: () => firstRow().click(),
    shows: () => dialog('Update Group').getByRole('list', { name: 'Legend' }),
  },
  {
    name: 'plan of tests',
    path: '/$tenant/EmergencyLightSchedules/Plan',
    shows: () => page.getByRole('heading', { level: 2, name: /^[A-Z][a-z]+ \d{4}$/ }).first(),
  },
  { name: 'managed service', path: '/$tenant/ManagedService', shows: () => grid('Licence summary') },
  {
    name: 'licences that expire',
    path: '/$tenant/ManagedService',
    address: '/northgate/ManagedService?type=expiring',
    shows: anyGrid,
  },
  {
    name: 'tenant',
    path: '/$tenant/Settings/Tenants/$tenantId',
    shows: () => main.getByRole('region', { name: 'In use' }),
  },
  {
    name: 'adding a tenant',
    path: '/$tenant/Settings/Tenants/Add',
    shows: () => page.getByRole('textbox', { name: 'ID', exact: true }),
  },
  ...(
    [
      ['Invite manager', 'Invite a manager of'],
      ['Add licences', 'Add licences'],
      ['Suspend', 'Suspend'],
      ['Export everything', 'Export everything of'],
    ] as const
  ).map(([button, title]): Screen => ({
    name: `a tenant's dialog '${button}'`,
    path: '/$tenant/Settings/Tenants/$tenantId',
    answers: setup,
    open: () => main.getByRole('button', { name: button, exact: true }).first().click(),
    shows: () => dialog(new RegExp(`^${title}`)),
  })),
])
