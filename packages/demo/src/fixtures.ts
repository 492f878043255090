import type { Role } from '@caretaker/rules/identity/roles.ts'
import { publishedPassword } from '@caretaker/server/published-password.ts'
import { demoId } from './chance.ts'

/**
 * The fixed part of the demo, at every size: its users, and the devices and properties with a scenario. Browser tests,
 * documentation and screenshots rely on these names.
 */
export const demoPassword = publishedPassword

/** The smallest size of the largest tenant, in devices, that has room for all scenarios. */
export const smallestDemo = 200

export const demoTenants = {
  northgate: 'Northgate Homes',
  harbour: 'Harbour Facilities',
  meridian: 'Meridian Council',
} as const
export type DemoTenant = keyof typeof demoTenants

export interface DemoPerson {
  email: string
  name: string
  roles: Partial<Record<DemoTenant, Role>>
  /** Name of the user's access rights tag in each of their tenants. */
  carries?: string
}

export const demoPeople: readonly DemoPerson[] = [
  everywhere('dev@caretaker.example', 'Morgan Ellis', 'Developer'),
  everywhere('admin@caretaker.example', 'Helen Whitaker', 'Admin'),
  { email: 'manager@northgate.example', name: 'Priya Nair', roles: { northgate: 'Manager' } },
  { email: 'lighting@northgate.example', name: 'Callum Hargreaves', roles: { northgate: 'LightingEngineer' } },
  { email: 'boiler@northgate.example', name: 'Tom Ashworth', roles: { northgate: 'BoilerEngineer' } },
  { email: 'guest@northgate.example', name: 'Grace Okafor', roles: { northgate: 'Guest' } },
  {
    email: 'limited@northgate.example',
    name: 'Dean Sutcliffe',
    roles: { northgate: 'Manager' },
    carries: 'East Patch',
  },
  {
    email: 'contractor@multi.example',
    name: 'Bethan Lloyd',
    roles: { harbour: 'LightingEngineer', northgate: 'Manager', meridian: 'Guest' },
  },
  { email: 'manager@harbour.example', name: 'Robert McAllister', roles: { harbour: 'Manager' } },
  { email: 'manager@meridian.example', name: 'Samira Khan', roles: { meridian: 'Manager' } },
]

function everywhere(email: string, name: string, role: Role): DemoPerson {
  return { email, name, roles: { northgate: role, harbour: role, meridian: role } }
}

export interface StoriedDevice {
  tenant: DemoTenant
  deviceId: string
  serial: string
  name: string
}

/** The integrations of a client: a key whose secret is unknown, and a disabled webhook that is never called. */
export const demoIntegrations = { tenant: 'northgate', apiKey: 'Energy dashboard', webhook: 'Help desk' } as const

/** Two connections with sensors that wait to be added to properties. */
export const demoConnections = {
  tenant: 'northgate',
  chirpstack: 'LoRaWAN sensors (ChirpStack)',
  zigbee2mqtt: 'Zigbee sensors (Zigbee2MQTT)',
  /**
   * The address of the simulated ChirpStack, which does not resolve, and its token. Neither gives access to anything
   * else.
   */
  api: 'https://chirpstack.northgate.example',
  apiToken: 'demo-network-server',
} as const

const device = (tenant: DemoTenant, deviceId: string, serial: string, name: string): StoriedDevice => ({
  tenant,
  deviceId,
  serial,
  name,
})

/** The devices with a scenario. The simulator runs the live ones, which respond to commands. */
export const demoDevices = {
  /**
   * A live light that passed every test and completes a flick test within seconds. Has the access rights tag East
   * Patch.
   */
  livelyLight: device('northgate', '8b611337-1ccb-8a4c-a14b-17ce20df34ce', 'EM1000217K', 'Stair A landing 1'),
  /** Live, without an access rights tag. */
  untaggedLight: device('northgate', '3fdf2129-5504-80ef-8cbd-7aa9e4925220', 'EM1000305B', 'Entrance lobby'),
  /** Its battery was empty 112 minutes into the last T180. */
  failedT180: device('northgate', '1e18aa39-e9cc-855f-a181-de54fd02f374', 'EM1000389P', 'Stairwell B, level 2'),
  /** In wholesale, never installed. */
  inWholesale: device('northgate', 'c8ae5652-59ad-87b0-85aa-b51a29cffcfc', 'EM1000412T', 'Emergency light'),
  /** In stock: claimed and ready to be installed. */
  stockLight: device('northgate', '82e973fb-b65c-8b1e-9fa2-74cd2781ab33', 'EM1000426C', 'Emergency light'),
  stockGateway: device('northgate', '58dff566-444e-8e85-a0b2-46a2db01c9a6', 'ZG1000058M', 'Zigbee gateway'),
  stockModule: device('northgate', 'e6a93de4-be1b-8d24-a11b-2944e59063df', 'BX1000561N', 'Boiler control module'),
  livelyGateway: device('northgate', '25af7f4b-f41e-8156-b04d-7da9a6365cf1', 'ZG1000031H', 'Riser cupboard gateway'),
  /** Offline for a day and a half, as is every light connected through it. */
  offlineGateway: device('northgate', '237e513a-e3e8-8ca0-a112-555ed74b9768', 'ZG1000044D', 'Roof plant gateway'),
  livelyBoiler: device(
    'northgate',
    'a2b882eb-13ca-83c5-812b-18ad051defad',
    'BX1000482D',
    'Kitchen boiler control module',
  ),
  /** Locked out this morning with a fault that can be reset remotely. */
  boilerLockout: device(
    'northgate',
    'f3fca5f3-c1cb-8e52-af2b-f0032b3d1bb4',
    'BX1004127K',
    'Kitchen boiler control module',
  ),
  /** Connected through the module in lockout. */
  connectedDot: device('northgate', '27d1786d-cc84-8add-99b4-8a8cf4842c70', 'MD1002210F', 'Bedroom 1 multi-dot'),
  /** Allocated to the module of the live boiler, but not fully installed. */
  allocatedDot: device('northgate', 'a84a897b-af70-825f-8d08-c8193169e62f', 'MD1000742H', 'Bathroom multi-dot'),
  /**
   * The thermostat of its module, in a property that also has a hub. It can be uninstalled only with the dual install
   * feature.
   */
  thermostatDot: device('northgate', 'fdc7613f-d15e-8b12-9aa7-217c4a1b70c9', 'MD1000962P', 'Living room multi-dot'),
  heatSaviour: device(
    'northgate',
    '48c2e7e3-5b4d-8af4-8de0-95fbd696c2fb',
    'ASHP1003052L',
    'Back garden air source heat pump',
  ),
  powerSwitch: device(
    'northgate',
    '056ed2b9-6caf-8e73-9068-977cd9cb4ee0',
    'PS1000481K',
    'Airing cupboard power switch',
  ),
  failedAutofill: device('northgate', '9fdb65af-1b8e-8774-96d2-9694005f94fa', 'AF1002740R', 'Kitchen autofill'),
  /** Loses its connection several times a day. */
  dropsOut: device(
    'northgate',
    '7193c102-e2b8-872f-8a3e-5bda1d646efb',
    'BX1002903E',
    'Utility room boiler control module',
  ),
  harbourLight: device('harbour', '588604ac-ff25-85ec-9930-bc3a1123e3ef', 'EM1600118R', 'Hall 1 gate A'),
  harbourGateway: device('harbour', '28f2d6fe-96d2-85f8-aa4e-bd72bacafd66', 'ZG1600007C', 'Comms room gateway'),
  meridianLight: device('meridian', '7c60d432-10f2-8594-85e6-2324a679ad35', 'EM1800064N', 'Stair A landing 1'),
  meridianBoiler: device(
    'meridian',
    '91e13c58-e0c6-8808-a2f3-a86a761bf13e',
    'BX1800029V',
    'Kitchen boiler control module',
  ),
} as const satisfies Record<string, StoriedDevice>

/** The references of the properties with a scenario, all in northgate. */
export const demoHomes = {
  /** Cold, damp rooms; the access of its resident is pending. */
  damp: 'NG-002316',
  underHeated: 'NG-001874',
  boilerLockout: 'NG-004127',
  heatSaviour: 'NG-003052',
  failedAutofill: 'NG-002740',
  void: 'NG-001120',
  gasCheckDue: 'NG-003391',
  dropsOut: 'NG-002903',
  lively: 'NG-000482',
} as const

/** The id of a property in northgate. */
export const demoPropertyId = (reference: string): string => demoId(`northgate property ${reference}`)

/** The buildings with a scenario, all in northgate. */
export const demoBuildings = {
  lively: 'Kestrel Court',
  failedT180: 'Beech Hill Court',
  offlineGateway: 'Riverside Point',
  /** Its two test groups run their T180 at the same hour. */
  collision: 'Calder Wharf',
} as const
