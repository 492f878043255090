import { fraction, wander } from '../random.ts'
import type { Context } from './model.ts'
import { clamp, number } from './model.ts'

/** Strength of the mobile network, dBm: good for most devices, with small changes over the hours. */
export function gsmSignal({ device, now, random }: Context): number {
  const usual = number(device, 'gsmSignal', -73)
  return clamp(usual + 5 * wander(`${device.deviceId} gsm`, now, 3_600_000) + (random() - 0.5) * 2, -113, -51)
}

/** Quality of the radio link to the parent, %. */
export function linkQuality({ device, now, random }: Context): number {
  const usual = number(device, 'linkQuality', 78)
  return clamp(usual + 8 * wander(`${device.deviceId} link`, now, 5_400_000) + (random() - 0.5) * 4, 1, 100)
}

export function firmware(device: Context['device']): string {
  const version = device.traits['firmware']
  return typeof version === 'string' ? version : '2.4.1'
}

/** The battery level of a sensor, in whole percent. A battery lasts some months. */
export function batteryLevel({ device, now }: Context): number {
  const months = 14 * 30 * 86_400_000
  return Math.round(100 - ((now / months + fraction(`${device.deviceId} battery`)) % 1) * 88)
}

/** The backup battery of a module or gateway, V, which supplies it during a power cut. */
export function backupVoltage({ device, now }: Context): number {
  return number(device, 'backupVoltage', 4.12) + 0.02 * wander(`${device.deviceId} backup`, now, 21_600_000)
}
