import type { DemoTenant } from '../fixtures.ts'
import type { DelayUnit, TriggerType } from '@caretaker/rules/alerts/delay.ts'
import { defaultRules } from '@caretaker/rules/alerts/defaults.ts'
import type { Family, Product } from '@caretaker/rules/devices/products.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { capabilities, featureGroups, features } from '@caretaker/rules/identity/features.ts'
import { bulkOf, giveLife, type Bulk, type Mixture } from './bulk.ts'
import { demoId } from '../chance.ts'
import type { DemoDevice } from './device.ts'
import { northgate } from './northgate.ts'
import { harbour, meridian } from './other-tenants.ts'
import type { StoriedWorld } from './storied.ts'

export interface AlertPlan {
  /** The scope: devices with a tag, or of a family. */
  tag?: string
  families?: readonly Family[]
  delay: number
  delayUnit: DelayUnit
  /** The recipient's e-mail address; none by default. */
  target?: string
  trigger: TriggerType
  condition: string
  /** Set up by the vendor, with an address that the client cannot change. */
  isFixed?: true
  /** Set up by the vendor for the client, who enters an address. */
  isDefault?: true
}

/** A tenant of the demo, and its size relative to the largest tenant. */
export interface TenantPlan {
  id: DemoTenant
  contacts: string
  features: readonly Feature[]
  capabilities: readonly Capability[]
  /** Access rights tags. The first one is protected and unused. */
  accessRightsTags: readonly string[]
  tags: readonly string[]
  /** The alert rules for devices with a tag. */
  alerts: readonly AlertPlan[]
  storied(now: number): StoriedWorld
  /** The share of the largest tenant's devices. */
  scale: number
  mixture: Pick<Mixture, 'shares' | 'firstNumber' | 'referencePrefix' | 'patches'>
}

const hidden: readonly Feature[] = [
  'HideCustomerPersonalData',
  'HideTelemetryTab',
  'HideDeviceTab',
  'HideEditPropertyAndResidentFields',
]
const everything = features.filter((feature) => !hidden.includes(feature))

const housing: Partial<Record<Product, number>> = {
  EM: 1000,
  EL: 240,
  BX: 340,
  BC: 146,
  ASHP: 104,
  HIU: 38,
  AF: 40,
  AZ: 24,
  MG: 14,
  ZG: 56,
  ZR: 44,
  MD: 212,
  ED: 148,
  PM: 52,
  PS: 28,
  TH: 176,
  ZH: 118,
  ADEY: 86,
  LM: 8,
  PC: 8,
}

const failed = (tag: string, delay: number, delayUnit: DelayUnit, target?: string): AlertPlan => ({
  tag,
  delay,
  delayUnit,
  trigger: 'DEVICESTATUS',
  condition: 'FailedEquipment',
  ...(target && { target }),
})
const silent = (tag: string, delay: number, delayUnit: DelayUnit, target?: string): AlertPlan => ({
  ...failed(tag, delay, delayUnit, target),
  trigger: 'CONNECTIONSTATUS',
  condition: 'NotConnected',
})

/** The rules of a new client. */
const usual = defaultRules.map(({ scope, delay, delayUnit, triggerType, triggerCondition }): AlertPlan => ({
  ...{ families: scope!.families, delay, delayUnit, trigger: triggerType, condition: triggerCondition },
  isDefault: true,
}))

export const tenantPlans: readonly TenantPlan[] = [
  {
    id: 'northgate',
    contacts: 'Repairs desk, 0113 496 0120, repairs@northgate.example',
    features: everything.filter((feature) => feature !== 'SystemDebug'),
    capabilities,
    accessRightsTags: ['Default', 'East Patch', 'West Patch', 'North Patch', 'South Patch'],
    tags: ['DampWatch', 'Greenstar', 'NightTest', 'Phase2', 'Solar', 'WinterWatch'],
    alerts: [
      failed('NightTest', 5, 'mins', 'lighting@northgate.example'),
      { ...failed('NightTest', 0, 'mins'), condition: 'RepairedEquipment' },
      failed('WinterWatch', 30, 'mins', 'boiler@northgate.example'),
      silent('WinterWatch', 6, 'hours', 'boiler@northgate.example'),
      silent('DampWatch', 2, 'days'),
      { ...failed('Greenstar', 1, 'days', 'boiler@northgate.example'), condition: 'PreventativeMaintenance' },
      silent('Phase2', 6, 'hours', 'lighting@northgate.example'),
      {
        ...{ tag: 'Solar', delay: 30, delayUnit: 'mins', target: 'support@caretaker.example', isFixed: true },
        ...{ trigger: 'ALERTABLEEVENT', condition: 'autofillLockout' },
      },
      ...usual,
    ],
    storied: northgate,
    scale: 1,
    mixture: {
      shares: housing,
      firstNumber: 10_001,
      referencePrefix: 'NG',
      patches: [
        ['East Patch', 40],
        ['West Patch', 25],
        ['North Patch', 20],
        ['South Patch', 15],
      ],
    },
  },
  {
    id: 'harbour',
    contacts: 'Control room, 0151 496 0345, control@harbour.example',
    // Lighting and networking only: no properties, boilers or residents, and the original listings.
    features: ['SystemDebug', ...featureGroups.Reporting],
    capabilities: [],
    accessRightsTags: ['Default', 'Waterfront', 'City'],
    tags: ['NightTest', 'OutOfHours'],
    alerts: [failed('OutOfHours', 15, 'mins', 'control@harbour.example'), silent('NightTest', 1, 'hours'), ...usual],
    storied: harbour,
    scale: 1 / 5,
    mixture: {
      shares: { EM: 280, EL: 72, MG: 6, ZG: 18, ZR: 24 },
      firstNumber: 610_001,
      referencePrefix: 'HF',
      patches: [
        ['Waterfront', 2],
        ['City', 1],
      ],
    },
  },
  {
    id: 'meridian',
    contacts: 'Housing team, 01507 496 078, housing@meridian.example',
    features: [...everything, 'HideCustomerPersonalData'],
    capabilities,
    accessRightsTags: ['Default', 'Central', 'Coast'],
    tags: ['Phase1', 'WinterWatch'],
    alerts: [failed('WinterWatch', 1, 'hours', 'housing@meridian.example'), ...usual],
    storied: meridian,
    scale: 1 / 10,
    mixture: {
      shares: housing,
      firstNumber: 810_001,
      referencePrefix: 'MC',
      patches: [
        ['Central', 1],
        ['Coast', 1],
      ],
    },
  },
]

/** Returns the id of a tenant's access rights tag by name. */
export function accessRightsTagId(tenant: DemoTenant): (name: string) => string {
  return (name) => demoId(`${tenant} access rights tag ${name}`)
}

/**
 * If the largest tenant has at most this many devices, all have a history; in a larger demo, only this many have one.
 */
const rememberedDevices = 2000
/** If the largest tenant has at most this many devices, the simulator runs all connected ones. */
const playedDevices = 5000

export interface TenantWorld extends Bulk {
  plan: TenantPlan
  storied: StoriedWorld
}

/**
 * The devices of a tenant that the simulator runs: those with a scenario, and all other connected ones unless there are
 * too many.
 */
export function livelyDevicesOf(plan: TenantPlan, devices: number, now: number): DemoDevice[] {
  const { storied, devices: all } = worldOf(plan, devices, now)
  const lively: DemoDevice[] = []
  let at = 0
  for (const device of all()) {
    // Avoids generating all of a large demo for these few devices.
    if (at++ === storied.devices.length && devices > playedDevices) break
    if (device.life) lively.push(device)
  }
  return lively
}

/** All data of a tenant, generated on demand. */
export function worldOf(plan: TenantPlan, devices: number, now: number): TenantWorld {
  const storied = plan.storied(now)
  const isPlayed = devices <= playedDevices
  const bulk = bulkOf(
    {
      ...plan.mixture,
      tenant: plan.id,
      tags: plan.tags,
      devices: Math.round(devices * plan.scale),
      remembered: Math.min(1, rememberedDevices / devices),
      isPlayed,
    },
    storied,
    now,
  )
  return {
    plan,
    storied,
    buildings: [...storied.buildings, ...bulk.buildings],
    properties: [...storied.properties, ...bulk.properties],
    devices: function* () {
      const played = new Set<string>()
      for (const device of storied.devices) {
        giveLife(device, played, now)
        yield device
      }
      for (const device of bulk.devices()) {
        if (isPlayed) giveLife(device, played, now)
        yield device
      }
    },
  }
}
