import type { BadMessageReason } from './messages.ts'

/** Whether a device can connect with its own key; `none` for a device that reports only through its gateway. */
export const deviceKeyStates = ['active', 'revoked', 'none'] as const
export type DeviceKeyState = (typeof deviceKeyStates)[number]

export function deviceKeyState({ hasKey, isRevoked }: { hasKey: boolean; isRevoked: boolean }): DeviceKeyState {
  if (isRevoked) return 'revoked'
  return hasKey ? 'active' : 'none'
}

/** The facts that determine whether a device may report. */
export interface Admission {
  hasKey: boolean
  isRevoked: boolean
  /** Uninstalled and not installed again. */
  isUninstalled: boolean
  /** The gateway that may report for it was uninstalled, or its key was revoked. */
  isGatewayRefused: boolean
}

/**
 * Why messages of a device are refused, over any route; undefined if they are accepted. A refused gateway also blocks
 * the devices without a key of their own, since nothing else can report for them.
 */
export function admissionRefusal(device: Admission): BadMessageReason | undefined {
  if (device.isUninstalled) return 'not installed'
  if (device.isRevoked) return 'key revoked'
  return !device.hasKey && device.isGatewayRefused ? 'gateway refused' : undefined
}
