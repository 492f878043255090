import type { BadMessageReason } from './messages.ts'

/** Whether a device may connect with a key of its own; `none` for one that only reports through its gateway. */
export const deviceKeyStates = ['active', 'revoked', 'none'] as const
export type DeviceKeyState = (typeof deviceKeyStates)[number]

export function deviceKeyState({ hasKey, isRevoked }: { hasKey: boolean; isRevoked: boolean }): DeviceKeyState {
  if (isRevoked) return 'revoked'
  return hasKey ? 'active' : 'none'
}

/** What decides whether a device may report at all. */
export interface Admission {
  hasKey: boolean
  isRevoked: boolean
  /** It was uninstalled and not installed again. */
  isUninstalled: boolean
  /** The gateway that may report for it was uninstalled, or its key was revoked. */
  isGatewayRefused: boolean
}

/**
 * Why a device is refused, whichever way its messages arrive; undefined when it is admitted. A gateway that is refused
 * stops the devices that have no key of their own: nobody else can report for them.
 */
export function admissionRefusal(device: Admission): BadMessageReason | undefined {
  if (device.isUninstalled) return 'not installed'
  if (device.isRevoked) return 'key revoked'
  return !device.hasKey && device.isGatewayRefused ? 'gateway refused' : undefined
}
