import { page } from 'vitest/browser'
import type { Screen } from '../testing/accessible-screens.ts'
import { dialog, grid, press, region, testScreens } from '../testing/accessible-screens.ts'

const grids: Screen[] = (
  [
    ['', 'Alerts'],
    ['/tags', 'Tags'],
    ['/accessRightsTags', 'Access rights tags'],
    ['/luminaire', 'Standard luminaires'],
    ['/residents', 'Residents'],
    ['/apiKeys', 'API keys'],
    ['/webhooks', 'Webhooks'],
  ] as const
).map(([path, title]) => ({ name: `settings, ${title}`, path: `/$tenant/Settings${path}`, shows: () => grid(title) }))

testScreens([
  ...grids,
  { name: "Awaab's Law", path: '/$tenant/Settings/awaabsLaw', shows: () => region('Time for each step') },
  {
    name: 'sign-in policy',
    path: '/$tenant/Settings/signIn',
    role: 'Manager',
    shows: () => region('Second factor and sessions'),
  },
  {
    name: 'groups of the directory and provisioning',
    path: '/$tenant/Settings/signIn',
    role: 'Manager',
    shows: () => region('Users without a role from a group'),
  },
  {
    name: 'adding a group of the directory',
    path: '/$tenant/Settings/signIn',
    role: 'Manager',
    open: () => press('Add group'),
    shows: () => dialog('Add group').getByLabelText('Group'),
  },
  {
    name: 'adding a connection for single sign-on',
    path: '/$tenant/Settings/signIn',
    role: 'Manager',
    open: () => press('Add connection'),
    shows: () => dialog('Add connection').getByLabelText('Issuer'),
  },
  {
    name: 'changing a rule of alerts',
    path: '/$tenant/Settings',
    open: () => press(/^Edit/),
    shows: () => region('In the last 30 days'),
  },
  {
    name: 'adding an API key',
    path: '/$tenant/Settings/apiKeys',
    role: 'Manager',
    open: () => press('Add API key'),
    shows: () => dialog('Add API key').getByLabelText('Name'),
  },
  {
    name: 'adding a webhook',
    path: '/$tenant/Settings/webhooks',
    role: 'Manager',
    open: () => press('Add webhook'),
    shows: () => dialog('Add webhook').getByLabelText('Name'),
  },
  {
    name: 'the log of a webhook',
    path: '/$tenant/Settings/webhooks',
    role: 'Manager',
    open: () => grid('Webhooks').getByRole('link').first().click(),
    shows: () => page.getByRole('button', { name: /^Details: / }).first(),
  },
  {
    name: 'approving a resident',
    path: '/$tenant/Settings/residents',
    address: '/northgate/Settings/residents?access=Waiting',
    role: 'Manager',
    open: () => press(/^Approve: /),
    shows: () => dialog(/^Approve/),
  },
  {
    name: 'revoking the access of a resident',
    path: '/$tenant/Settings/residents',
    role: 'Manager',
    open: () => press(/^Revoke: /),
    shows: () => dialog('Revoke access'),
  },
  {
    name: 'savings and tips of a resident',
    path: '/$tenant/Settings/residents',
    role: 'Manager',
    open: () => press(/: savings and tips of /),
    shows: () => page.getByLabelText('Savings and tips in Markdown'),
  },
  {
    name: 'adding a standard luminaire',
    path: '/$tenant/Settings/luminaire',
    role: 'Manager',
    open: async () => {
      await press('Add luminaire')
      await dialog('Add luminaire').getByRole('combobox', { name: 'Battery type' }).fill('Potato')
    },
    shows: () => page.getByText('Please select battery type from list'),
  },
])
