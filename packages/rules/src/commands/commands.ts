/**
 * The life of a command: queued → sent → confirmed | failed | expired. Only the device confirms. What was not sent yet can
 * also be withdrawn by who may ask for it.
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

/** Whether a command may go from one state to the other; an end state is never left. */
export function mayBecome(from: CommandStatus, to: CommandStatus): boolean {
  return next[from].includes(to)
}

/** Names of the commands that devices know. */
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
] as const
export type CommandName = (typeof commandNames)[number]

/** Seconds after which an unanswered command expires. */
export const commandLifetime: Record<CommandName, number> = {
  runTest: 15 * 60,
  // Later, the next test of the light could be the one that it ends.
  stopTest: 15 * 60,
  joinNetwork: 15 * 60,
  leaveNetwork: 15 * 60,
  // A boiler that starts again hours later would do so while nobody expects it.
  resetBoiler: 5 * 60,
  resetAutofill: 5 * 60,
  // So is a home that gets warm or loud when nobody remembers why.
  setChMax: 15 * 60,
  setDhwSetPoint: 15 * 60,
  setChLimit: 15 * 60,
  setBuzzer: 15 * 60,
  setRelay: 15 * 60,
  schedule: 15 * 60,
  // A firing has its time: one that would begin later is missed.
  fireBoiler: 5 * 60,
  setSupplyHold: 15 * 60,
}

/** What only void mode asks for: nobody orders it, or takes it back, one device at a time. */
export const voidCommands = ['fireBoiler', 'setSupplyHold'] as const satisfies readonly CommandName[]
export type VoidCommand = (typeof voidCommands)[number]
export function isVoidCommand(name: string): name is VoidCommand {
  return (voidCommands as readonly string[]).includes(name)
}

/** Seconds without an answer after which a command is sent again. */
export const commandResend = 20
