import assert from 'node:assert/strict'
import { test } from 'vitest'
import { alertsRights } from '../alerts/rights.ts'
import { apiKeysRights } from '../api-keys/rights.ts'
import { boilerRights, boilersRights } from '../boilers/rights.ts'
import { buildingsRights } from '../buildings/rights.ts'
import { deviceRights, devicesRights } from '../devices/rights.ts'
import { lightingRights } from '../lighting/rights.ts'
import { peopleRights } from '../people/rights.ts'
import { propertiesRights, propertyRights } from '../properties/rights.ts'
import { residentsRights } from '../residents/rights.ts'
import { tagsRights } from '../tags/rights.ts'
import { tenantRights } from '../tenants/rights.ts'
import { connectionsRights } from '../connections/rights.ts'
import { webhooksRights } from '../webhooks/rights.ts'
import type { Actor } from '../identity/actor.ts'
import type { DeviceSubject } from '../devices/rights.ts'
import { actions, can, isVendorAction, vendorCan } from './can.ts'
import { isEngineer, isLimited, isManager, seesEverything, tagsAllow } from '../identity/actor.ts'
import { isReadOnly, userCanUpdateAccessRightsTag } from '../devices/rights.ts'
import type { Area, Role } from '../identity/roles.ts'
import { areaOf } from '../devices/products.ts'
import { levelOf, roles } from '../identity/roles.ts'

const actor = (role: Role, tags: string[] = []): Actor => ({
  userId: 'u',
  memberId: 'member',
  tenant: 't',
  role,
  tags,
  features: [],
  capabilities: [],
})
const light = (bend: Partial<DeviceSubject> = {}): DeviceSubject => ({
  product: 'EM',
  status: 'Ok',
  inWholesale: false,
  accessRightsTags: [],
  ...bend,
})

test('a user with at least one access rights tag is restricted [core-6-20]', () => {
  assert.equal(isLimited(actor('Manager')), false)
  assert.equal(isLimited(actor('Manager', ['east'])), true)
})

test('a restricted user sees only devices with one of their tags', () => {
  const limited = actor('Manager', ['east', 'west'])
  assert.equal(tagsAllow(limited, light({ accessRightsTags: ['west'] })), true)
  assert.equal(tagsAllow(limited, light({ accessRightsTags: ['north'] })), false)
  assert.equal(tagsAllow(limited, light()), false)
  assert.equal(tagsAllow(actor('Manager'), light()), true)
})

test('only developers with access to all areas see everything', () => {
  for (const role of roles) assert.equal(seesEverything(actor(role)), role === 'Developer', role)
})

const everyArea: readonly Area[] = ['lighting', 'boilers', 'networking', 'misc']

test('a manager of an area has level manage or above in it, area by area [dev-1purpose-6]', () => {
  const managed = (role: Role) => everyArea.filter((area) => isManager(actor(role), area))
  for (const role of ['Manager', 'Admin', 'Developer'] as const) assert.deepEqual(managed(role), everyArea, role)
  for (const role of ['LightingEngineer', 'BoilerEngineer', 'Guest'] as const) assert.deepEqual(managed(role), [], role)
})

test('an engineer of an area is exactly a user who may edit there, and for whom its devices are not read-only [dev-1purpose-7]', () => {
  const engineered = (role: Role) => everyArea.filter((area) => isEngineer(actor(role), area))
  const expected: Record<Role, readonly Area[]> = {
    LightingEngineer: ['lighting', 'networking'],
    BoilerEngineer: ['boilers', 'networking'],
    Manager: everyArea,
    Admin: everyArea,
    Developer: everyArea,
    Guest: [],
  }
  const devices = { lighting: 'EM', boilers: 'BX', networking: 'ZG', misc: 'MD' } as const
  for (const role of roles) {
    assert.deepEqual(engineered(role), expected[role], role)
    for (const [area, product] of Object.entries(devices))
      assert.equal(isReadOnly(actor(role), { product }), !expected[role].includes(area as Area), `${role} ${area}`)
  }
})

test('engineers of lighting can start a flick test on a visible installed light that is not in wholesale', () => {
  const may = {
    LightingEngineer: true,
    BoilerEngineer: false,
    Manager: true,
    Admin: true,
    Developer: true,
    Guest: false,
  }
  for (const role of roles) {
    assert.equal(can(actor(role), 'flick test', light()), may[role], role)
    assert.equal(can(actor(role), 'flick test'), may[role], `${role}, any light`)
  }
  const engineer = actor('LightingEngineer')
  assert.equal(can(engineer, 'flick test', light({ status: 'Inventory' })), false)
  assert.equal(can(engineer, 'flick test', light({ status: 'DisabledNonPayment' })), false)
  assert.equal(can(engineer, 'flick test', light({ inWholesale: true })), false)
  assert.equal(can(engineer, 'flick test', light({ product: 'MG' })), false)
  assert.equal(can(actor('Manager', ['east']), 'flick test', light()), false)
})

test('seeing a device needs read level on its area', () => {
  assert.equal(can(actor('BoilerEngineer'), 'see device', light()), false)
  assert.equal(can(actor('Guest'), 'see device', light()), true)
  assert.equal(can(actor('LightingEngineer'), 'see device', light({ product: 'BX' })), false)
})

test('engineers of any area can install devices, guests cannot', () => {
  for (const role of roles) assert.equal(can(actor(role), 'install devices'), role !== 'Guest', role)
})

test('a device is read-only for users who may read its area but not edit it', () => {
  assert.equal(isReadOnly(actor('Guest'), light()), true)
  assert.equal(isReadOnly(actor('LightingEngineer'), light()), false)
  assert.equal(isReadOnly(actor('LightingEngineer'), { product: 'MD' }), true)
})

/** The roles that may do something, unrestricted and with a tag. */
const rolesAllowedTo = (action: Parameters<typeof can>[1]) => ({
  free: roles.filter((role) => can(actor(role), action)),
  limited: roles.filter((role) => can(actor(role, ['east']), action)),
})

test('rights on the tenant as a whole depend on role and restriction', () => {
  const everybody = [...roles]
  const engineers = ['LightingEngineer', 'Manager', 'Admin', 'Developer']
  const managers = ['Manager', 'Admin', 'Developer']
  assert.deepEqual(rolesAllowedTo('enter tenant'), { free: everybody, limited: everybody })
  assert.deepEqual(rolesAllowedTo('see users'), { free: everybody, limited: everybody })
  assert.deepEqual(rolesAllowedTo('administer users'), { free: managers, limited: managers })
  assert.deepEqual(rolesAllowedTo('manage tags'), { free: managers, limited: managers })
  assert.deepEqual(rolesAllowedTo('change tags'), { free: managers, limited: ['Developer'] })
  assert.deepEqual(rolesAllowedTo('manage alerts'), { free: managers, limited: ['Developer'] })
  assert.deepEqual(rolesAllowedTo('change compliance figures'), { free: managers, limited: ['Developer'] })
  assert.deepEqual(rolesAllowedTo('manage access rights tags'), { free: managers, limited: [] })
  assert.deepEqual(rolesAllowedTo('see settings'), { free: everybody, limited: ['Developer'] })
  const lighting = ['LightingEngineer', 'Manager', 'Admin', 'Developer', 'Guest']
  assert.deepEqual(rolesAllowedTo('see standard luminaires').free.toSorted(), lighting.toSorted())
  assert.deepEqual(rolesAllowedTo('see standard luminaires').limited, ['Developer'])
  assert.deepEqual(rolesAllowedTo('manage standard luminaires'), { free: managers, limited: ['Developer'] })
  assert.deepEqual(rolesAllowedTo('see audit'), { free: ['Admin', 'Developer'], limited: ['Developer'] })
  assert.deepEqual(rolesAllowedTo('see mailbox'), { free: ['Developer'], limited: ['Developer'] })
  assert.deepEqual(rolesAllowedTo('flick test'), { free: engineers, limited: engineers })
  assert.deepEqual(rolesAllowedTo('set access rights tag'), { free: managers, limited: [] })
})

test("managers without tags can set a device's access rights tag unless it is read-only, as can holders of the capability", () => {
  const capable = (role: Role, tags: string[] = []): Actor => ({
    ...actor(role, tags),
    capabilities: ['EditAccessRightsTags'],
  })
  const may = (one: Actor, device = light()) => can(one, 'set access rights tag', device)
  for (const role of roles) {
    const manages = ['Manager', 'Admin', 'Developer'].includes(role)
    assert.equal(may(actor(role)), manages, role)
    assert.equal(userCanUpdateAccessRightsTag(actor(role), light()), manages, `${role}, flag`)
    assert.equal(may(capable(role)), manages || role === 'LightingEngineer', `${role}, capability`)
    const east = light({ accessRightsTags: ['east'] })
    assert.equal(may(capable(role, ['east']), east), false, `limited ${role}`)
    assert.equal(userCanUpdateAccessRightsTag(actor(role, ['east']), east), false, `limited ${role}, flag`)
  }
  assert.equal(may(capable('LightingEngineer'), light({ product: 'BX' })), false)
  assert.equal(may(capable('BoilerEngineer'), light({ product: 'BX' })), true)
})

const readers = (...allowed: Role[]) => ({
  free: roles.filter((role) => allowed.includes(role)),
  limited: roles.filter((role) => allowed.includes(role)),
})
const everybody = [...roles]

test('networking is offered from level read on it [core-2.4-19]', () => {
  assert.deepEqual(rolesAllowedTo('see networking'), readers(...everybody))
  for (const role of roles) assert.equal(can(actor(role), 'see networking'), levelOf(role, 'networking') > 0, role)
})

test('thermostats and multi-dots are offered by the level on misc, the area of their device types [core-2.4-39]', () => {
  assert.equal(areaOf('TH'), 'misc')
  assert.equal(areaOf('MD'), 'misc')
  for (const role of roles) assert.equal(can(actor(role), 'see sensors'), levelOf(role, 'misc') > 0, role)
})

test('third-party devices are offered by the level on thirdParty [core-2.4-42]', () => {
  for (const role of roles) assert.equal(can(actor(role), 'see third party'), levelOf(role, 'thirdParty') > 0, role)
})

test('the maps are offered by the level on misc [core-2.4-45]', () => {
  for (const role of roles) assert.equal(can(actor(role), 'see maps'), levelOf(role, 'misc') > 0, role)
})

test('reports are offered by the level on reports [core-2.4-49]', () => {
  for (const role of roles) assert.equal(can(actor(role), 'see reports'), levelOf(role, 'reports') > 0, role)
})

test('features and capabilities open their screens; a developer needs neither', () => {
  const withThem = (role: Role, features: Actor['features'], capabilities: Actor['capabilities'] = []): Actor => ({
    ...actor(role),
    features,
    capabilities,
  })
  for (const action of ['see properties', 'see managed service', 'see home hubs'] as const)
    assert.deepEqual(rolesAllowedTo(action), readers('Developer'), action)
  const manager = (features: Actor['features'], capabilities?: Actor['capabilities']) =>
    withThem('Manager', features, capabilities)
  assert.equal(can(manager(['PropertyCentric']), 'see properties'), false)
  assert.equal(can(manager([], ['ViewProperties']), 'see properties'), false)
  assert.equal(can(manager(['PropertyCentric'], ['ViewProperties']), 'see properties'), true)
  assert.equal(can(manager(['ManagedService']), 'see managed service'), true)
  assert.equal(can(manager(['HomeHub']), 'see home hubs'), true)
})

test('buildings and schedules are hidden from restricted users, test results in the sidebar are for developers only', () => {
  assert.deepEqual(rolesAllowedTo('see buildings'), { free: everybody, limited: ['Developer'] })
  const editorsOfBuildings: Role[] = ['LightingEngineer', 'Manager', 'Admin', 'Developer']
  assert.deepEqual(rolesAllowedTo('edit buildings'), { free: editorsOfBuildings, limited: ['Developer'] })
  const managers = editorsOfBuildings.filter((role) => role !== 'LightingEngineer')
  assert.deepEqual(rolesAllowedTo('be led to buildings'), { free: managers, limited: ['Developer'] })
  const lighting = roles.filter((role) => role !== 'BoilerEngineer')
  assert.deepEqual(rolesAllowedTo('see test schedules'), { free: lighting, limited: ['Developer'] })
  const editors = lighting.filter((role) => role !== 'Guest')
  assert.deepEqual(rolesAllowedTo('edit test schedules'), { free: editors, limited: ['Developer'] })
  assert.deepEqual(rolesAllowedTo('be led to test results'), readers('Developer'))
  assert.deepEqual(rolesAllowedTo('correct test results'), readers('Admin', 'Developer'))
})

test('managers who see the whole client can manage keys of devices that they see', () => {
  const managers: Role[] = ['Manager', 'Admin', 'Developer']
  assert.deepEqual(rolesAllowedTo('manage device keys'), { free: managers, limited: ['Developer'] })
  for (const role of roles) {
    assert.equal(can(actor(role), 'manage device keys', light()), managers.includes(role), role)
    assert.equal(can(actor(role, ['west']), 'manage device keys', light({ accessRightsTags: ['east'] })), false, role)
  }
})

test('users who may uninstall a device can install it again, unless it is in service or in wholesale', () => {
  const stock = light({ status: 'Inventory' })
  for (const role of roles)
    assert.equal(can(actor(role), 'install', stock), can(actor(role), 'uninstall', light()), role)
  for (const status of ['Ok', 'Installed', 'DisabledOther'])
    assert.equal(can(actor('Manager'), 'install', light({ status })), false, status)
  assert.equal(can(actor('Manager'), 'install', light({ status: 'Inventory', inWholesale: true })), false)
  assert.equal(can(actor('Manager', ['east']), 'install', stock), false)
})

test('tagging, uninstalling, network and resets depend on area, level, status and visibility', () => {
  const deviceRights = [
    'tag device',
    'uninstall',
    'change network',
    'reset device',
    'place device',
    'equip light',
  ] as const
  const may: Record<(typeof deviceRights)[number], Role[]> = {
    'tag device': ['Manager', 'Admin', 'Developer'],
    uninstall: ['LightingEngineer', 'Manager', 'Admin', 'Developer'],
    'change network': ['LightingEngineer', 'Manager', 'Admin', 'Developer'],
    'reset device': ['LightingEngineer', 'Manager', 'Admin', 'Developer'],
    'place device': ['LightingEngineer', 'Manager', 'Admin', 'Developer'],
    'equip light': ['LightingEngineer', 'Manager', 'Admin', 'Developer'],
  }
  for (const right of deviceRights) {
    assert.deepEqual(
      roles.filter((role) => can(actor(role), right, light())),
      roles.filter((role) => may[right].includes(role)),
      right,
    )
    // `any` is true exactly for roles that may do it to some device.
    for (const role of roles) {
      const some = (['EM', 'BX', 'MG', 'ZR', 'MD', 'AF', 'LM', 'PC'] as const).some((product) =>
        can(actor(role), right, light({ product })),
      )
      assert.equal(can(actor(role), right), some, `${role} ${right}`)
    }
    const limited = actor('Manager', ['east'])
    assert.equal(can(limited, right, light()), false, right)
    assert.equal(can(limited, right, light({ accessRightsTags: ['east'] })), true, right)
  }
  assert.equal(can(actor('LightingEngineer'), 'place device', light({ product: 'BX' })), false)
  assert.equal(can(actor('Manager'), 'equip light', light({ product: 'MG' })), false)
  // Restricted device types cannot be edited, unless they report through a connection of the client.
  for (const right of ['place device', 'set condition', 'write note'] as const) {
    const sensor = light({ product: 'ADEY', isOfConnection: true })
    assert.equal(can(actor('Developer'), right, light({ product: 'ADEY' })), false, right)
    assert.equal(can(actor('Developer'), right, sensor), true, right)
    assert.equal(can(actor('Guest'), right, sensor), false, right)
  }
  const manager = actor('Manager')
  for (const right of ['uninstall', 'change network'] as const)
    assert.equal(can(manager, right, light({ status: 'Allocated' })), false, right)
  assert.equal(can(manager, 'tag device', light({ status: 'Inventory' })), true)
  assert.equal(can(manager, 'change network', light({ product: 'MG' })), false)
  assert.equal(can(manager, 'change network', light({ product: 'ZR' })), true)
  assert.equal(can(manager, 'reset device', light({ inWholesale: true })), false)
})

test('managers without restrictions and holders of the capability can set access rights tags, restricted users cannot', () => {
  for (const role of roles) {
    const isManager = ['Manager', 'Admin', 'Developer'].includes(role)
    assert.equal(can(actor(role), 'set access rights tag', light()), isManager, role)
    const able = { ...actor(role), capabilities: ['EditAccessRightsTags' as const] }
    const engineer = isManager || role === 'LightingEngineer'
    assert.equal(can(able, 'set access rights tag', light()), engineer, role)
    const restricted = { ...able, tags: ['east'] }
    assert.equal(can(restricted, 'set access rights tag', light({ accessRightsTags: ['east'] })), false, role)
    assert.equal(can(restricted, 'set access rights tag'), false, role)
  }
})

test('with the feature residents are read by all and managed by editors, never by restricted users [est-6-8] [est-1-14] [est-1-15] [est-1-16]', () => {
  const editors = (['Manager', 'Admin', 'Developer'] as const).slice()
  const withFeature = (role: Role, features: Actor['features'], tags: string[] = []) => ({
    ...actor(role, tags),
    features,
  })
  for (const role of roles) {
    const edits = editors.some((one) => one === role)
    const sees = role === 'Developer'
    assert.equal(can(actor(role), 'set resident app'), edits, role)
    for (const [feature, see, change] of [
      ['ManageResidentAccess', 'see residents', 'manage residents'],
      ['ManageApplication', 'see savings and tips', 'write savings and tips'],
    ] as const) {
      assert.equal(can(actor(role), see), sees, role)
      assert.equal(can(actor(role), change), sees, role)
      assert.equal(can(withFeature(role, [feature]), see), true, role)
      assert.equal(can(withFeature(role, [feature]), change), edits, role)
      assert.equal(can(withFeature(role, [feature], ['east']), see), sees, role)
    }
    assert.equal(can(actor(role, ['east']), 'set resident app'), sees, role)
  }
})

test('only managers who see the whole client manage keys and webhooks', () => {
  for (const role of roles)
    for (const right of ['manage api keys', 'manage webhooks', 'manage connections'] as const) {
      assert.equal(can(actor(role), right), ['Manager', 'Admin', 'Developer'].includes(role), `${role} ${right}`)
      assert.equal(can(actor(role, ['east']), right), role === 'Developer', `limited ${role} ${right}`)
    }
})

test('each right is declared once', () => {
  const rooms = [
    tenantRights,
    peopleRights,
    tagsRights,
    alertsRights,
    devicesRights,
    deviceRights,
    boilerRights,
    boilersRights,
    lightingRights,
    buildingsRights,
    propertiesRights,
    propertyRights,
    residentsRights,
    apiKeysRights,
    webhooksRights,
    connectionsRights,
  ]
  const declared = rooms.flatMap((room) => Object.keys(room))
  assert.deepEqual([...declared].sort(), [...actions].sort())
  for (const action of declared) assert.equal(isVendorAction(action), false)
})

test('admins and developers of the vendor administer clients, wherever they are users [est-6-13] [est-1-17]', () => {
  const staff: Role[] = ['Admin', 'Developer']
  for (const role of roles) assert.equal(vendorCan([role], 'administer tenants'), staff.includes(role), role)
  assert.equal(vendorCan(['Guest', 'Admin'], 'administer tenants'), true)
  assert.equal(vendorCan([], 'administer tenants'), false)
  assert.deepEqual(rolesAllowedTo('see tenants'), { free: staff, limited: staff })
})

test('only developers see the status of the installation, wherever they are users', () => {
  for (const role of roles) assert.equal(vendorCan([role], 'see system status'), role === 'Developer', role)
  assert.deepEqual(rolesAllowedTo('see system'), { free: ['Developer'], limited: ['Developer'] })
})

test('only developers can switch features, wherever they are users', () => {
  for (const role of roles) assert.equal(vendorCan([role], 'switch features'), role === 'Developer', role)
  assert.equal(vendorCan(['Guest', 'Developer'], 'switch features'), true)
  assert.equal(vendorCan([], 'switch features'), false)
})
