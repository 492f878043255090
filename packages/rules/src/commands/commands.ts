/**
 * The states of a command: queued → sent → confirmed | failed | expired. Only the device confirms. A user who may
 * request it can withdraw it until it is sent.
 */
export const commandStatuses = ['queued', 'sent', 'confirmed', 'failed', 'expired', 'withdrawn'] as const
export type CommandStatus = (typeof commandStatuses)[number]

const next: Record<CommandStatus, readonly CommandStatus[]> = {
  queued: ['sent', 'failed', 'expired', 'confirmed', 'withdrawn'],
  sent: ['confirmed', 'failed', 'expired'],
  confirmed: [],
  failed: [],
  expired: [],
  withdrawn: [],
}

/** Whether a command may move from one state to another; final states are never left. */
export function mayBecome(from: CommandStatus, to: CommandStatus): boolean {
  return next[from].includes(to)
}

/** The commands that devices support. */
export const commandNames = [
  'runTest',
  'stopTest',
  'joinNetwork',
  'leaveNetwork',
  'resetBoiler',
  'resetAutofill',
  'setChMax',
  'setDhwSetPoint',
  'setChLimit',
  'setBuzzer',
  'setRelay',
  'schedule',
  'fireBoiler',
  'setSupplyHold',
  'changeSetPoint',
] as const
export type CommandName = (typeof commandNames)[number]

/** Seconds after which an unanswered command expires. */
export const commandLifetime: Record<CommandName, number> = {
  runTest: 15 * 60,
  // Later, it could stop the next test of the light instead.
  stopTest: 15 * 60,
  joinNetwork: 15 * 60,
  leaveNetwork: 15 * 60,
  // A boiler must not restart hours later, when no one expects it.
  resetBoiler: 5 * 60,
  resetAutofill: 5 * 60,
  // The same for heating or a buzzer that comes on long after the request.
  setChMax: 15 * 60,
  setDhwSetPoint: 15 * 60,
  setChLimit: 15 * 60,
  setBuzzer: 15 * 60,
  setRelay: 15 * 60,
  schedule: 15 * 60,
  // A firing has a fixed time; a late one is skipped.
  fireBoiler: 5 * 60,
  setSupplyHold: 15 * 60,
  // A battery-powered thermostat receives it only after its next message, and some report only every few hours.
  changeSetPoint: 24 * 3600,
}

/** Commands that only void mode sends: users cannot request or withdraw them for a single device. */
export const voidCommands = ['fireBoiler', 'setSupplyHold'] as const satisfies readonly CommandName[]
export type VoidCommand = (typeof voidCommands)[number]
export function isVoidCommand(name: string): name is VoidCommand {
  return (voidCommands as readonly string[]).includes(name)
}

/** Seconds without an answer after which a command is resent. */
export const commandResend = 20
