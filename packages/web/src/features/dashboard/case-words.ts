import type { WorkCaseName } from '@caretaker/rules/dashboard/worklist.ts'
import {
  IconBulb,
  IconCalendarEvent,
  IconCalendarX,
  IconCertificate,
  IconClockX,
  IconDroplet,
  IconFlameOff,
  IconHomeOff,
  IconRouterOff,
  IconScale,
  IconThermometer,
} from '../../icons/index.ts'

interface Words {
  icon: typeof IconBulb
  tone: 'failed' | 'warning'
  title: string
  /** The same as a link: '31 gas checks due within 2 months'. */
  also: (count: number) => string
}

const counted =
  (one: string, more: string, rest = '') =>
  (count: number) =>
    `${count.toLocaleString('en-GB')} ${count === 1 ? one : more}${rest}`

/** The texts and look of each case. */
export const caseWords: Record<WorkCaseName, Words> = {
  'legal deadlines': {
    ...{ icon: IconScale, tone: 'failed', title: 'Legal deadlines' },
    also: counted('legal deadline', 'legal deadlines'),
  },
  'gas failed': {
    ...{ icon: IconFlameOff, tone: 'failed', title: 'Gas safety checks failed' },
    also: counted('gas check', 'gas checks', ' failed'),
  },
  'gas overdue': {
    ...{ icon: IconCertificate, tone: 'failed', title: 'Gas overdue or never checked' },
    also: counted('gas check', 'gas checks', ' overdue or never carried out'),
  },
  'damp risk': {
    ...{ icon: IconDroplet, tone: 'failed', title: 'Properties at high damp risk' },
    also: counted('property', 'properties', ' at high damp risk'),
  },
  'heating off': {
    ...{ icon: IconThermometer, tone: 'failed', title: 'Heating off' },
    also: counted('property', 'properties', ' with heating off'),
  },
  'failed lights': {
    ...{ icon: IconBulb, tone: 'failed', title: 'Failed lights' },
    also: counted('failed light', 'failed lights'),
  },
  'failed boilers': {
    ...{ icon: IconFlameOff, tone: 'failed', title: 'Failed boilers and sensors' },
    also: counted('failed boiler or sensor', 'failed boilers and sensors'),
  },
  'lights overdue': {
    ...{ icon: IconCalendarX, tone: 'warning', title: 'Lights overdue or without contact' },
    also: counted('light', 'lights', ' overdue or without contact'),
  },
  'gateways offline': {
    ...{ icon: IconRouterOff, tone: 'failed', title: 'Gateways offline' },
    also: counted('gateway', 'gateways', ' offline'),
  },
  'gas due': {
    ...{ icon: IconCertificate, tone: 'warning', title: 'Gas checks due within 2 months' },
    also: counted('gas check', 'gas checks', ' due within 2 months'),
  },
  'gas checks': {
    ...{ icon: IconCertificate, tone: 'warning', title: 'Gas checks of boilers due' },
    also: counted('boiler', 'boilers', ' with a gas check due'),
  },
  'void at risk': {
    ...{ icon: IconHomeOff, tone: 'failed', title: 'Void properties with a risk' },
    also: counted('void property', 'void properties', ' with a risk'),
  },
  'water treatments': {
    ...{ icon: IconDroplet, tone: 'warning', title: 'Water treatments due' },
    also: counted('water treatment', 'water treatments', ' due'),
  },
  'boilers without treatment': {
    ...{ icon: IconDroplet, tone: 'warning', title: 'Water treatments of boilers due' },
    also: counted('boiler', 'boilers', ' with a water treatment due'),
  },
  'missed tests': {
    ...{ icon: IconClockX, tone: 'warning', title: 'Tests missed' },
    also: counted('missed test', 'missed tests'),
  },
  'no full test': {
    ...{ icon: IconCalendarEvent, tone: 'warning', title: 'No 3-hour test in 12 months' },
    also: counted('light', 'lights', ' without a 3-hour test in 12 months'),
  },
  'lights in no group': {
    ...{ icon: IconBulb, tone: 'warning', title: 'Lights without a group' },
    also: counted('light', 'lights', ' in no group'),
  },
}
