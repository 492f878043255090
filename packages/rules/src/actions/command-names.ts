import { singleActionLabels } from './actions.ts'
import type { TestType } from '../lighting/tests.ts'
import { testNames, testTypes } from '../lighting/tests.ts'
import type { CommandLife } from '../commands/life.ts'

type Asked = Pick<CommandLife, 'name' | 'args'>

const typeOf = ({ args }: Asked): TestType | undefined => testTypes.find((type) => type === args?.['testType'])

/**
 * The name of a command that starts or stops a test; undefined for other commands. The action 'Flick test' sends a T0;
 * other tests have names of their own.
 */
export function testCommandName(command: Asked): string | undefined {
  if (command.name === 'stopTest') return 'Stop test'
  if (command.name !== 'runTest') return undefined
  const type = typeOf(command)
  return type === undefined || type === 'T0' ? singleActionLabels['flick test'] : testNames[type]
}

/**
 * Whether the same command can be sent again with one click: no group tests, which follow a schedule, and no long
 * tests.
 */
export function isRepeatable(command: Asked): boolean {
  if (command.name === 'stopTest') return false
  return command.name !== 'runTest' || ((typeOf(command) ?? 'T0') === 'T0' && command.args?.['runId'] === undefined)
}
