import type { Product } from '../devices/products.ts'
import { familyOf } from '../devices/products.ts'
import type { DeviceStatus } from '../devices/status.ts'
import { countsAsInstalled } from '../devices/status.ts'
import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt, instantOf } from '../calendar/days.ts'
import { heatingUnitOf, numberIn, voidHeatingMax } from '../boilers/details.ts'
import type { Monitoring } from '../devices/monitoring.ts'
import type { CommandName } from '../commands/commands.ts'
import type { CommandLife, State } from '../commands/life.ts'
import { awaitsConfirmation, statusAt } from '../commands/life.ts'
import { isBcm } from '../links/handover.ts'

/** When the boiler of a void property is fired, and for how many minutes (estate specification, sections 4 and 9). */
export const firingHour = 9
export const firingMinutes = 5
/** How late a firing may begin, in ms; later it counts as missed, because no one expects a boiler to start then. */
export const firingGrace = 5 * 60_000

/** The effects of void mode on a property, in display order. */
export const voidEffects = ['heating', 'firing', 'electricity', 'alerts'] as const
export type VoidEffect = (typeof voidEffects)[number]
/** Effects that are a device value, kept while the property is void. */
export const heldEffects = ['heating', 'electricity'] as const satisfies readonly VoidEffect[]
export type HeldEffect = (typeof heldEffects)[number]

/** The facts about a device of the property that void mode needs. */
export interface HomeDevice {
  deviceId: string
  serialNumber: string
  product: Product
  /** The character of the serial number that identifies the model of the product. */
  model: string
  status: DeviceStatus
  monitoring: Monitoring | null
  reported: State
  /** When its boiler or heat pump fault began, in ms since the epoch; null without one. */
  lockedOutSince: number | null
}

/** A power meter of model F, which can also cut off the electricity of its property. */
export function isPowerSenseF({ product, model }: Pick<HomeDevice, 'product' | 'model'>): boolean {
  return familyOf(product) === 'powerMeter' && model === 'F'
}

/** A boiler control module, or a separate heat pump: the devices with the heating settings of a property. */
const heats = (product: Product) => isBcm(product) || familyOf(product) === 'airSourceHeatPump'

/** Whether void mode can affect the device at all. */
export function concernsVoid(device: Pick<HomeDevice, 'product' | 'model'>): boolean {
  return heats(device.product) || isPowerSenseF(device)
}

/** Whether an effect applies to a device, or why not; `why` is null for other kinds of devices. */
type Fit = { applies: true } | { applies: false; why: string | null }
const applies: Fit = { applies: true }
const other: Fit = { applies: false, why: null }
const because = (why: string): Fit => ({ applies: false, why })

export function fitFor(effect: Exclude<VoidEffect, 'alerts'>, device: HomeDevice): Fit {
  const { serialNumber, product, monitoring, reported } = device
  const concerned = effect === 'electricity' ? isPowerSenseF(device) : heats(product)
  if (!concerned) return other
  if (!countsAsInstalled(device.status)) return because(`${serialNumber} is not installed.`)
  if (effect !== 'electricity' && monitoring === 'None')
    return because(`${serialNumber} is a surveyor cube, which does not heat.`)
  if (effect === 'heating' && reported['chMaxSupported'] === false)
    return because(`${serialNumber} has no heating maximum setting.`)
  if (effect === 'firing' && (!isBcm(product) || heatingUnitOf({ product, monitoring }) !== 'boiler'))
    return because(`${serialNumber} belongs to a heat pump, which is not fired.`)
  return applies
}

/** Devices that cannot heat or fire because the equipment they control is locked out. */
export const lockedOutIn = <D extends HomeDevice>(devices: readonly D[]): (D & { lockedOutSince: number })[] =>
  devices.filter(
    (device): device is D & { lockedOutSince: number } =>
      device.lockedOutSince !== null &&
      countsAsInstalled(device.status) &&
      heats(device.product) &&
      device.monitoring !== 'None',
  )

/** The effect of a lockout on an empty property. */
export const lockoutWords = {
  title: 'Boiler locked out: no firing, frost risk',
  text: 'Until the lockout ends, the property is not heated and its pump and valves are not exercised. Reset or repair it, or drain the pipes.',
} as const

/** The command that starts or ends an effect; `former` is the previous heating maximum, in °C. */
export function commandFor(
  effect: HeldEffect,
  isVoid: boolean,
  former: number | null,
): { name: CommandName; args: Record<string, unknown> } | undefined {
  if (effect === 'electricity') return { name: 'setSupplyHold', args: { isHeld: isVoid } }
  const chSetPoint = isVoid ? voidHeatingMax : former
  return chSetPoint === null ? undefined : { name: 'setChMax', args: { chSetPoint } }
}

/**
 * The heating maximum to restore, in °C: the desired value when the property became void, else the reported one. A
 * value set by void mode itself is ignored.
 */
export function formerMax(
  { desired, reported }: { desired: State; reported: State },
  kept: number | null,
): number | null {
  const now = numberIn(desired, 'chMax') ?? numberIn(reported, 'chMax')
  return now === voidHeatingMax || now === null ? kept : now
}

/** The firing time on a Monday in a zone, in ms since the epoch. */
export const firingOn = (monday: Day, zone: string): number =>
  instantOf(Date.parse(`${monday}T00:00:00Z`) + firingHour * 3_600_000, zone)

/** The first Monday 09:00 in a zone after an instant: its day, and the instant in ms since the epoch. */
export function nextFiring(after: number, zone: string): { monday: Day; at: number } {
  const today = dayAt(after, zone)
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay()
  for (let monday = dayAfter(today, (8 - weekday) % 7); ; monday = dayAfter(monday, 7)) {
    const at = firingOn(monday, zone)
    if (at > after) return { monday, at }
  }
}

/** The state of an effect on its device. */
export const effectStandings = ['asked', 'confirmed', 'refused', 'not delivered'] as const
export type EffectStanding = (typeof effectStandings)[number]
export const effectStandingWords: Record<EffectStanding, string> = {
  asked: 'Asked',
  confirmed: 'Confirmed',
  refused: 'Refused',
  'not delivered': 'Not delivered',
}

/** Whether it failed, so that it can be requested again. */
export const hasEffectFailed = (standing: EffectStanding | null) =>
  standing === 'refused' || standing === 'not delivered'

/** The state of an effect from its command; `now` in ms since the epoch. */
export function effectStanding(command: CommandLife, reported: State, now: number): EffectStanding {
  if (!awaitsConfirmation({ ...command, withdrawnAt: null }, reported)) return 'confirmed'
  const status = statusAt(command, now)
  if (status === 'failed') return 'refused'
  return status === 'expired' || status === 'withdrawn' ? 'not delivered' : 'asked'
}

/** An effect for this property: its title, and a text with the devices, or why there are none. */
export interface EffectPlan {
  effect: VoidEffect
  applies: boolean
  title: string
  text: string
}

const list = (devices: readonly HomeDevice[]) => devices.map(({ serialNumber }) => serialNumber).join(', ')
const count = (number: number) => `${number} ${number === 1 ? 'device' : 'devices'}`

/**
 * The effects of turning void mode on or off for this property. `former` are the heating maxima to restore, in °C, by
 * device; null if unknown.
 */
export function voidPlan(
  isVoid: boolean,
  devices: readonly HomeDevice[],
  former: ReadonlyMap<string, number | null>,
): EffectPlan[] {
  return voidEffects.map((effect): EffectPlan => {
    if (effect === 'alerts') return alertsPlan(isVoid, devices.length)
    const fits = devices.map((device) => ({ device, fit: fitFor(effect, device) }))
    const fitting = fits.flatMap(({ device, fit }) => (fit.applies ? [device] : []))
    const reasons = fits.flatMap(({ fit }) => (fit.applies || fit.why === null ? [] : [fit.why]))
    const isStopped =
      isVoid && effect === 'firing' && fitting.length > 0 && lockedOutIn(fitting).length === fitting.length
    if (isStopped)
      return { effect, applies: false, title: lockoutWords.title, text: `${list(fitting)}. ${lockoutWords.text}` }
    const { title, text } = fitting.length
      ? planTexts[effect](isVoid, fitting, former)
      : { title: absentTitles[effect](isVoid), text: reasons.length ? '' : absentTexts[effect] }
    return { effect, applies: fitting.length > 0, title, text: [text, ...reasons].filter(Boolean).join(' ') }
  })
}

type Texts = (
  isVoid: boolean,
  devices: readonly HomeDevice[],
  former: ReadonlyMap<string, number | null>,
) => { title: string; text: string }

const planTexts: Record<Exclude<VoidEffect, 'alerts'>, Texts> = {
  heating: (isVoid, devices, former) => {
    const values = devices.map(({ deviceId }) => former.get(deviceId) ?? null)
    const known = [...new Set(values.filter((value) => value !== null))]
    const degrees = known.map((value) => `${value} °C`).join(' and ')
    if (isVoid)
      return {
        title: `Heating limited to ${voidHeatingMax} °C`,
        text: values.includes(null)
          ? 'Heating maximum set point. Its current value is unknown, so it cannot be restored automatically.'
          : `Heating maximum set point, now ${degrees}. The old value is stored and will be restored.`,
      }
    return values.includes(null)
      ? {
          title: 'Heating maximum must be set by hand',
          text: `The previous value of ${list(devices.filter((_, index) => values[index] === null))} is unknown.`,
        }
      : {
          title: `Heating maximum back to ${degrees}`,
          text: `The value before the property became void: ${list(devices)}.`,
        }
  },
  firing: (isVoid, devices) =>
    isVoid
      ? {
          title: `Boiler fires every Monday at 9am for ${firingMinutes} minutes`,
          text: `Keeps the pump and valves working while the property is empty.${turnsText(devices)}`,
        }
      : {
          title: 'Boiler no longer fires on Mondays',
          text: `${list(devices)} ${devices.length === 1 ? 'heats' : 'heat'} as required.`,
        },
  electricity: (isVoid, devices) =>
    isVoid
      ? {
          title: 'Electricity is switched off',
          text: `Done by PowerSense F ${list(devices)}. After void an engineer must manually reactivate the boiler module to restore the current.`,
        }
      : {
          title: 'Electricity stays off until an engineer comes',
          text: `A release message goes to the PowerSense F ${list(devices)}. An engineer must manually reactivate the boiler module to restore the current: the portal does not restore it.`,
        },
}

/** A property is fired once on a Monday, however many boilers it has. */
const turnsText = (devices: readonly HomeDevice[]) =>
  devices.length > 1 ? ` One of them each Monday: ${list(devices)} take turns.` : ''

const absentTitles: Record<Exclude<VoidEffect, 'alerts'>, (isVoid: boolean) => string> = {
  heating: (isVoid) => (isVoid ? 'Heating stays as it is' : 'Heating was not limited'),
  firing: (isVoid) => (isVoid ? 'No boiler to fire' : 'No boiler was fired'),
  electricity: (isVoid) => (isVoid ? 'Electricity stays on' : 'Electricity was not switched off'),
}
const absentTexts: Record<Exclude<VoidEffect, 'alerts'>, string> = {
  heating: 'This property has no boiler.',
  firing: 'This property has no boiler that can be fired.',
  electricity: 'This property has no PowerSense F.',
}

function alertsPlan(isVoid: boolean, devices: number): EffectPlan {
  const plan = { effect: 'alerts', applies: devices > 0 } as const
  if (!devices) return { ...plan, title: 'No alerts to mute', text: 'This property has no devices.' }
  return isVoid
    ? {
        ...plan,
        title: 'Device alerts muted, except frost, leak and carbon monoxide',
        text: `${count(devices)} ${devices === 1 ? 'stays' : 'stay'} visible. Only these dangers still raise alerts.`,
      }
    : {
        ...plan,
        title: 'Device alerts active again',
        text: `Of ${count(devices)}; alerts that are still active are sent then.`,
      }
}

/** The states of a firing. */
export const firingStandings = ['planned', 'blocked', 'asked', 'confirmed', 'refused', 'missed'] as const
export type FiringStanding = (typeof firingStandings)[number]
export const firingStandingWords: Record<FiringStanding, string> = {
  planned: 'Planned',
  blocked: 'Cannot fire',
  asked: 'Asked',
  confirmed: 'Fired',
  refused: 'Refused',
  missed: 'Missed',
}

/**
 * The state of a firing, and why it was missed or refused. A firing that its device did not receive in time is missed
 * and skipped, and a planned one is blocked while the boiler is locked out; `now` in ms since the epoch.
 */
export function firingStanding(
  state: 'due' | 'asked' | 'missed',
  command: CommandLife | undefined,
  now: number,
  isLockedOut: boolean,
): { standing: FiringStanding; reason: string | null } {
  if (state === 'due')
    return isLockedOut
      ? { standing: 'blocked', reason: 'The boiler is locked out. It fires only if the lockout ends before then.' }
      : { standing: 'planned', reason: null }
  if (state === 'missed' || !command)
    return { standing: 'missed', reason: 'The portal was not running at that time. This firing is skipped.' }
  const standing = effectStanding(command, {}, now)
  if (standing !== 'not delivered')
    return { standing, reason: standing === 'refused' ? (command.message ?? 'The device gave no reason.') : null }
  if (command.status === 'withdrawn')
    return { standing: 'missed', reason: 'It was withdrawn before the device received it.' }
  const reason = command.sentAt === null ? 'The device could not be reached.' : 'The device did not answer.'
  return { standing: 'missed', reason: `${reason} This firing is skipped.` }
}
