import type { ConnectionStatus } from '../devices/connection.ts'
import { connectionStatuses, connectionWords } from '../devices/connection.ts'
import { statusWords } from '../devices/status.ts'
import type { TriggerType } from './delay.ts'

/** The conditions of a rule by device status; the empty one never matches (devices specification, section 3). */
export const statusConditions = ['', 'FailedEquipment', 'PreventativeMaintenance', 'RepairedEquipment', 'Ok'] as const

interface AlertableEvent {
  words: string
  /** Advice for the recipient. */
  toDo: string
  /** Sent at once, without waiting for other alerts to join the e-mail (research, domain rules 2, section 5). */
  atOnce?: true
}

const lawToDo = 'Complete the step of the case by its deadline.'

/** All alertable events of devices and properties, apart from device status and connection. */
export const alertableEvents = {
  boilerLockout: {
    words: 'Boiler lockout',
    toDo: 'Check the fault, and reset the boiler if it allows that.',
  },
  autofillLockout: {
    words: 'Autofill lockout',
    toDo: 'Check the system for a leak before you reset the autofill.',
  },
  testFailed: { words: 'Test failed', toDo: 'Have the light repaired, and test it again.' },
  batteryNotFull: {
    words: 'Battery not full',
    toDo: 'Have the battery checked, and replaced if it does not charge.',
  },
  testOverdue: { words: 'Test overdue', toDo: 'Test the light: its last required test was too long ago.' },
  lightFailed: { words: 'Light failed', toDo: 'Find out what has failed, and have it repaired.' },
  lightInhibited: {
    words: 'Light inhibited',
    toDo: 'Remove the inhibition: the lamp stays off if the mains supply fails.',
  },
  lightUnstable: {
    words: 'Light unstable',
    toDo: 'Have the light checked: it alternates between failing and passing.',
  },
  noContact: {
    words: 'No contact',
    toDo: 'Check power and network at this location: the state of the lights is unknown.',
  },
  testMissed: { words: 'Test missed', toDo: 'Find out why it could not be tested, and test it another night.' },
  gasCheckDue: { words: 'Gas check due', toDo: 'Book the gas safety check.' },
  gasCheckOverdue: {
    words: 'Gas check overdue',
    toDo: 'Have the gas safety check done now: its legal date has passed.',
  },
  gasCheckFailed: { words: 'Gas check failed', toDo: 'Have the appliance made safe, repaired and checked again.' },
  gasNeverChecked: {
    words: 'Gas never checked',
    toDo: 'Book a gas safety check, or enter the record of the last one.',
  },
  waterTreatmentDue: { words: 'Water treatment due', toDo: 'Book the treatment of the heating water.' },
  waterTreatmentOverdue: { words: 'Water treatment overdue', toDo: 'Have the heating water treated now.' },
  waterTreatmentFailed: { words: 'Water treatment failed', toDo: 'Have the heating water treated and tested again.' },
  waterNeverTreated: {
    words: 'Water never treated',
    toDo: 'Book the treatment of the heating water, or enter the record of the last one.',
  },
  gatewaySilent: {
    words: 'Gateway silent',
    toDo: 'Check power and network of the gateway: the state of its connected devices is unknown.',
  },
  /** A property with a room at high risk or worse, assessed hourly. */
  dampAndMould: {
    words: 'Damp and mould risk',
    toDo: "Visit the property, and open an Awaab's Law case if there is damp or mould.",
  },
  dampWatch: {
    words: 'Damp: watch or higher',
    toDo: 'Check the readings of the property, and advise on heating and ventilation.',
  },
  dampSevere: {
    words: 'Damp: severe',
    toDo: "Visit the property at once, and open an Awaab's Law case if there is damp or mould.",
  },
  awaabsLawIn10: { words: "Awaab's Law: due in 10 working days", toDo: lawToDo },
  awaabsLawIn5: { words: "Awaab's Law: due in 5 working days", toDo: lawToDo },
  awaabsLawIn2: { words: "Awaab's Law: due in 2 working days", toDo: lawToDo },
  awaabsLawIn1: { words: "Awaab's Law: due in 1 working day", toDo: lawToDo },
  awaabsLawToday: { words: "Awaab's Law: due today", toDo: lawToDo },
  awaabsLawMissed: {
    words: "Awaab's Law: deadline missed",
    toDo: 'Complete the step of the case now, and record why it is late.',
  },
  heatingOff: {
    words: 'Heating off with people at home',
    toDo: 'Restore the heating, or provide heaters until it is repaired.',
  },
  frostRisk: {
    words: 'Frost risk',
    toDo: 'Restore the heating, or drain the pipes: a room is close to freezing.',
  },
  waterLeak: { words: 'Water leak', toDo: 'Turn the water off at the stopcock, and find the leak.' },
  carbonMonoxide: {
    words: 'Carbon monoxide',
    toDo: 'Get everyone out, turn the gas off, and call the gas emergency service on 0800 111 999.',
    atOnce: true,
  },
  deviceFailed: { words: 'Device failed', toDo: 'Find out what has failed, and have it repaired.' },
  /** A lamp that is inhibited while the mains supply has failed. */
  lampDark: { words: 'Lamp dark', toDo: 'Provide portable lighting until the lamp works again.', atOnce: true },
} as const satisfies Record<string, AlertableEvent>
export type AlertableEventName = keyof typeof alertableEvents

const homeEvents = [
  'gasCheckDue',
  'gasCheckOverdue',
  'gasCheckFailed',
  'gasNeverChecked',
  'waterTreatmentDue',
  'waterTreatmentOverdue',
  'waterTreatmentFailed',
  'waterNeverTreated',
  'dampAndMould',
  'dampWatch',
  'dampSevere',
  'heatingOff',
  'frostRisk',
  'awaabsLawIn10',
  'awaabsLawIn5',
  'awaabsLawIn2',
  'awaabsLawIn1',
  'awaabsLawToday',
  'awaabsLawMissed',
] as const satisfies AlertableEventName[]

/**
 * Whether a rule is about properties, which are then the subject of its alerts. A device is the subject only of facts
 * known about it alone: checks of a boiler without a property, and frost that a device reports itself.
 */
export const isOfHome = (trigger: string, condition: string) =>
  trigger === 'ALERTABLEEVENT' && (homeEvents as readonly string[]).includes(condition)
export const alertableEventNames = Object.keys(alertableEvents) as AlertableEventName[]
const isEvent = (name: string): name is AlertableEventName => Object.hasOwn(alertableEvents, name)

/** The conditions for rules with this trigger, in the order of the choices. */
export function conditionsOf(trigger: TriggerType): readonly string[] {
  switch (trigger) {
    case 'NONE':
      return ['']
    case 'DEVICESTATUS':
      return statusConditions
    case 'CONNECTIONSTATUS':
      return connectionStatuses
    case 'ALERTABLEEVENT':
      return alertableEventNames
  }
}

/** A condition in words; empty for none. */
export function conditionWords(trigger: TriggerType, condition: string): string {
  if (trigger === 'CONNECTIONSTATUS') return connectionWords[condition as ConnectionStatus] ?? condition
  if (trigger === 'ALERTABLEEVENT') return isEvent(condition) ? alertableEvents[condition].words : condition
  return condition && statusWords(condition)
}

/** Advice for the recipient. */
export function adviceFor(trigger: TriggerType, condition: string): string {
  if (trigger === 'ALERTABLEEVENT' && isEvent(condition)) return alertableEvents[condition].toDo
  if (trigger === 'CONNECTIONSTATUS' && condition !== 'Connected')
    return 'Check its power and network: its state is unknown until it reports again.'
  if (condition === 'FailedEquipment') return 'Find out what has failed, and have it repaired.'
  if (condition === 'PreventativeMaintenance') return 'Plan a visit before it fails.'
  if (condition === 'RepairedEquipment') return 'Test it to confirm the repair.'
  return 'No action is needed.'
}

/** Whether the alert is sent at once instead of waiting for others to join the e-mail. */
export const isNotifiedAtOnce = (trigger: TriggerType, condition: string) =>
  trigger === 'ALERTABLEEVENT' && isEvent(condition) && 'atOnce' in alertableEvents[condition]

/** Whether the rule is about silence, which a silent gateway explains for all devices connected through it. */
export const isOfSilence = (trigger: string, condition: string) =>
  (trigger === 'CONNECTIONSTATUS' && condition === 'NotConnected') ||
  (trigger === 'ALERTABLEEVENT' && (condition === 'gatewaySilent' || condition === 'noContact'))
